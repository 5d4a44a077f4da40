/** What the control plane knows of each executor's journal, and which stores turned out to be older copies. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';
import { isInProgress, newestFence } from '../runs/lease-steps.ts';
import { type RunTotalsRow, runTotalColumns, selectRunTotals } from '../runs/run-summaries.ts';
import { epochLeap } from '../settle-restored.ts';

const KnownJournalShape = Type.Object({
  created_at_ms: Type.Integer(),
  executor_store_id: Type.Union([Type.String(), Type.Null()]),
  epoch: Type.Integer(),
  fence: Type.Integer(),
  journal_epoch: Type.Integer(),
  journal_seq: Type.Integer(),
  key_hash: Type.String(),
  is_ended: Type.Integer(),
});
/** `journal_epoch` and `journal_seq` are those of the newest message that took a lease or brought a report. */
export type KnownJournal = Static<typeof KnownJournalShape>;

const KnownCallerShape = Type.Composite([KnownJournalShape, Type.Object(runTotalColumns)]);
/** With the totals of the runs that have ended, as `readRunTotals` returns them. */
export type KnownCaller = Static<typeof KnownCallerShape>;

const KnownLeaseShape = Type.Composite([
  KnownJournalShape,
  Type.Object({
    run_id: Type.Union([Type.Integer(), Type.Null()]),
    run_fence: Type.Union([Type.Integer(), Type.Null()]),
    cancel_requested: Type.Union([Type.Integer(), Type.Null()]),
  }),
]);
/** With the run in progress; null where there is none. */
export type KnownLease = Static<typeof KnownLeaseShape>;

const knownReader = createRowReader(KnownJournalShape);
const callerReader = createRowReader(KnownCallerShape);
const leaseReader = createRowReader(KnownLeaseShape);
const idReader = createRowReader(Type.Object({ id: Type.Integer() }));

/** The newest step is named before the join: PostgreSQL read all steps of the instance to compare each with it. */
const knownColumns = `i.created_at_ms, i.executor_store_id, i.epoch, ${newestFence('i')} AS fence,
    coalesce(j.epoch, 0) AS journal_epoch, coalesce(j.seq, 0) AS journal_seq, i.key_hash,
    CASE WHEN i.key_hash = 'ended:' || i.id THEN 1 ELSE 0 END AS is_ended`;
const joinedKnown = `FROM instances i LEFT JOIN journal_steps j ON j.instance_id = i.id
      AND j.step = (SELECT max(s.step) FROM journal_steps s WHERE s.instance_id = ?)`;
const fromKnown = `${joinedKnown} WHERE i.id = ?`;
const selectKnown = `SELECT ${knownColumns} ${fromKnown}`;
const selectCaller = `SELECT ${knownColumns}, ${selectRunTotals('i')} ${fromKnown}`;
/** A heartbeat is one statement. */
const selectLease = `SELECT ${knownColumns}, r.id AS run_id, r.fence AS run_fence, r.cancel_requested ${joinedKnown}
      LEFT JOIN runs r ON ${isInProgress('r', '?')} WHERE i.id = ?`;

export function findKnownJournal(sql: Sql, instance: string): KnownJournal | undefined {
  return knownReader.first(sql, selectKnown, instance, instance);
}

export function findKnownLease(sql: Sql, instance: string): KnownLease | undefined {
  return leaseReader.first(sql, selectLease, instance, instance, instance);
}

/** What is compared with the position of a caller's journal. */
export function findKnownCaller(sql: Sql, instance: string): KnownCaller | undefined {
  return callerReader.first(sql, selectCaller, instance, instance);
}

/** What `readRunTotals` returns in the same transaction. */
export function toRunTotals({ created_at_ms: registeredAtMs, ...known }: KnownCaller): RunTotalsRow {
  const { passed, failed, not_judged, cancelled } = known;
  return { registered_at_ms: registeredAtMs, passed, failed, not_judged, cancelled };
}

/** Undefined when the instance is not registered, or being removed (instance-removal.ts). */
export function getEpoch(known: KnownJournal | undefined): number | undefined {
  return known?.is_ended === 0 ? known.epoch : undefined;
}

/** Not a change for streams: no page shows these numbers. */
export function saveJournalPosition(sql: Sql, instance: string, epoch: number, seq: number): void {
  sql.execute(
    `INSERT INTO journal_steps (instance_id, step, epoch, seq)
       VALUES (?, 1 + coalesce((SELECT max(step) FROM journal_steps WHERE instance_id = ?), 0), ?, ?)`,
    ...[instance, instance, epoch, seq],
  );
}

/** The executor's store is an older copy. */
export function saveStaleJournal(sql: Sql, instance: string, nowMs: number): void {
  sql.execute('UPDATE instances SET stale_journal_at_ms = ? WHERE id = ?', nowMs, instance);
}

/**
 * This store is an older copy than the one that gave `epoch` and `fence`: both jump ahead of every number given since, and
 * queued runs are cancelled, because they may have run since. Returns the cancelled runs.
 */
export function settleStaleControlStore(
  sql: Sql,
  counters: Counters,
  instance: string,
  given: { readonly epoch: number; readonly fence: number },
  nowMs: number,
): number[] {
  // Streams that saw later numbers than this copy has must get what follows.
  counters.leapSeq();
  sql.execute(
    `UPDATE instances SET epoch = max(epoch, ?) + ?, fence = max(${newestFence('instances')}, ?) + ?, stale_control_at_ms = ?
       WHERE id = ?`,
    ...[given.epoch, epochLeap, given.fence, epochLeap, nowMs, instance],
  );
  const cancelled = idReader.all(sql, "SELECT id FROM runs WHERE instance_id = ? AND state = 'queued'", instance);
  sql.execute(
    "UPDATE runs SET state = 'cancelled', finished_at_ms = ?, seq = ? WHERE instance_id = ? AND state = 'queued'",
    ...[nowMs, counters.nextSeq(), instance],
  );
  return cancelled.map(({ id }) => id);
}
