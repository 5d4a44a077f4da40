/** Runs the steps of an onboarding. */

import { isInstanceId } from '../contract/instance-id.ts';
import { exitCode } from '../errors/exit-code.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import type { OnboardingContext, OnboardingPorts, OnboardingRequest, OnboardingState } from './context.ts';
import { buildHeadline, type Headline } from './headline.ts';
import { parseRelease } from './image-release.ts';
import { assertKitInstance } from './steps/instance-id.ts';
import { onboardingSteps } from './steps/steps.ts';
import type { OnboardingEventHandler } from './workflow/event.ts';
import { JournalWriter, readJournal } from './workflow/journal.ts';
import { runWorkflowSteps, type StepsResult } from './workflow/run-steps.ts';
import type { WorkflowStep } from './workflow/step.ts';
import { openTranscript, type Transcript } from './workflow/transcript.ts';

export type OnboardingOptions = {
  readonly request: OnboardingRequest;
  readonly ports: OnboardingPorts;
  readonly onEvent: OnboardingEventHandler;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** For tests. */
  readonly steps?: readonly WorkflowStep<OnboardingContext>[];
};

export type OnboardingResult =
  | { readonly kind: 'finished'; readonly headline: Headline }
  | {
      readonly kind: 'interrupted';
      readonly step: string;
      readonly undone: boolean;
      readonly transcript: string | undefined;
    };

/**
 * Refuses what can be known to be wrong before anything is looked at or anybody signs in. Throws INSTANCE_ID_INVALID,
 * IMAGE_TAG_REFUSED, KIT_SERVES_ANOTHER, JOURNAL_UNREADABLE.
 */
export async function assertRequest({ instanceId, image, kit }: OnboardingRequest): Promise<void> {
  if (instanceId !== undefined && !isInstanceId(instanceId))
    throw vpError('INSTANCE_ID_INVALID', { instance: instanceId });
  parseRelease(image);
  if (kit === undefined || instanceId === undefined) return;
  assertKitInstance(kit, (await readJournal(kit))?.facts, instanceId);
}

/** Throws the error that stops it; INSTANCE_NOT_READY if the instance is registered by then. The transcript has it too. */
export async function onboard(onboarding: OnboardingOptions): Promise<OnboardingResult> {
  const { ports, signal, steps = onboardingSteps } = onboarding;
  await assertRequest(onboarding.request);
  const { clock } = ports.environment;
  const transcript = openTranscript(clock);
  const journal = new JournalWriter(ports.environment);
  const state: OnboardingState = {};
  const base = createBaseContext(onboarding, { state, journal, transcript });
  const onEvent: OnboardingEventHandler = (event) => {
    transcript.event(event);
    onboarding.onEvent(event);
  };
  onEvent({ event: 'started', operation: 'onboard', steps: steps.map(({ id, title }) => ({ id, title })) });
  const contextFor = (_: unknown, report: (text: string) => void): OnboardingContext => ({ ...base, signal, report });
  try {
    const result = await runWorkflowSteps({ steps, contextFor, recorder: journal, onEvent, clock, signal });
    return toResult({ ...base, signal, report: () => undefined }, result);
  } catch (cause) {
    const error = toStoppedError(journal, { state, journal, transcript }, cause);
    transcript.write(`stopped: ${error instanceof Error ? error.message : String(error)}`);
    onEvent({ event: 'failed', transcript: transcript.file ?? null });
    throw error;
  } finally {
    state.machineLock?.release();
  }
}

/**
 * Exit code 3 says that the instance is registered and something was not ready: after the registration every error that is not about
 * the input has it, and before it none.
 */
function toStoppedError(journal: JournalWriter, { state }: RunResources, error: unknown): unknown {
  if (!(error instanceof VpError) || error.row.visibility === 'private') return error;
  const { facts } = journal;
  const { exit } = error.row;
  const reason = error.message;
  // Before the control plane has answered, the journal says what an earlier run registered.
  const isRegistered = facts?.registered === true || state.instance !== undefined;
  if (!isRegistered || facts === undefined) {
    return exit === exitCode.notReady
      ? vpError('ONBOARDING_STOPPED', { reason, cure: error.cure }, { cause: error })
      : error;
  }
  if (exit !== exitCode.broken) return error;
  return vpError('INSTANCE_NOT_READY', { instance: facts.instance_id, reason, cure: error.cure }, { cause: error });
}

type RunResources = {
  readonly state: OnboardingState;
  readonly journal: JournalWriter;
  readonly transcript: Transcript;
};

function createBaseContext(
  { request, ports, onEvent }: OnboardingOptions,
  resources: RunResources,
): Omit<OnboardingContext, 'signal' | 'report'> {
  const { transcript } = resources;
  const eventPorts: OnboardingPorts = {
    ...ports,
    warn(text, cure) {
      transcript.event({ event: 'warning', text, cure });
      onEvent({ event: 'warning', text, cure });
    },
    onOpen(url, userCode) {
      const event = { event: 'open', url, ...(userCode === undefined ? {} : { user_code: userCode }) } as const;
      transcript.event(event);
      onEvent(event);
      ports.onOpen(url, userCode);
    },
  };
  return { request, ports: eventPorts, ...resources };
}

function toResult(context: OnboardingContext, result: StepsResult): OnboardingResult {
  const { transcript } = context;
  if (result.kind === 'interrupted') {
    transcript.write(`interrupted in ${result.step}`);
    return { kind: 'interrupted', step: result.step, undone: result.undone, transcript: transcript.file };
  }
  const headline = buildHeadline(context, result);
  transcript.write(`${headline.outcome} ${JSON.stringify(headline)}`);
  return { kind: 'finished', headline };
}
