/** `vp onboard`: registers an instance for an application in containers, and starts everything that serves it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Engine, openEngine } from '../containers/engine.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Asked, OnboardingContext, OnboardingPorts } from '../onboarding/context.ts';
import { OpenJournal } from '../onboarding/engine/journal.ts';
import { openTranscript } from '../onboarding/engine/transcript.ts';
import { headlineText } from '../onboarding/headline.ts';
import { type OnboardingEnd, onboard } from '../onboarding/onboard.ts';
import { planOnboarding, planText } from '../onboarding/plan.ts';
import { command, type Invocation } from './command.ts';
import { wayTo } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { countTools } from './onboard/count-tools.ts';
import { faceFor } from './onboard/face.ts';
import { interruption } from './onboard/interruption.ts';
import { scenarioTexts, sending } from './onboard/scenario-texts.ts';
import { clientWith, signedIn } from './onboard/sign-in.ts';

const flags = {
  tier: {
    type: 'string',
    choices: ['compose'],
    default: 'compose',
    describe: 'where it runs: containers of this machine',
  },
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of platform-config.yaml and .env, and of the agent that changes the application',
    variable: 'VP_PRODUCT_DIR',
  },
  'test-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of the scenarios, and of the agent that writes and runs them',
    variable: 'VP_TEST_DIR',
  },
  'instance-id': {
    type: 'string',
    placeholder: '<id>',
    describe: 'lowercase letters, digits and hyphens, at most 22; from the project’s name unless given',
    variable: 'VP_INSTANCE',
  },
  image: {
    type: 'string',
    placeholder: '<image>',
    describe: 'image of the platform, by its release tag v<version>-slim',
    default: `vp:v${version}-slim`,
    variable: 'VP_IMAGE',
  },
  kit: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'kit folder of the instance; below the data folder unless given',
  },
  browser: {
    type: 'boolean',
    default: true,
    describe: 'sign in with this machine’s browser; --no-browser: by a code that is typed in any',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'tell what would be made, and change nothing' },
  ...controlPlaneFlags,
} as const;

type Call = Invocation<typeof flags>;

function folder({ flags, environment }: Call, name: 'product-dir' | 'test-dir'): string {
  const value = flags[name];
  if (value !== undefined) return resolve(environment.cwd, value);
  throw vpError('FLAG_INVALID', { command: 'vp onboard', flag: `--${name}`, problem: 'is needed' });
}

async function askedOf(call: Call): Promise<Asked> {
  const { flags, environment } = call;
  const { url } = await wayTo(flags, environment);
  return {
    productDir: folder(call, 'product-dir'),
    testDir: folder(call, 'test-dir'),
    instanceId: flags['instance-id'],
    controlPlane: url,
    ca: flags.ca === undefined ? undefined : readFileSync(resolve(environment.cwd, flags.ca), 'utf8'),
    image: flags.image,
    kit: flags.kit === undefined ? undefined : resolve(environment.cwd, flags.kit),
  };
}

/** The engine, looked for once. */
export function onceOpened(environment: Environment, signal: AbortSignal): () => Promise<Engine> {
  let opened: Promise<Engine> | undefined;
  return () => {
    opened ??= openEngine(environment, signal);
    return opened;
  };
}

function portsOf({ flags, environment }: Call, signal: AbortSignal): OnboardingPorts {
  const author = environment.variables.PLATFORM_AUTHOR_TOKEN?.trim();
  return {
    environment,
    engine: onceOpened(environment, signal),
    signIn: (how) => signedIn(flags, environment, { ...how, noBrowser: !flags.browser }),
    authorClient: async () => (author ? clientWith(author, flags, environment) : undefined),
    onOpen: () => undefined,
    warn: () => undefined,
    readScenarios: (testDir) => scenarioTexts(testDir, environment.cwd),
    sendScenario: sending(environment),
    countTools,
  };
}

async function plan(call: Call, asked: Asked, signal: AbortSignal): Promise<ExitCode> {
  const { environment, json } = call;
  const context: OnboardingContext = {
    ...{ asked, found: {}, signal, say: () => undefined },
    ports: portsOf(call, signal),
    journal: new OpenJournal(environment),
    transcript: openTranscript(environment.clock),
  };
  const planned = await planOnboarding(context);
  environment.streams.stdout.write(json ? `${JSON.stringify({ dry_run: true, ...planned })}\n` : planText(planned));
  return exitCode.done;
}

function tellEnd({ json, environment }: Call, end: OnboardingEnd): ExitCode {
  const { stdout } = environment.streams;
  if (end.kind === 'finished') {
    const { headline } = end;
    stdout.write(json ? `${JSON.stringify({ event: 'headline', ...headline })}\n` : `\n${headlineText(headline)}`);
    return headline.exit_code;
  }
  const { step, undone, transcript } = end;
  const told = { event: 'interrupted', step, undone, transcript: transcript ?? null };
  stdout.write(json ? `${JSON.stringify(told)}\n` : interruptedText(end));
  return exitCode.interrupted;
}

function interruptedText({ step, undone, transcript }: OnboardingEnd & { kind: 'interrupted' }): string {
  const state = undone ? `nothing is left half done of ${step}` : `the step ${step} is half done`;
  const short = 'the transcript writer was already gone and the transcript may be short';
  const file = transcript === undefined ? '' : `: ${transcript}`;
  return `\ninterrupted: ${state}; run the same command again, and it goes on from there\n${short}${file}\n`;
}

async function run(call: Call): Promise<ExitCode> {
  const { environment, json } = call;
  const { signal, stop } = interruption(environment);
  try {
    const asked = await askedOf(call);
    if (call.flags['dry-run']) return await plan(call, asked, signal);
    const face = await faceFor(environment, json);
    const working = onboard({ asked, ports: portsOf(call, signal), tell: face.tell, signal });
    const end = await working.finally(() => face.end());
    return tellEnd(call, end);
  } finally {
    stop();
  }
}

/** The command. */
export const onboardCommand = command({
  name: 'onboard',
  summary: 'set everything up for an application that runs in docker compose',
  positionals: [],
  flags,
  examples: [
    ['vp onboard --product-dir product --test-dir test --instance-id shop', 'asks for one sign-in, ends with ALL SET'],
    ['vp onboard --product-dir product --test-dir test --dry-run', 'see every file, container, network and port first'],
  ],
  notes:
    'Every step looks first whether anything is to do: run it again to continue, to repair, or to bring changes of ' +
    'platform-config.yaml and .env to the executor. The target and its compose file stay as they are. Exit code 0: ALL SET. ' +
    '1: PARTIALLY SET, with the reason. 3: registered, but something is not ready: do not tear down; wait a few minutes and ' +
    'check Settings → Environments.',
  run,
});
