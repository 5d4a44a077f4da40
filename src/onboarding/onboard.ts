/** An onboarding: its steps, run in order, and what came of them. */
import { exitCode } from '../errors/exit-code.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import type { Asked, Found, OnboardingContext, OnboardingPorts } from './context.ts';
import type { Tell } from './engine/event.ts';
import { OpenJournal } from './engine/journal.ts';
import { runSteps, type StepsEnd } from './engine/run-steps.ts';
import type { Step } from './engine/step.ts';
import { openTranscript, type Transcript } from './engine/transcript.ts';
import { type Headline, headlineOf } from './headline.ts';
import { onboardingSteps } from './steps/list.ts';

/** What an onboarding takes. */
export type Onboarding = {
  readonly asked: Asked;
  readonly ports: OnboardingPorts;
  readonly tell: Tell;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Other steps, for tests. */
  readonly steps?: readonly Step<OnboardingContext>[];
};

/** How it ended, where nothing was thrown. */
export type OnboardingEnd =
  | { readonly kind: 'finished'; readonly headline: Headline }
  | {
      readonly kind: 'interrupted';
      readonly step: string;
      readonly undone: boolean;
      readonly transcript: string | undefined;
    };

/** Runs it. Throws what stops it, INSTANCE_NOT_READY where it is registered by then; the transcript has it too. */
export async function onboard(onboarding: Onboarding): Promise<OnboardingEnd> {
  const { ports, signal, steps = onboardingSteps } = onboarding;
  const { clock } = ports.environment;
  const transcript = openTranscript(clock);
  const journal = new OpenJournal(ports.environment);
  const found: Found = {};
  const base = contextBase(onboarding, { found, journal, transcript });
  const tell: Tell = (event) => {
    transcript.event(event);
    onboarding.tell(event);
  };
  tell({ event: 'started', operation: 'onboard', steps: steps.map(({ id, title }) => ({ id, title })) });
  const contextFor = (_: unknown, say: (text: string) => void): OnboardingContext => ({ ...base, signal, say });
  try {
    const end = await runSteps({ steps, contextFor, notes: journal, tell, clock, signal });
    return endOf({ ...base, signal, say: () => undefined }, end);
  } catch (thrown) {
    const error = registeredBy(journal, thrown);
    transcript.write(`stopped: ${error instanceof Error ? error.message : String(error)}`);
    tell({ event: 'failed', transcript: transcript.file ?? null });
    throw error;
  }
}

/** What cannot be reached once the instance is registered, is something that was not ready. */
function registeredBy({ facts }: OpenJournal, error: unknown): unknown {
  if (!facts?.registered || !(error instanceof VpError)) return error;
  const { exit, visibility } = error.row;
  if (exit !== exitCode.broken || visibility === 'private') return error;
  const values = { instance: facts.instance_id, reason: error.message, cure: error.cure };
  return vpError('INSTANCE_NOT_READY', values, { cause: error });
}

type Opened = { readonly found: Found; readonly journal: OpenJournal; readonly transcript: Transcript };

function contextBase({ asked, ports, tell }: Onboarding, opened: Opened): Omit<OnboardingContext, 'signal' | 'say'> {
  const { transcript } = opened;
  const told: OnboardingPorts = {
    ...ports,
    warn(text, cure) {
      transcript.event({ event: 'warning', text, cure });
      tell({ event: 'warning', text, cure });
    },
    onOpen(url, userCode) {
      const event = { event: 'open', url, ...(userCode === undefined ? {} : { user_code: userCode }) } as const;
      transcript.event(event);
      tell(event);
      ports.onOpen(url, userCode);
    },
  };
  return { asked, ports: told, ...opened };
}

function endOf(context: OnboardingContext, end: StepsEnd): OnboardingEnd {
  const { transcript } = context;
  if (end.kind === 'interrupted') {
    transcript.write(`interrupted in ${end.step}`);
    return { kind: 'interrupted', step: end.step, undone: end.undone, transcript: transcript.file };
  }
  const headline = headlineOf(context, end);
  transcript.write(`${headline.outcome} ${JSON.stringify(headline)}`);
  return { kind: 'finished', headline };
}
