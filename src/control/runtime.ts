import type { VpError } from '../errors/vp-error.ts';
import { formatRunId } from '../run/run-id.ts';
import { findInstance, touchInstance } from '../store/control/instances/instances.ts';
import { listLeases } from '../store/control/runs/leases.ts';
import { findRun } from '../store/control/runs/runs.ts';
import type { ControlContext } from './context.ts';
import { type LeaseWatch, watchLeases } from './leases/lease-watch.ts';
import { createPresenceTracker, type PresenceTracker } from './leases/presence.ts';
import { createWakeups, type Wakeups } from './leases/wakeups.ts';
import { failLostRun } from './runs/lost-run.ts';
import { createRunTotals, type RunTotalsRecorder } from './totals.ts';

/** State that the parts of a control plane share in memory. All of it can be rebuilt from the store. */
export type ControlRuntime = {
  readonly context: ControlContext;
  readonly presence: PresenceTracker;
  readonly watch: LeaseWatch;
  /** By instance: a run was queued. */
  readonly queueWakeups: Wakeups;
  /** By run id: the run ended. */
  readonly endWakeups: Wakeups;
  readonly totals: RunTotalsRecorder;
};

/** Ends a run whose executor vanished, so that the queue continues. */
async function expireLease(runtime: ControlRuntime, runMs: number, fence: number): Promise<void> {
  const { store, clock } = runtime.context;
  const instance = await store.database.write((sql) => {
    const loss = { nowMs: clock.nowMs(), reason: 'lease ended' } as const;
    return failLostRun(sql, store.counters, runMs, fence, loss) ? findRun(sql, runMs)?.instance_id : undefined;
  });
  if (instance === undefined) return;
  runtime.totals.recordEnd('failed');
  runtime.totals.recordLostExecutor();
  runtime.endWakeups.wake(formatRunId(runMs));
  runtime.queueWakeups.wake(instance);
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
    presence: createPresenceTracker({
      clock,
      awayAfterMs: settings.awayAfterMs,
      onChange: (instance, lastSeenAtMs) => void touchStoredInstance(instance, lastSeenAtMs).catch(onError),
    }),
    watch: watchLeases(
      clock,
      settings.leaseMs,
      (runMs, fence) => void expireLease(runtime, runMs, fence).catch(onError),
    ),
    queueWakeups: createWakeups(clock.after),
    endWakeups: createWakeups(clock.after),
    totals: createRunTotals(),
  };
  for (const lease of await store.database.read(listLeases)) runtime.watch.arm(lease.id, lease.fence);
  return runtime;
}
