import type { DirectRuns } from './direct-runs.ts';
import type { Hold } from './hold.ts';
import type { ExecutorParts } from './session.ts';
import { troublePauseMs } from './store-insistence.ts';

/**
 * `started`: committed, the run may be sent. `known`: it was started before. `cancelled`: nothing was started, and nothing
 * should be. `unfit`: the lease ended, or the executor is stopping.
 */
export type SlotOutcome = 'started' | 'known' | 'cancelled' | 'unfit';

/**
 * Takes the slot for a leased run, waiting for it while a direct run has it or the store cannot be written, as long as the
 * lease lasts. `acknowledged`, the run before, leaves the outbox in the same commit.
 */
export async function takeSlot(
  { outbox, clock, stopping, log }: ExecutorParts,
  hold: Hold,
  direct: DirectRuns,
  acknowledged: string | undefined,
): Promise<SlotOutcome> {
  const { run_id: runId, fence } = hold.lease;
  while (hold.valid && !stopping.aborted) {
    if (hold.cancelled.aborted) return 'cancelled';
    if (direct.busy) {
      await Promise.race([direct.idle(), abortOf(hold.cancelled)]);
      continue;
    }
    try {
      const { outcome } = await outbox.start({ runId, fence, startedAtMs: clock.nowMs() }, acknowledged);
      if (outcome !== 'busy') return outcome;
    } catch (error) {
      log.warn({ run: runId, problem: String(error) }, 'the start of a run cannot be noted, so it waits');
    }
    if (!direct.busy) await clock.sleep(troublePauseMs, stopping).catch(() => {});
  }
  return 'unfit';
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
