import type { StaleStore } from '../contract/executor-api.ts';
import type { RunState } from '../run/state.ts';
import type { ControlGauges } from './control.ts';

/** Counts since the process started. */
export type RunTotalsRecorder = {
  recordRequested(count: number): void;
  recordEnd(state: RunState): void;
  recordLostExecutor(): void;
  recordStaleStore(store: StaleStore): void;
  read(): ReturnType<ControlGauges['totals']>;
};

export function createRunTotals(): RunTotalsRecorder {
  const counts = { requested: 0, passed: 0, failed: 0, cancelled: 0, executorsLost: 0 };
  const staleStores: Record<StaleStore, number> = { executor: 0, 'control plane': 0 };
  return {
    recordRequested(count) {
      counts.requested += count;
    },
    recordEnd(state) {
      if (state === 'passed' || state === 'failed' || state === 'cancelled') counts[state] += 1;
    },
    recordLostExecutor() {
      counts.executorsLost += 1;
    },
    recordStaleStore(store) {
      staleStores[store] += 1;
    },
    read: () => ({ ...counts, staleStores: { ...staleStores } }),
  };
}
