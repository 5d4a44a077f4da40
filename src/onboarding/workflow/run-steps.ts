/** Runs steps in order: checks, acts where there is something to do, records what is finished, and handles interruption. */
import type { Clock } from '../../environment/clock.ts';
import type { OnboardingEventHandler, OnboardingStepOutcome } from './event.ts';
import type { Shortfall, StepAction, WorkflowStep } from './step.ts';

/** What every step gets. `report` says what it is doing now. */
export type StepContext = {
  readonly signal: AbortSignal;
  report(text: string): void;
};

/** Records the current step and the finished ones for the next run. */
export type StepRecorder = {
  start(step: string): Promise<void>;
  finish(step: string, detail: string): Promise<void>;
  /** Forgets the current step: it was undone. */
  discard(step: string): Promise<void>;
};

export type StepRunOptions<C> = {
  readonly steps: readonly WorkflowStep<C>[];
  contextFor(step: WorkflowStep<C>, report: (text: string) => void): C & StepContext;
  readonly recorder: StepRecorder;
  readonly onEvent: OnboardingEventHandler;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly signal: AbortSignal;
};

/** `acted` counts the steps that changed something. */
export type StepsResult = { readonly acted: number; readonly shortfalls: readonly Shortfall[] } & (
  | { readonly kind: 'finished' }
  | { readonly kind: 'interrupted'; readonly step: string; readonly undone: boolean }
);

type StepResult = {
  readonly outcome: OnboardingStepOutcome;
  readonly detail: string;
  readonly shortfall?: Shortfall | undefined;
};

/** Throws what a step throws, except after an interruption. */
export async function runWorkflowSteps<C>(options: StepRunOptions<C>): Promise<StepsResult> {
  const { steps, signal } = options;
  const shortfalls: Shortfall[] = [];
  let acted = 0;
  for (const step of steps) {
    if (signal.aborted) return { kind: 'interrupted', acted, shortfalls, step: step.id, undone: true };
    const { outcome, shortfall } = await runTimed(options, step);
    if (shortfall) shortfalls.push(shortfall);
    if (outcome === 'done' || outcome === 'short') acted += 1;
    if (outcome === 'undone' || outcome === 'stopped') {
      return { kind: 'interrupted', acted, shortfalls, step: step.id, undone: outcome === 'undone' };
    }
  }
  return { kind: 'finished', acted, shortfalls };
}

/** Runs one step and emits its result and duration. */
async function runTimed<C>(options: StepRunOptions<C>, step: WorkflowStep<C>): Promise<StepResult> {
  const { onEvent, clock } = options;
  const startMs = clock.monotonicMs();
  const emitEnd = ({ outcome, detail }: StepResult): void =>
    onEvent({
      event: 'step_ended',
      step: step.id,
      outcome,
      detail,
      duration_ms: Math.round(clock.monotonicMs() - startMs),
    });
  onEvent({ event: 'step_started', step: step.id });
  try {
    const result = await runStep(options, step);
    emitEnd(result);
    return result;
  } catch (error) {
    emitEnd({ outcome: 'failed', detail: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

async function runStep<C>(options: StepRunOptions<C>, step: WorkflowStep<C>): Promise<StepResult> {
  const { recorder, onEvent, signal } = options;
  const context = options.contextFor(step, (text) => onEvent({ event: 'step_detail', step: step.id, text }));
  const skipReason = step.skip?.(context);
  if (skipReason !== undefined) return { outcome: 'skipped', detail: skipReason };
  let hasStarted = false;
  try {
    const finding = await step.check(context);
    if (finding.state === 'done' || !step.act) {
      await recorder.finish(step.id, finding.detail);
      return { outcome: 'kept', detail: finding.detail };
    }
    await recorder.start(step.id);
    hasStarted = true;
    return await toActResult(await step.act(context), step, recorder);
  } catch (error) {
    if (!signal.aborted) throw error;
    return handleInterruption(options, step, context, hasStarted);
  }
}

async function toActResult<C>(
  { detail, shortfall }: StepAction,
  step: WorkflowStep<C>,
  recorder: StepRecorder,
): Promise<StepResult> {
  if (shortfall) {
    // Not recorded as finished, so that the next run checks it again.
    await recorder.discard(step.id);
    return { outcome: 'short', detail: shortfall.reason, shortfall };
  }
  await recorder.finish(step.id, detail);
  return { outcome: 'done', detail };
}

/** Undoes a started step. If that fails, it stays recorded as started and the next run continues from it. */
async function handleInterruption<C>(
  { recorder }: StepRunOptions<C>,
  step: WorkflowStep<C>,
  context: C & StepContext,
  hasStarted: boolean,
): Promise<StepResult> {
  if (!hasStarted) return { outcome: 'undone', detail: 'nothing was started' };
  if (!step.undo) return { outcome: 'stopped', detail: 'the next run continues from here' };
  try {
    await step.undo(context);
    await recorder.discard(step.id);
    return { outcome: 'undone', detail: 'undone' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: 'stopped', detail: `not undone (${reason}); the next run continues from here` };
  }
}
