/** `vp onboard`: registers an instance for an application in containers, and starts all its services. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { command, type Invocation } from '../../command-line/command.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createComposePlatform } from '../../onboarding/compose/compose-platform.ts';
import type { OnboardingContext, OnboardingPorts, OnboardingRequest } from '../../onboarding/context.ts';
import { formatHeadline } from '../../onboarding/headline.ts';
import { type OnboardingResult, onboard } from '../../onboarding/onboard.ts';
import { formatPlan, planOnboarding } from '../../onboarding/plan.ts';
import { JournalWriter } from '../../onboarding/workflow/journal.ts';
import { openTranscript } from '../../onboarding/workflow/transcript.ts';
import { resolveControlPlane } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { abortOnInterrupt } from './abort-on-interrupt.ts';
import { countTools } from './count-tools.ts';
import { createOnboardingView } from './onboarding-view.ts';
import { createScenarioSender, readScenarioTexts } from './scenario-import.ts';
import { createClientWithToken, ensureSignedIn } from './sign-in.ts';

const flags = {
  tier: {
    type: 'string',
    choices: ['compose'],
    default: 'compose',
    describe: 'where the platform runs: containers on this machine',
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
    describe: 'at most 22 lowercase letters, digits and hyphens (default: from the project’s name)',
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
    describe: 'kit folder of the instance (default: in the data folder)',
  },
  browser: {
    type: 'boolean',
    default: true,
    describe: 'sign in with this machine’s browser; --no-browser: with a code to enter in any browser',
  },
  'dry-run': { type: 'boolean', default: false, describe: 'print what would be created, and change nothing' },
  ...controlPlaneFlags,
} as const;

type Call = Invocation<typeof flags>;

function requireFolder({ flags, environment }: Call, name: 'product-dir' | 'test-dir'): string {
  const value = flags[name];
  if (value !== undefined) return resolve(environment.cwd, value);
  throw vpError('FLAG_INVALID', { command: 'vp onboard', flag: `--${name}`, problem: 'is needed' });
}

async function parseRequest(call: Call): Promise<OnboardingRequest> {
  const { flags, environment } = call;
  const { url } = await resolveControlPlane(flags, environment);
  return {
    productDir: requireFolder(call, 'product-dir'),
    testDir: requireFolder(call, 'test-dir'),
    instanceId: flags['instance-id'],
    controlPlane: url,
    ca: flags.ca === undefined ? undefined : readFileSync(resolve(environment.cwd, flags.ca), 'utf8'),
    image: flags.image,
    kit: flags.kit === undefined ? undefined : resolve(environment.cwd, flags.kit),
  };
}

/** A function that opens the container engine at its first call. */
function createPorts({ flags, environment }: Call, signal: AbortSignal): OnboardingPorts {
  const author = environment.variables.PLATFORM_AUTHOR_TOKEN?.trim();
  return {
    environment,
    platform: createComposePlatform(environment, signal),
    signIn: (how) => ensureSignedIn(flags, environment, { ...how, noBrowser: !flags.browser }),
    authorClient: async () => (author ? createClientWithToken(author, flags, environment) : undefined),
    onOpen: () => undefined,
    warn: () => undefined,
    readScenarios: (testDir) => readScenarioTexts(testDir, environment.cwd),
    sendScenario: createScenarioSender(environment),
    countTools,
  };
}

async function printPlan(call: Call, request: OnboardingRequest, signal: AbortSignal): Promise<ExitCode> {
  const { environment, json } = call;
  const context: OnboardingContext = {
    ...{ request, state: {}, signal, report: () => undefined },
    ports: createPorts(call, signal),
    journal: new JournalWriter(environment),
    transcript: openTranscript(environment.clock),
  };
  const planned = await planOnboarding(context);
  environment.streams.stdout.write(json ? `${JSON.stringify({ dry_run: true, ...planned })}\n` : formatPlan(planned));
  return exitCode.done;
}

function printEnd({ json, environment }: Call, end: OnboardingResult): ExitCode {
  const { stdout } = environment.streams;
  if (end.kind === 'finished') {
    const { headline } = end;
    stdout.write(json ? `${JSON.stringify({ event: 'headline', ...headline })}\n` : `\n${formatHeadline(headline)}`);
    return headline.exit_code;
  }
  const { step, undone, transcript } = end;
  const document = { event: 'interrupted', step, undone, transcript: transcript ?? null };
  stdout.write(json ? `${JSON.stringify(document)}\n` : interruptedText(end));
  return exitCode.interrupted;
}

function interruptedText({ step, undone, transcript }: OnboardingResult & { kind: 'interrupted' }): string {
  const state = undone ? `the step ${step} was undone` : `the step ${step} is incomplete`;
  const short = 'the transcript writer was already gone and the transcript may be short';
  const file = transcript === undefined ? '' : `: ${transcript}`;
  return `\ninterrupted: ${state}; run the same command again to continue\n${short}${file}\n`;
}

async function run(call: Call): Promise<ExitCode> {
  const { environment, json } = call;
  const { signal, stop } = abortOnInterrupt(environment);
  try {
    const request = await parseRequest(call);
    if (call.flags['dry-run']) return await printPlan(call, request, signal);
    const view = await createOnboardingView(environment, json);
    const onboarding = onboard({
      request,
      ports: createPorts(call, signal),
      onEvent: view.handleEvent,
      signal,
    });
    const end = await onboarding.finally(() => view.end());
    return printEnd(call, end);
  } finally {
    stop();
  }
}

export const onboardCommand = command({
  name: 'onboard',
  summary: 'set up the platform for an application that runs in docker compose',
  positionals: [],
  flags,
  examples: [
    [
      'vp onboard --product-dir product --test-dir test --instance-id shop',
      'asks you to sign in once, and ends with ALL SET',
    ],
    [
      'vp onboard --product-dir product --test-dir test --dry-run',
      'list every file, container, network and port first',
    ],
  ],
  notes:
    'Each step first checks whether there is anything to do: run it again to continue, to repair, or to apply changes to ' +
    'platform-config.yaml and .env. The target and its compose file are not changed. Exit code 0: ALL SET. ' +
    '1: PARTIALLY SET, with the reason. 3: registered, but something is not ready: do not tear down; wait a few minutes and ' +
    'check Settings → Environments.',
  run,
});
