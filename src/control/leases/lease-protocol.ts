/** Steps of the lease protocol within one transaction; contract/executor-api.ts defines its terms. */
import { vpError } from '../../errors/vp-error.ts';
import { parseRunId } from '../../run/run-id.ts';
import type { Counters } from '../../store/control/counters.ts';
import type { InstanceRow } from '../../store/control/instances/instances.ts';
import {
  findCurrentLease,
  findEpoch,
  type LeaseRow,
  leaseOldestRun,
  moveLeaseToEpoch,
  returnToQueue,
} from '../../store/control/runs/leases.ts';
import type { Sql } from '../../store/sql.ts';
import { failLostRun, type LossReason } from '../runs/lost-run.ts';

/** Throws EXECUTOR_SUPERSEDED unless `epoch` is the instance's newest, INSTANCE_UNKNOWN when it is not registered. */
export function assertEpoch(sql: Sql, instance: string, epoch: number): void {
  const current = findEpoch(sql, instance);
  if (current === undefined) throw vpError('INSTANCE_UNKNOWN', { instance, known: '' });
  if (epoch !== current) throw vpError('EXECUTOR_SUPERSEDED', { instance, epoch, current });
}

/** Returns the lease that this epoch already has (its response was lost), otherwise a new one on the oldest queued run. */
export function offerLease(
  sql: Sql,
  counters: Counters,
  instance: string,
  epoch: number,
  nowMs: number,
): LeaseRow | undefined {
  const current = findCurrentLease(sql, instance);
  if (current) return current.epoch === epoch ? current : undefined;
  return leaseOldestRun(sql, counters, instance, epoch, nowMs);
}

/** The state of the executor's own store at its start. */
export type ExecutorJournal = {
  readonly storeId: string;
  readonly started: ReadonlySet<number>;
  readonly finished: ReadonlySet<number>;
};

/** Invalid run ids are ignored. */
export function parseRunIds(runIds: readonly string[]): Set<number> {
  return new Set(runIds.map(parseRunId).filter((moment) => moment !== undefined));
}

/** The fate of the run that the executor's last start left in progress. */
export type InheritedRun =
  | { readonly fate: 'none' }
  | { readonly fate: 'kept' | 'requeued' | 'lost'; readonly runMs: number; readonly fence: number };

function findLossReason(instance: InstanceRow, journal: ExecutorJournal, runMs: number): LossReason | undefined {
  if (journal.started.has(runMs)) return 'executor restarted';
  if (instance.executor_store_id !== journal.storeId) return 'executor store replaced';
  return undefined;
}

/**
 * Settles the run in progress when its executor restarts. It stays leased when its report is on the way; it is lost when it
 * had started, because sending it again could do its work twice; otherwise it returns to its position in the queue. When the
 * journal was replaced, nothing is known, so the run counts as started.
 */
export function inheritRun(
  sql: Sql,
  counters: Counters,
  instance: InstanceRow,
  journal: ExecutorJournal,
  epoch: number,
  nowMs: number,
): InheritedRun {
  const current = findCurrentLease(sql, instance.id);
  if (!current) return { fate: 'none' };
  const lease = { runMs: current.id, fence: current.fence };
  if (journal.finished.has(current.id)) {
    moveLeaseToEpoch(sql, current.id, epoch);
    return { fate: 'kept', ...lease };
  }
  const reason = findLossReason(instance, journal, current.id);
  if (reason) {
    failLostRun(sql, counters, current.id, current.fence, { nowMs, reason });
    return { fate: 'lost', ...lease };
  }
  returnToQueue(sql, counters, current.id, current.fence, nowMs);
  return { fate: 'requeued', ...lease };
}
