/** Runs the steps of an onboarding. */
import { exitCode } from '../errors/exit-code.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import type { OnboardingContext, OnboardingPorts, OnboardingRequest, OnboardingState } from './context.ts';
import { buildHeadline, type Headline } from './headline.ts';
import { onboardingSteps } from './steps/steps.ts';
import type { OnboardingEventHandler } from './workflow/event.ts';
import { JournalWriter } from './workflow/journal.ts';
import { runSteps, type StepsResult } from './workflow/run-steps.ts';
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

/** Throws the error that stops it; INSTANCE_NOT_READY if the instance is registered by then. The transcript has it too. */
export async function onboard(onboarding: OnboardingOptions): Promise<OnboardingResult> {
  const { ports, signal, steps = onboardingSteps } = onboarding;
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
    const result = await runSteps({ steps, contextFor, recorder: journal, onEvent, clock, signal });
    return toResult({ ...base, signal, report: () => undefined }, result);
  } catch (cause) {
    const error = toNotReadyError(journal, cause);
    transcript.write(`stopped: ${error instanceof Error ? error.message : String(error)}`);
    onEvent({ event: 'failed', transcript: transcript.file ?? null });
    throw error;
  }
}

/** After the registration, something that cannot be reached counts as not ready. */
function toNotReadyError({ facts }: JournalWriter, error: unknown): unknown {
  if (!facts?.registered || !(error instanceof VpError)) return error;
  const { exit, visibility } = error.row;
  if (exit !== exitCode.broken || visibility === 'private') return error;
  const values = { instance: facts.instance_id, reason: error.message, cure: error.cure };
  return vpError('INSTANCE_NOT_READY', values, { cause: error });
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
