import type { ExecutorContext } from '../executor-context.ts';
import { retryPauseMs } from '../outbox/retry-store-write.ts';
import type { DirectRuns } from '../runs/direct-runs.ts';
import type { ActiveLease } from './active-lease.ts';

/**
 * `started`: committed, the run may be sent. `known`: it was started before. `cancelled`: nothing was started, and
 * nothing should be. `unfit`: the lease ended, or the executor is stopping.
 */
export type SlotOutcome = 'started' | 'known' | 'cancelled' | 'unfit';

/**
 * Takes the slot for a leased run, waiting while a direct run has it or the store cannot be written, as long as the
 * lease lasts. `acknowledged`, the previous run, leaves the outbox in the same commit.
 */
export async function takeSlot(
  { outbox, clock, stopping, log }: ExecutorContext,
  activeLease: ActiveLease,
  directRuns: DirectRuns,
  acknowledged: string | undefined,
): Promise<SlotOutcome> {
  const { run_id: runId, fence } = activeLease.lease;
  while (activeLease.isValid && !stopping.aborted) {
    if (activeLease.cancelSignal.aborted) return 'cancelled';
    if (directRuns.isBusy) {
      await Promise.race([directRuns.whenIdle(), waitForAbort(activeLease.cancelSignal)]);
      continue;
    }
    try {
      const { outcome } = await outbox.start({ runId, fence, startedAtMs: clock.nowMs() }, acknowledged);
      if (outcome !== 'busy') return outcome;
    } catch (error) {
      log.warn({ run: runId, problem: String(error) }, 'the start of a run cannot be stored; the run waits');
    }
    if (!directRuns.isBusy) await clock.sleep(retryPauseMs, stopping).catch(() => {});
  }
  return 'unfit';
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
