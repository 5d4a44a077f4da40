/** `vp onboard`: registers an instance for an application in containers, and starts all its services. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { command, type Invocation } from '../../command-line/command.ts';
import { isInstanceId } from '../../contract/instance-id.ts';
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createComposePlatform } from '../../onboarding/compose/compose-platform.ts';
import type { OnboardingContext, OnboardingPorts, OnboardingRequest } from '../../onboarding/context.ts';
import { formatHeadline } from '../../onboarding/headline.ts';
import { assertRequest, type OnboardingResult, onboard } from '../../onboarding/onboard.ts';
import { findOnboardedInstance } from '../../onboarding/onboarded-instances.ts';
import { formatPlan, planOnboarding } from '../../onboarding/plan.ts';
import { type JournalFacts, JournalWriter } from '../../onboarding/workflow/journal.ts';
import { openTranscript } from '../../onboarding/workflow/transcript.ts';
import { resolveControlPlane } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { productFolderFlag, scenarioFolderFlag, tierFlag } from '../role-flags.ts';
import { abortOnInterrupt } from './abort-on-interrupt.ts';
import { createOnboardingView } from './onboarding-view.ts';
import { createScenarioSender, readScenarioTexts } from './scenario-import.ts';
import { countTools, createProbeSender } from './service-calls.ts';
import { createClientWithToken, ensureSignedIn, findExistingClient } from './sign-in.ts';

const flags = {
  tier: tierFlag,
  'product-dir': {
    ...productFolderFlag,
    describe:
      'folder of platform-config.yaml and .env, and of the agent that changes the application (default: ./product, or that of the earlier onboarding)',
    variable: 'VP_PRODUCT_DIR',
  },
  'test-dir': {
    ...scenarioFolderFlag,
    describe:
      'folder of the scenarios, and of the agent that writes and runs them (default: ./test or ./test-agent, or that of the earlier onboarding)',
    variable: 'VP_TEST_DIR',
  },
  'instance-id': {
    type: 'string',
    placeholder: '<id>',
    describe: 'at most 22 lowercase letters, digits and hyphens (default: from the project’s name)',
    variable: 'VP_INSTANCE',
    kind: 'instance',
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

const defaultFolders = { 'product-dir': ['product', 'product-agent'], 'test-dir': ['test', 'test-agent', 'tests'] };

/** The named folder, the one of an earlier onboarding of the instance, or the first of the usual ones that exists here. */
function findFolder(
  { flags, environment }: Call,
  name: 'product-dir' | 'test-dir',
  earlier: string | undefined,
): string {
  const value = flags[name];
  if (value !== undefined) return resolve(environment.cwd, value);
  const usual = defaultFolders[name].map((folder) => resolve(environment.cwd, folder)).find((path) => existsSync(path));
  const folder = earlier ?? usual;
  if (folder !== undefined) return folder;
  const problem = `is needed: there is no folder ${defaultFolders[name].map((path) => `./${path}`).join(' or ')}`;
  throw vpError('FLAG_INVALID', { command: 'vp onboard', flag: `--${name}`, problem });
}

async function parseRequest(call: Call): Promise<OnboardingRequest> {
  const { flags, environment } = call;
  const { url } = await resolveControlPlane(flags, environment);
  const instanceId = flags['instance-id'];
  const earlier = instanceId === undefined ? undefined : await findEarlierFacts(environment, instanceId);
  const request = {
    productDir: findFolder(call, 'product-dir', earlier?.product_dir),
    testDir: findFolder(call, 'test-dir', earlier?.test_dir),
    instanceId,
    controlPlane: url,
    ca: flags.ca === undefined ? undefined : readFileSync(resolve(environment.cwd, flags.ca), 'utf8'),
    image: flags.image,
    kit: flags.kit === undefined ? undefined : resolve(environment.cwd, flags.kit),
  };
  await assertRequest(request);
  return request;
}

async function findEarlierFacts({ paths }: Environment, instanceId: string): Promise<JournalFacts | undefined> {
  if (!isInstanceId(instanceId)) throw vpError('INSTANCE_ID_INVALID', { instance: instanceId });
  return (await findOnboardedInstance(paths, instanceId))?.facts;
}

/** A function that opens the container engine at its first call. */
function createPorts({ flags, environment }: Call, signal: AbortSignal): OnboardingPorts {
  const author = environment.variables.PLATFORM_AUTHOR_TOKEN?.trim();
  return {
    environment,
    platform: createComposePlatform(environment, signal),
    signIn: (how) => ensureSignedIn(flags, environment, { ...how, noBrowser: !flags.browser }),
    existingClient: () => findExistingClient(flags, environment),
    authorClient: async () => (author ? createClientWithToken(author, flags, environment) : undefined),
    onOpen: () => undefined,
    warn: () => undefined,
    readScenarios: (testDir) => readScenarioTexts(testDir, environment.cwd),
    sendScenario: createScenarioSender(environment),
    sendProbe: createProbeSender(environment),
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
  summary: 'set up the platform for an application in docker compose',
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
