import type { Run } from '../../contract/api.ts';

/** How a run looks: what became of it in one word, which has one colour and one shape. */
export type Look = 'passed' | 'failed' | 'broken' | 'running' | 'queued' | 'cancelled';

/** The words that people read. */
export const lookWords: Readonly<Record<Look, string>> = {
  passed: 'passed',
  failed: 'failed',
  broken: 'could not be judged',
  running: 'running',
  queued: 'queued',
  cancelled: 'cancelled',
};

/** Kinds of failure that say something about the target's answer; the others say that there was none to judge. */
export const judgedKinds: ReadonlySet<string> = new Set(['status_mismatch', 'body_mismatch', 'evidence_mismatch']);

/** What is needed to tell it. */
export type Seen = Pick<Run, 'state' | 'failure_kind'>;

/** The look of a run. */
export function lookOf({ state, failure_kind: kind }: Seen): Look {
  if (state === 'in_progress') return 'running';
  if (state === 'failed' && kind !== null && !judgedKinds.has(kind)) return 'broken';
  return state;
}
