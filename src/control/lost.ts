/** How a run ends whose executor vanished with it: failed, `executor_lost`. */
import { wordsOf } from '../errors/vp-error.ts';
import type { Ending } from '../store/control/completion.ts';
import type { RunRow } from '../store/control/runs.ts';

/** Why the executor counts as lost: its lease ran out, it started anew in the middle, or its own store is another one. */
export type LossReason = 'lease ended' | 'executor restarted' | 'executor store replaced' | 'control plane restored';

/** The columns of a lost run. */
export function lostEnding(row: RunRow, nowMs: number, reason: LossReason = 'lease ended'): Ending {
  const words = wordsOf('RUN_EXECUTOR_LOST', { instance: row.instance_id, reason });
  return {
    state: 'failed',
    startedAtMs: row.started_at_ms,
    finishedAtMs: nowMs,
    failureKind: 'executor_lost',
    failureMessage: words.message,
    failureSummary: words.cure,
    observedStatus: null,
    assertionsEnforcedCount: null,
    durationMs: null,
  };
}
