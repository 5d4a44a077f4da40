import type { RunDocument } from '../contract/api.ts';
import type { VpError } from '../errors/vp-error.ts';
import { formatRunId } from '../run/run-id.ts';
import type { RunState } from '../run/state.ts';
import { findInstance, touchInstance } from '../store/control/instances/instances.ts';
import { listLeases, returnToQueue } from '../store/control/runs/leases.ts';
import { findRun } from '../store/control/runs/runs.ts';
import type { ControlContext } from './context.ts';
import { createKeyChanges, type KeyChanges } from './credentials.ts';
import { createEmptyQueues, type EmptyQueues } from './leases/empty-queues.ts';
import { createExecutorSessions, type ExecutorSessions } from './leases/executor-sessions.ts';
import { type LeaseWatch, type WatchedLeases, watchLeases } from './leases/lease-watch.ts';
import { createPresenceTracker, type PresenceTracker } from './leases/presence.ts';
import { createWaitingPolls, type WaitingPolls } from './leases/waiting-polls.ts';
import { createWakeups, type Wakeups } from './leases/wakeups.ts';
import { failLostRun } from './runs/lost-run.ts';
import { createRequestedRuns, type RequestedRuns } from './runs/requested-runs.ts';
import { createRunTotals, type RunTotalsRecorder } from './totals.ts';

export type ReadEndedRun = () => Promise<RunDocument>;

/** State that the parts of a control plane share in memory. All of it can be rebuilt from the store. */
export type ControlRuntime = {
  readonly context: ControlContext;
  readonly sessions: ExecutorSessions;
  readonly presence: PresenceTracker;
  readonly watch: LeaseWatch;
  /** By instance: a run was queued. */
  readonly queueWakeups: Wakeups;
  readonly emptyQueues: EmptyQueues;
  /** By instance: its newest poll that waits. */
  readonly waitingPolls: WaitingPolls;
  /** By run id: the run ended. The news is how its document is read, where that was read with the end. */
  readonly endWakeups: Wakeups<ReadEndedRun>;
  readonly requestedRuns: RequestedRuns;
  readonly totals: RunTotalsRecorder;
  /** Keys of executors were replaced or ended. */
  readonly keyChanges: KeyChanges;
};

/** What services need that only read. */
export type ReaderRuntime = {
  readonly context: {
    readonly store: Pick<ControlContext['store'], 'database'>;
    readonly clock: Pick<ControlContext['clock'], 'nowMs'>;
  };
};

/** After the commit in which a run ended, or returned to its queue: counts an end, and wakes who waits for it. */
export function announceEnd(
  { totals, endWakeups, requestedRuns }: ControlRuntime,
  runMs: number,
  state: RunState,
  readEnded?: ReadEndedRun,
): void {
  totals.recordEnd(state);
  requestedRuns.remove(runMs);
  endWakeups.wake(formatRunId(runMs), readEnded);
}

/** Ends a run whose executor vanished, so that the queue continues; one that was never sent returns to the queue. */
async function expireLease(runtime: ControlRuntime, runMs: number, fence: number): Promise<void> {
  const { store, clock } = runtime.context;
  const expired = await store.database.write((sql) => {
    const instance = findRun(sql, runMs)?.instance_id;
    if (instance === undefined) return undefined;
    const nowMs = clock.nowMs();
    if (runtime.sessions.isUnsent(instance, fence))
      return { instance, state: returnToQueue(sql, store.counters, runMs, fence, nowMs) };
    const loss = { nowMs, reason: 'lease ended' } as const;
    return { instance, state: failLostRun(sql, store.counters, runMs, fence, loss) ? ('failed' as const) : undefined };
  });
  if (!expired?.state) return;
  if (expired.state === 'failed') runtime.totals.recordLostExecutor();
  announceEnd(runtime, runMs, expired.state);
  runtime.queueWakeups.wake(expired.instance);
}

/** Also watches the leases in the store, each with its full length. */
export async function createControlRuntime(
  context: ControlContext,
  onError: (error: VpError | unknown) => void,
): Promise<ControlRuntime> {
  const { store, clock, settings } = context;
  const touchStoredInstance = (instance: string, lastSeenAtMs: number): Promise<void> =>
    store.database.write((sql) => {
      if (findInstance(sql, instance)) touchInstance(sql, store.counters, instance, lastSeenAtMs);
    });
  const leases: WatchedLeases = {
    list: () => store.database.read(listLeases),
    expire: (runMs, fence) => expireLease(runtime, runMs, fence),
  };
  const emptyQueues = createEmptyQueues();
  const runtime: ControlRuntime = {
    context,
    sessions: createExecutorSessions(context.random),
    presence: createPresenceTracker({
      clock,
      awayAfterMs: settings.awayAfterMs,
      storeChange: touchStoredInstance,
      onError,
    }),
    watch: watchLeases(clock, settings.leaseMs, leases, onError),
    emptyQueues,
    queueWakeups: createWakeups(clock, emptyQueues.forget),
    waitingPolls: createWaitingPolls(),
    endWakeups: createWakeups(clock),
    requestedRuns: createRequestedRuns(),
    totals: createRunTotals(),
    keyChanges: createKeyChanges(),
  };
  await runtime.watch.armStored();
  return runtime;
}
