import type { RunStartOutcome } from '../../store/outbox/slot.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import type { ExecutorContext } from '../executor-context.ts';
import { retryPauseMs, retryStoreWrite } from '../outbox/retry-store-write.ts';
import type { DirectRuns } from '../runs/direct-runs.ts';
import type { ActiveLease } from './active-lease.ts';

/**
 * `started`: committed and announced, the run may be sent. `known`: it was started before. `cancelled`: nothing was started, and
 * nothing should be. `unfit`: the lease ended, or the executor is stopping.
 */
export type SlotOutcome = 'started' | 'known' | 'cancelled' | 'unfit';

type StartOutcome = RunStartOutcome['outcome'];

/**
 * Takes the slot for a leased run, waiting while a direct run has it, the store cannot be written, or the control plane does not
 * acknowledge the announcement, as long as the lease lasts. `acknowledged`, the previous run, leaves the outbox in the same
 * commit. The announcement is sent while the store commits, so that it takes no time of its own.
 */
export async function takeSlot(
  context: ExecutorContext,
  activeLease: ActiveLease,
  directRuns: DirectRuns,
  acknowledged: string | undefined,
): Promise<SlotOutcome> {
  const { outbox, clock, stopping } = context;
  const { cancelSignal } = activeLease;
  const runId = activeLease.lease.run_id;
  let isCommitted = false;
  while (activeLease.isValid && !stopping.aborted && !cancelSignal.aborted) {
    if (directRuns.isBusy && !isCommitted) {
      await Promise.race([directRuns.whenIdle(), waitForAbort(cancelSignal)]);
      continue;
    }
    const announcement = activeLease.announceSend(stopping);
    if (!activeLease.isAnnounced) await requestsWritten();
    const commit: Promise<StartOutcome> = isCommitted
      ? Promise.resolve('started')
      : commitStart(context, activeLease, acknowledged);
    const [outcome, isAnnounced]: [StartOutcome, boolean] = await Promise.all([commit, announcement]);
    if (outcome === 'known') return outcome;
    isCommitted = outcome === 'started';
    if (isCommitted && isAnnounced) return 'started';
    if (activeLease.isValid && !directRuns.isBusy) await pauseUntilAborted(clock, retryPauseMs, stopping);
  }
  if (isCommitted) await retryStoreWrite(context, () => outbox.withdraw(runId));
  return cancelSignal.aborted && activeLease.isValid && !stopping.aborted ? 'cancelled' : 'unfit';
}

/**
 * Resolves when requests that were made just now are on their way: the HTTP client writes to an idle connection in a task of its own.
 * The commit blocks this thread for as long as the disk takes, and a request behind it would wait for that.
 */
export function requestsWritten(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function commitStart(
  { outbox, clock, log }: ExecutorContext,
  { lease: { run_id: runId, fence } }: ActiveLease,
  acknowledged: string | undefined,
): Promise<StartOutcome> {
  try {
    return (await outbox.start({ runId, fence, startedAtMs: clock.nowMs() }, acknowledged)).outcome;
  } catch (error) {
    log.warn({ run: runId, problem: String(error) }, 'the start of a run cannot be stored; the run waits');
    return 'busy';
  }
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
