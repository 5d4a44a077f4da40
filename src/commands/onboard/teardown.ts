/** `vp teardown`: removes an instance, and leaves its target running. */

import { join, resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { command, type Invocation } from '../../command-line/command.ts';
import { isInstanceId } from '../../contract/instance-id.ts';
import type { ExitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createComposePlatform } from '../../onboarding/compose/compose-platform.ts';
import { findKitFolder } from '../../onboarding/kit/kit-paths.ts';
import type { TeardownPorts, TeardownRequest } from '../../onboarding/teardown/context.ts';
import { formatTeardown, runTeardown } from '../../onboarding/teardown/teardown.ts';
import { readJournal } from '../../onboarding/workflow/journal.ts';
import { resolveControlPlane } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { tierFlag } from '../role-flags.ts';
import { removePulledVersions } from '../scenarios/pulled-versions.ts';
import { abortOnInterrupt } from './abort-on-interrupt.ts';
import { createOnboardingView } from './onboarding-view.ts';
import { createClientWithToken, ensureSignedIn, findSignedIn } from './sign-in.ts';

const { ca, 'allow-insecure': allowInsecure } = controlPlaneFlags;
// It is not inherited: the kit knows where the instance is registered.
const { inherits: _inherits, ...controlPlane } = controlPlaneFlags['control-plane'];

const flags = {
  tier: tierFlag,
  'instance-id': {
    type: 'string',
    placeholder: '<id>',
    describe: 'the instance',
    variable: 'VP_INSTANCE',
    kind: 'instance',
  },
  kit: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'kit folder of the instance; found automatically unless given',
  },
  'sign-in': {
    type: 'boolean',
    default: true,
    describe:
      'act as the signed-in person; --no-sign-in: use the key of this machine, or the stored sign-in, and never ask',
  },
  browser: {
    type: 'boolean',
    default: true,
    describe: 'sign in with this machine’s browser; --no-browser: with a code to enter in any browser',
  },
  'control-plane': controlPlane,
  ca,
  'allow-insecure': allowInsecure,
} as const;

type Call = Invocation<typeof flags>;

/** Throws FLAG_INVALID, TEARDOWN_NAME_MISSING, INSTANCE_ID_INVALID, KIT_SERVES_ANOTHER, JOURNAL_UNREADABLE. */
async function parseRequest({ flags, environment }: Call): Promise<TeardownRequest> {
  const kitFolder = flags.kit === undefined ? undefined : resolve(environment.cwd, flags.kit);
  const facts = kitFolder === undefined ? undefined : (await readJournal(kitFolder))?.facts;
  const instanceId = flags['instance-id'] ?? facts?.instance_id;
  if (instanceId === undefined) throw vpError('TEARDOWN_NAME_MISSING', {});
  if (!isInstanceId(instanceId)) throw vpError('INSTANCE_ID_INVALID', { instance: instanceId });
  if (kitFolder !== undefined && facts && facts.instance_id !== instanceId) {
    throw vpError('KIT_SERVES_ANOTHER', { kit: kitFolder, instance: facts.instance_id, requested: instanceId });
  }
  const kit = kitFolder ?? (await findKitFolder(environment.paths, instanceId));
  const url = await resolveRegisteredControlPlane(kit, { flags, environment });
  return { instanceId, controlPlane: url, kit, noSignIn: !flags['sign-in'] };
}

/** The control plane at which the instance is registered: its machine key is valid there only. Throws FLAG_INVALID. */
async function resolveRegisteredControlPlane(
  kit: string,
  { flags, environment }: Pick<Call, 'flags' | 'environment'>,
): Promise<string> {
  const { url } = await resolveControlPlane(flags, environment);
  const registeredUrl = (await readJournal(kit).catch(() => undefined))?.facts.control_plane;
  if (registeredUrl === undefined || registeredUrl === url) return url;
  const problem = `is ${url}, but the instance was onboarded with ${registeredUrl}`;
  throw vpError('FLAG_INVALID', { command: 'vp teardown', flag: '--control-plane', problem });
}

function createPorts(call: Call, request: TeardownRequest, signal: AbortSignal, onOpen: OnOpen): TeardownPorts {
  const { environment } = call;
  return {
    environment,
    platform: createComposePlatform(environment, signal),
    connect: (machineKey, signal) => createTeardownClient({ call, request, machineKey, signal, onOpen }),
    forgetScenarios: (instance) => removePulledVersions(environment, request.controlPlane, instance),
  };
}

type OnOpen = (url: string, userCode?: string) => void;

type TeardownClientParams = {
  readonly call: Call;
  readonly request: TeardownRequest;
  readonly machineKey: string | undefined;
  readonly signal: AbortSignal;
  readonly onOpen: OnOpen;
};

async function createTeardownClient({
  call,
  request,
  machineKey,
  signal,
  onOpen,
}: TeardownClientParams): Promise<Client> {
  const { flags, environment } = call;
  if (machineKey !== undefined) return createClientWithToken(machineKey, flags, environment);
  const stored = request.noSignIn ? await findSignedIn(flags, environment, signal) : undefined;
  if (stored) return stored.client;
  if (request.noSignIn)
    throw vpError('MACHINE_KEY_ABSENT', { instance: request.instanceId, file: join(request.kit, 'machine.key') });
  const options = { signal, noBrowser: !flags.browser, onOpen };
  return (await ensureSignedIn(flags, environment, options)).client;
}

async function run(call: Call): Promise<ExitCode> {
  const { environment, json } = call;
  const { signal, stop } = abortOnInterrupt(environment);
  try {
    const request = await parseRequest(call);
    const view = await createOnboardingView(environment, json);
    const onOpen: OnOpen = (url, code) =>
      view.handleEvent({ event: 'open', url, ...(code === undefined ? {} : { user_code: code }) });
    const ports = createPorts(call, request, signal, onOpen);
    const result = await runTeardown({ request, ports, onEvent: view.handleEvent, signal }).finally(() => view.end());
    const { stdout } = environment.streams;
    stdout.write(json ? `${JSON.stringify({ event: 'result', ...result })}\n` : `\n${formatTeardown(result)}`);
    return result.exit_code;
  } finally {
    stop();
  }
}

export const teardownCommand = command({
  name: 'teardown',
  summary: 'remove an instance, and leave its target running',
  positionals: [],
  flags,
  examples: [
    ['vp teardown --instance-id shop', 'containers, volumes, registration, scenarios, run history, entries, files'],
    ['vp teardown --instance-id shop --no-sign-in', 'with the key of this machine'],
  ],
  notes:
    'Prints what it removed and what it kept, and can be repeated after a failure. The transcript is kept, and ' +
    'so is platform-obs with its history: the command that removes it is printed with the last instance. Exit code 1: something remains, or there is no such instance.',
  run,
});
