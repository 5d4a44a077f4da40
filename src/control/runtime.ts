import type { VpError } from '../errors/vp-error.ts';
import { formatRunId } from '../run/run-id.ts';
import { findInstance, touchInstance } from '../store/control/instances/instances.ts';
import { listLeases, returnToQueue } from '../store/control/runs/leases.ts';
import { findRun } from '../store/control/runs/runs.ts';
import type { ControlContext } from './context.ts';
import { createKeyChanges, type KeyChanges } from './credentials.ts';
import { createExecutorSessions, type ExecutorSessions } from './leases/executor-sessions.ts';
import { type LeaseWatch, watchLeases } from './leases/lease-watch.ts';
import { createPresenceTracker, type PresenceTracker } from './leases/presence.ts';
import { createWaitingPolls, type WaitingPolls } from './leases/waiting-polls.ts';
import { createWakeups, type Wakeups } from './leases/wakeups.ts';
import { failLostRun } from './runs/lost-run.ts';
import { createRunTotals, type RunTotalsRecorder } from './totals.ts';

/** State that the parts of a control plane share in memory. All of it can be rebuilt from the store. */
export type ControlRuntime = {
  readonly context: ControlContext;
  readonly sessions: ExecutorSessions;
  readonly presence: PresenceTracker;
  readonly watch: LeaseWatch;
  /** By instance: a run was queued. */
  readonly queueWakeups: Wakeups;
  /** By instance: its newest poll that waits. */
  readonly waitingPolls: WaitingPolls;
  /** By run id: the run ended. */
  readonly endWakeups: Wakeups;
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

/** Ends a run whose executor vanished, so that the queue continues; one that was never sent returns to the queue. */
async function expireLease(runtime: ControlRuntime, runMs: number, fence: number): Promise<void> {
  const { store, clock } = runtime.context;
  const expired = await store.database.write((sql) => {
    const instance = findRun(sql, runMs)?.instance_id;
    if (instance === undefined) return undefined;
    const nowMs = clock.nowMs();
    if (runtime.sessions.isUnsent(instance, fence))
      return returnToQueue(sql, store.counters, runMs, fence, nowMs) ? { instance, isLost: false } : undefined;
    const loss = { nowMs, reason: 'lease ended' } as const;
    return failLostRun(sql, store.counters, runMs, fence, loss) ? { instance, isLost: true } : undefined;
  });
  if (!expired) return;
  if (expired.isLost) {
    runtime.totals.recordEnd('failed');
    runtime.totals.recordLostExecutor();
  }
  runtime.endWakeups.wake(formatRunId(runMs));
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
  const runtime: ControlRuntime = {
    context,
    sessions: createExecutorSessions(context.random),
    presence: createPresenceTracker({
      clock,
      awayAfterMs: settings.awayAfterMs,
      storeChange: touchStoredInstance,
      onError,
    }),
    watch: watchLeases(clock, settings.leaseMs, (runMs, fence) => expireLease(runtime, runMs, fence), onError),
    queueWakeups: createWakeups(clock),
    waitingPolls: createWaitingPolls(),
    endWakeups: createWakeups(clock),
    totals: createRunTotals(),
    keyChanges: createKeyChanges(),
  };
  for (const lease of await store.database.read(listLeases)) runtime.watch.arm(lease.id, lease.fence);
  return runtime;
}
