/** Leases: an executor's hold on a run. The schema guarantees one per instance (runs_one_in_progress, postgres/run-triggers.ts). */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';
import { saveJournalPosition } from '../instances/executor-journals.ts';
import { isInProgress, isQueued, newestFence } from './lease-steps.ts';

const LeaseShape = Type.Object({
  id: Type.Integer(),
  correlation_id: Type.String(),
  scenario_id: Type.String(),
  revision: Type.Union([Type.Integer(), Type.Null()]),
  text: Type.String(),
  epoch: Type.Integer(),
  fence: Type.Integer(),
  requested_at_ms: Type.Integer(),
  leased_at_ms: Type.Integer(),
  cancel_requested: Type.Integer(),
  prove: Type.Integer(),
});
/** A leased run with its scenario text. */
export type LeaseRow = Static<typeof LeaseShape>;

const leaseReader = createRowReader(LeaseShape);
const numberReader = createRowReader(Type.Object({ number: Type.Integer() }));

const select = `SELECT r.id, r.correlation_id, r.scenario_id, v.revision, v.text, r.epoch, r.fence, r.requested_at_ms,
  r.leased_at_ms, r.cancel_requested, r.prove FROM runs r JOIN revisions v ON v.id = r.revision_id`;

/** `fence`: what the lease will have. */
const queuedReader = createRowReader(Type.Omit(LeaseShape, ['epoch', 'leased_at_ms']));
const firstReader = createRowReader(Type.Omit(LeaseShape, ['epoch', 'leased_at_ms', 'fence']));
const queuedColumns =
  'r.id, r.correlation_id, r.scenario_id, v.revision, v.text, r.requested_at_ms, r.cancel_requested, r.prove';
const whereOldest = `WHERE ${isQueued('r', '?')} ORDER BY r.id LIMIT 1`;
const selectOldest = `SELECT ${queuedColumns}, ${newestFence('i')} + 1 AS fence
  FROM runs r JOIN revisions v ON v.id = r.revision_id JOIN instances i ON i.id = r.instance_id ${whereOldest}`;
const selectFirst = `SELECT ${queuedColumns} FROM runs r JOIN revisions v ON v.id = r.revision_id ${whereOldest}`;

const selectCurrent = `${select} WHERE ${isInProgress('r', '?')}`;

export function findCurrentLease(sql: Sql, instance: string): LeaseRow | undefined {
  return leaseReader.first(sql, selectCurrent, instance);
}

/** All runs in progress. */
export function listLeases(sql: Sql): { id: number; fence: number }[] {
  const shape = createRowReader(Type.Object({ id: Type.Integer(), fence: Type.Integer() }));
  return shape.all(sql, "SELECT id, fence FROM runs WHERE state = 'in_progress'");
}

/** The run that is leased next, with the fence of that lease. */
export type QueuedLeaseRow = Omit<LeaseRow, 'epoch' | 'leased_at_ms'>;

export function findOldestQueuedRun(sql: Sql, instance: string): QueuedLeaseRow | undefined {
  return queuedReader.first(sql, selectOldest, instance, instance);
}

/** The same for a transaction that knows the newest fence of the instance. */
export function findFirstQueuedRun(sql: Sql, instance: string): Omit<QueuedLeaseRow, 'fence'> | undefined {
  return firstReader.first(sql, selectFirst, instance, instance);
}

/** Who takes a lease: the start of the executor, and the position of its journal when it sends one. */
export type LeaseTaker = { readonly epoch: number; readonly journalSeq: number | undefined };

/**
 * Leases the oldest queued run, which this transaction may have read as `next`; undefined when the queue is empty. The caller has
 * checked that no run is in progress. Records the position of the journal.
 */
export function leaseOldestRun(
  sql: Sql,
  counters: Counters,
  instance: string,
  { epoch, journalSeq }: LeaseTaker,
  nowMs: number,
  next: QueuedLeaseRow | undefined = findOldestQueuedRun(sql, instance),
): LeaseRow | undefined {
  if (!next) return undefined;
  if (journalSeq !== undefined) saveJournalPosition(sql, instance, epoch, journalSeq);
  sql.execute(
    `UPDATE runs SET state = 'in_progress', epoch = ?, leased_at_ms = ?, seq = ?, fence = ? WHERE id = ?`,
    ...[epoch, nowMs, counters.nextSeq(), next.fence, next.id],
  );
  return { ...next, epoch, leased_at_ms: nowMs };
}

/** Moves a lease to another epoch of the same executor, whose report is on its way. */
export function moveLeaseToEpoch(sql: Sql, id: number, epoch: number): void {
  sql.execute('UPDATE runs SET epoch = ? WHERE id = ?', epoch, id);
}

/** What became of a run whose lease ended before it was sent: cancelled when that was requested. */
export type ReturnedState = 'queued' | 'cancelled';

const returnedReader = createRowReader(
  Type.Object({ state: Type.Union([Type.Literal('queued'), Type.Literal('cancelled')]) }),
);

/**
 * Returns a run that has not started to its position in the queue, or cancels it when that was requested; undefined when this
 * lease does not hold it any more.
 */
export function returnToQueue(
  sql: Sql,
  counters: Counters,
  id: number,
  fence: number,
  nowMs: number,
): ReturnedState | undefined {
  const statement = `UPDATE runs SET state = CASE WHEN cancel_requested = 1 THEN 'cancelled' ELSE 'queued' END,
       finished_at_ms = CASE WHEN cancel_requested = 1 THEN CAST(? AS INTEGER) END, epoch = NULL, fence = NULL, leased_at_ms = NULL, seq = ?
     WHERE id = ? AND fence = ? AND state = 'in_progress' RETURNING state`;
  return returnedReader.first(sql, statement, nowMs, counters.nextSeq(), id, fence)?.state;
}

/** Stores what the executor's hello says and starts its next epoch, which is returned. */
export function startEpoch(
  sql: Sql,
  counters: Counters,
  instance: string,
  executor: {
    storeId: string;
    version: string;
    target: string;
    variables: string | null;
    port: number | null;
    nowMs: number;
  },
): number | undefined {
  const statement = `UPDATE instances SET epoch = epoch + 1, executor_store_id = ?, executor_version = ?, target = ?,
       scenario_variables = ?, executor_port = coalesce(?, executor_port), last_seen_at_ms = ?, seq = ? WHERE id = ? RETURNING epoch AS number`;
  const { storeId, version, target, variables, port, nowMs } = executor;
  return numberReader.first(
    sql,
    statement,
    storeId,
    version,
    target,
    variables,
    port,
    nowMs,
    counters.nextSeq(),
    instance,
  )?.number;
}
