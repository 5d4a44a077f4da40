/** Runs steps in their order: looks, acts where something is to do, notes what is finished, and answers an interruption. */
import type { Clock } from '../../environment/clock.ts';
import type { StepOutcome, Tell } from './event.ts';
import type { Act, Shortfall, Step } from './step.ts';

/** What every step is given. `say` tells what it is doing right now. */
export type StepContext = {
  readonly signal: AbortSignal;
  say(text: string): void;
};

/** Where it is noted which step is in hand and which are finished, so that another run knows. */
export type StepNotes = {
  begin(step: string): Promise<void>;
  finish(step: string, detail: string): Promise<void>;
  /** The step in hand is neither: it was taken back. */
  drop(step: string): Promise<void>;
};

/** What running takes. */
export type Running<C> = {
  readonly steps: readonly Step<C>[];
  /** Makes the context of a step. */
  contextFor(step: Step<C>, say: (text: string) => void): C & StepContext;
  readonly notes: StepNotes;
  readonly tell: Tell;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly signal: AbortSignal;
};

/** How it ended, where nothing was thrown. `acted` counts the steps that did something. */
export type StepsEnd = { readonly acted: number; readonly shortfalls: readonly Shortfall[] } & (
  | { readonly kind: 'finished' }
  | { readonly kind: 'interrupted'; readonly step: string; readonly undone: boolean }
);

type Ended = { readonly outcome: StepOutcome; readonly detail: string; readonly shortfall?: Shortfall | undefined };

/** Runs them. Throws what a step throws, unless an interruption is why. */
export async function runSteps<C>(running: Running<C>): Promise<StepsEnd> {
  const { steps, signal } = running;
  const shortfalls: Shortfall[] = [];
  let acted = 0;
  for (const step of steps) {
    if (signal.aborted) return { kind: 'interrupted', acted, shortfalls, step: step.id, undone: true };
    const { outcome, shortfall } = await timed(running, step);
    if (shortfall) shortfalls.push(shortfall);
    if (outcome === 'done' || outcome === 'short') acted += 1;
    if (outcome === 'undone' || outcome === 'stopped') {
      return { kind: 'interrupted', acted, shortfalls, step: step.id, undone: outcome === 'undone' };
    }
  }
  return { kind: 'finished', acted, shortfalls };
}

/** Runs one and tells how it went and how long it took. */
async function timed<C>(running: Running<C>, step: Step<C>): Promise<Ended> {
  const { tell, clock } = running;
  const startMs = clock.monotonicMs();
  const told = ({ outcome, detail }: Ended): void =>
    tell({
      event: 'step_ended',
      step: step.id,
      outcome,
      detail,
      duration_ms: Math.round(clock.monotonicMs() - startMs),
    });
  tell({ event: 'step_started', step: step.id });
  try {
    const ended = await ran(running, step);
    told(ended);
    return ended;
  } catch (error) {
    told({ outcome: 'failed', detail: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

async function ran<C>(running: Running<C>, step: Step<C>): Promise<Ended> {
  const { notes, tell, signal } = running;
  const context = running.contextFor(step, (text) => tell({ event: 'step_detail', step: step.id, text }));
  const reason = step.skip?.(context);
  if (reason !== undefined) return { outcome: 'skipped', detail: reason };
  let hasBegun = false;
  try {
    const finding = await step.check(context);
    if (finding.state === 'done' || !step.act) {
      await notes.finish(step.id, finding.detail);
      return { outcome: 'kept', detail: finding.detail };
    }
    await notes.begin(step.id);
    hasBegun = true;
    return await finished(await step.act(context), step, notes);
  } catch (error) {
    if (!signal.aborted) throw error;
    return interrupted(running, step, context, hasBegun);
  }
}

async function finished<C>({ detail, shortfall }: Act, step: Step<C>, notes: StepNotes): Promise<Ended> {
  if (shortfall) {
    // It is looked at again at the next run: not noted as finished.
    await notes.drop(step.id);
    return { outcome: 'short', detail: shortfall.reason, shortfall };
  }
  await notes.finish(step.id, detail);
  return { outcome: 'done', detail };
}

/** What was begun is taken back; where that cannot be, the note of it stays and the next run goes on from it. */
async function interrupted<C>(
  { notes }: Running<C>,
  step: Step<C>,
  context: C & StepContext,
  hasBegun: boolean,
): Promise<Ended> {
  if (!hasBegun) return { outcome: 'undone', detail: 'nothing was begun' };
  if (!step.undo) return { outcome: 'stopped', detail: 'the next run goes on from here' };
  try {
    await step.undo(context);
    await notes.drop(step.id);
    return { outcome: 'undone', detail: 'taken back' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: 'stopped', detail: `not taken back (${reason}); the next run goes on from here` };
  }
}
