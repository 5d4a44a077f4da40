/** The lease protocol as steps inside one transaction; see contract/executor-api.ts for the words. */
import { vpError } from '../errors/vp-error.ts';
import { epochMsOfRunId } from '../run/run-id.ts';
import type { Counters } from '../store/control/counters.ts';
import type { InstanceRow } from '../store/control/instances.ts';
import {
  adoptLease,
  currentLease,
  epochOf,
  type LeaseRow,
  leaseOldest,
  returnToQueue,
} from '../store/control/leases.ts';
import type { Sql } from '../store/sql.ts';
import { endAsLost, type LossReason } from './lost.ts';

/** Throws EXECUTOR_SUPERSEDED unless `epoch` is the instance's newest, INSTANCE_UNKNOWN when it is gone. */
export function requireEpoch(sql: Sql, instance: string, epoch: number): void {
  const current = epochOf(sql, instance);
  if (current === undefined) throw vpError('INSTANCE_UNKNOWN', { instance, known: '' });
  if (epoch !== current) throw vpError('EXECUTOR_SUPERSEDED', { instance, epoch, current });
}

/** The lease this epoch already has (its answer was lost), else a new one on the oldest queued run. */
export function offerLease(
  sql: Sql,
  counters: Counters,
  instance: string,
  epoch: number,
  nowMs: number,
): LeaseRow | undefined {
  const current = currentLease(sql, instance);
  if (current) return current.epoch === epoch ? current : undefined;
  return leaseOldest(sql, counters, instance, epoch, nowMs);
}

/** What the executor's own store says at its start. */
export type Journal = {
  readonly storeId: string;
  readonly started: ReadonlySet<number>;
  readonly finished: ReadonlySet<number>;
};

/** Run ids of a greeting as moments; anything that is no run id is dropped. */
export function momentsOf(runIds: readonly string[]): Set<number> {
  return new Set(runIds.map(epochMsOfRunId).filter((moment) => moment !== undefined));
}

/** What becomes of the run that the instance's last start left in progress. */
export type Inherited =
  | { readonly fate: 'none' }
  | { readonly fate: 'kept' | 'requeued' | 'lost'; readonly runMs: number; readonly fence: number };

function lossReason(instance: InstanceRow, journal: Journal, runMs: number): LossReason | undefined {
  if (journal.started.has(runMs)) return 'executor restarted';
  if (instance.executor_store_id !== journal.storeId) return 'executor store replaced';
  return undefined;
}

/**
 * Settles the run in progress when its executor starts anew: a report on its way keeps it; a run that had started is
 * lost, because sending it again could do its work twice; one that had not goes back to its place in the queue. Without
 * the journal that leased it nothing is known, so it counts as started.
 */
export function inheritRun(
  sql: Sql,
  counters: Counters,
  instance: InstanceRow,
  journal: Journal,
  epoch: number,
  nowMs: number,
): Inherited {
  const current = currentLease(sql, instance.id);
  if (!current) return { fate: 'none' };
  const held = { runMs: current.id, fence: current.fence };
  if (journal.finished.has(current.id)) {
    adoptLease(sql, current.id, epoch);
    return { fate: 'kept', ...held };
  }
  const reason = lossReason(instance, journal, current.id);
  if (reason) {
    endAsLost(sql, counters, current.id, current.fence, { nowMs, reason });
    return { fate: 'lost', ...held };
  }
  returnToQueue(sql, counters, current.id, current.fence, nowMs);
  return { fate: 'requeued', ...held };
}
