import type { VpError } from '../errors/vp-error.ts';
import { runIdOf } from '../run/run-id.ts';
import { findInstance, touchInstance } from '../store/control/instances.ts';
import { allLeases } from '../store/control/leases.ts';
import { findRun } from '../store/control/runs.ts';
import type { ControlContext } from './context.ts';
import { type LeaseWatch, watchLeases } from './lease-watch.ts';
import { endAsLost } from './lost.ts';
import { type Presences, presences } from './presence.ts';
import { type Totals, zeroTotals } from './totals.ts';
import { createWakes, type Wakes } from './wakes.ts';

/** What the parts of a control plane share in memory. Everything here can be made again from the store. */
export type ControlParts = {
  readonly context: ControlContext;
  readonly presences: Presences;
  readonly watch: LeaseWatch;
  /** By instance: a run was queued. */
  readonly queueWakes: Wakes;
  /** By run id: the run ended. */
  readonly endWakes: Wakes;
  readonly totals: Totals;
};

/** Ends a run whose executor vanished; the queue goes on. */
async function expireLease(parts: ControlParts, runMs: number, fence: number): Promise<void> {
  const { store, clock } = parts.context;
  const instance = await store.database.write((sql) => {
    const loss = { nowMs: clock.nowMs(), reason: 'lease ended' } as const;
    return endAsLost(sql, store.counters, runMs, fence, loss) ? findRun(sql, runMs)?.instance_id : undefined;
  });
  if (instance === undefined) return;
  parts.totals.ended('failed');
  parts.totals.executorLost();
  parts.endWakes.wake(runIdOf(runMs));
  parts.queueWakes.wake(instance);
}

/** Builds the shared parts and takes up the leases that the store knows, each with its full length. */
export async function createParts(
  context: ControlContext,
  onFault: (fault: VpError | unknown) => void,
): Promise<ControlParts> {
  const { store, clock, settings } = context;
  const touch = (instance: string, seenAtMs: number): Promise<void> =>
    store.database.write((sql) => {
      if (findInstance(sql, instance)) touchInstance(sql, store.counters, instance, seenAtMs);
    });
  const parts: ControlParts = {
    context,
    presences: presences({
      clock,
      awayAfterMs: settings.awayAfterMs,
      changed: (instance, seenAtMs) => void touch(instance, seenAtMs).catch(onFault),
    }),
    watch: watchLeases(clock, settings.leaseMs, (runMs, fence) => void expireLease(parts, runMs, fence).catch(onFault)),
    queueWakes: createWakes(clock.after),
    endWakes: createWakes(clock.after),
    totals: zeroTotals(),
  };
  for (const lease of await store.database.read(allLeases)) parts.watch.arm(lease.id, lease.fence);
  return parts;
}
