/** `vp teardown`: takes an instance away again, and leaves its target running. */
import { join, resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import type { ExitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { readJournal } from '../onboarding/engine/journal.ts';
import { knownKit } from '../onboarding/engine/kit.ts';
import type { TeardownAsked, TeardownPorts } from '../onboarding/teardown/context.ts';
import { teardown, teardownText } from '../onboarding/teardown/teardown.ts';
import { command, type Invocation } from './command.ts';
import { wayTo } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { faceFor } from './onboard/face.ts';
import { interruption } from './onboard/interruption.ts';
import { clientWith, signedIn } from './onboard/sign-in.ts';
import { onceOpened } from './onboard.ts';
import { forgetSeen } from './scenarios/forget-seen.ts';

const { 'control-plane': controlPlane, ca, 'allow-insecure': allowInsecure } = controlPlaneFlags;

const flags = {
  tier: {
    type: 'string',
    choices: ['compose'],
    default: 'compose',
    describe: 'where it runs: containers of this machine',
  },
  'instance-id': { type: 'string', placeholder: '<id>', describe: 'the instance', variable: 'VP_INSTANCE' },
  kit: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'kit folder of the instance; found by itself unless given',
  },
  'sign-in': {
    type: 'boolean',
    default: true,
    describe: 'act as who is signed in; --no-sign-in: by the key of this machine',
  },
  browser: {
    type: 'boolean',
    default: true,
    describe: 'sign in with this machine’s browser; --no-browser: by a code that is typed in any',
  },
  'control-plane': controlPlane,
  ca,
  'allow-insecure': allowInsecure,
} as const;

type Call = Invocation<typeof flags>;

/** Throws FLAG_INVALID, TEARDOWN_NAME_MISSING, KIT_SERVES_ANOTHER, JOURNAL_UNREADABLE. */
async function askedOf({ flags, environment }: Call): Promise<TeardownAsked> {
  const named = flags.kit === undefined ? undefined : resolve(environment.cwd, flags.kit);
  const served = named === undefined ? undefined : (await readJournal(named))?.facts;
  const instanceId = flags['instance-id'] ?? served?.instance_id;
  if (instanceId === undefined) throw vpError('TEARDOWN_NAME_MISSING', {});
  if (named !== undefined && served && served.instance_id !== instanceId) {
    throw vpError('KIT_SERVES_ANOTHER', { kit: named, instance: served.instance_id, asked: instanceId });
  }
  const kit = named ?? (await knownKit(environment.paths, instanceId));
  const url = await controlPlaneOf(kit, { flags, environment });
  return { instanceId, controlPlane: url, kit, noSignIn: !flags['sign-in'] };
}

/** The one that the instance is registered at: its machine key is for no other. Throws FLAG_INVALID. */
async function controlPlaneOf(
  kit: string,
  { flags, environment }: Pick<Call, 'flags' | 'environment'>,
): Promise<string> {
  const { url } = await wayTo(flags, environment);
  const noted = (await readJournal(kit).catch(() => undefined))?.facts.control_plane;
  if (noted === undefined || noted === url) return url;
  const problem = `is ${url}, but the instance was onboarded with ${noted}`;
  throw vpError('FLAG_INVALID', { command: 'vp teardown', flag: '--control-plane', problem });
}

function portsOf(call: Call, asked: TeardownAsked, signal: AbortSignal, onOpen: Opened): TeardownPorts {
  const { environment } = call;
  return {
    environment,
    engine: onceOpened(environment, signal),
    connect: (machineKey, signal) => connected({ call, asked, machineKey, signal, onOpen }),
    forgetScenarios: (instance) => forgetSeen(environment, asked.controlPlane, instance),
  };
}

type Opened = (url: string, userCode?: string) => void;

type Connecting = {
  readonly call: Call;
  readonly asked: TeardownAsked;
  readonly machineKey: string | undefined;
  readonly signal: AbortSignal;
  readonly onOpen: Opened;
};

async function connected({ call, asked, machineKey, signal, onOpen }: Connecting): Promise<Client> {
  const { flags, environment } = call;
  if (machineKey !== undefined) return clientWith(machineKey, flags, environment);
  if (asked.noSignIn)
    throw vpError('MACHINE_KEY_ABSENT', { instance: asked.instanceId, file: join(asked.kit, 'machine.key') });
  const how = { signal, noBrowser: !flags.browser, onOpen };
  return (await signedIn(flags, environment, how)).client;
}

async function run(call: Call): Promise<ExitCode> {
  const { environment, json } = call;
  const { signal, stop } = interruption(environment);
  try {
    const asked = await askedOf(call);
    const face = await faceFor(environment, json);
    const onOpen: Opened = (url, code) =>
      face.tell({ event: 'open', url, ...(code === undefined ? {} : { user_code: code }) });
    const ports = portsOf(call, asked, signal, onOpen);
    const result = await teardown({ asked, ports, tell: face.tell, signal }).finally(() => face.end());
    const { stdout } = environment.streams;
    stdout.write(json ? `${JSON.stringify({ event: 'result', ...result })}\n` : `\n${teardownText(result)}`);
    return result.exit_code;
  } finally {
    stop();
  }
}

/** The command. */
export const teardownCommand = command({
  name: 'teardown',
  summary: 'take an instance away again, and leave its target running',
  positionals: [],
  flags,
  examples: [
    ['vp teardown --instance-id shop', 'containers, volumes, registration, scenarios, run history, entries, files'],
    ['vp teardown --instance-id shop --no-sign-in', 'by the key that this machine was given'],
  ],
  notes:
    'Says what it removed and what it kept, and can be run again after a failure half-way. The transcript stays, and ' +
    'platform-obs with its history: the command that removes that is printed with the last instance. Exit code 1: something remains.',
  run,
});
