import type { RunState } from '../run/state.ts';
import type { ControlGauges } from './control.ts';

/** Counts since the process started. */
export type Totals = {
  requested(count: number): void;
  ended(state: RunState): void;
  executorLost(): void;
  read(): ReturnType<ControlGauges['totals']>;
};

/** All zero. */
export function zeroTotals(): Totals {
  const counts = { requested: 0, passed: 0, failed: 0, cancelled: 0, executorsLost: 0 };
  return {
    requested(count) {
      counts.requested += count;
    },
    ended(state) {
      if (state === 'passed' || state === 'failed' || state === 'cancelled') counts[state] += 1;
    },
    executorLost() {
      counts.executorsLost += 1;
    },
    read: () => ({ ...counts }),
  };
}
