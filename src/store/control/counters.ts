/**
 * Numbers that never go back: commit sequence and run times, which live in memory because one process writes a store, and
 * the time that the control plane trusts.
 */
import { type Static, Type } from '@sinclair/typebox';
import { getNextRunTimeMs } from '../../run/run-id.ts';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

const highestReader = createRowReader(Type.Object({ highest: Type.Integer() }));

const highestSeq = `SELECT max(
  (SELECT coalesce(max(seq), 0) FROM runs),
  (SELECT coalesce(max(seq), 0) FROM instances),
  (SELECT coalesce(max(seq), 0) FROM scenarios),
  (SELECT coalesce(max(seq), 0) FROM gone_instances),
  (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE name = 'last_seq')) AS highest`;

const highestRun = `SELECT max(
  (SELECT coalesce(max(id), 0) FROM runs),
  (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE name = 'last_run_ms')) AS highest`;

/** Further than the commit sequence comes between two copies of a store; on PostgreSQL each commit takes 65,536 numbers. */
const seqLeap = 2 ** 44;

/** Numbers taken by an operation that is rolled back are not reused by this process, but by the next one. */
export type Counters = {
  /** The next commit sequence number. */
  nextSeq(): number;
  /** Records the last sequence number given in `meta`: call it before rows that have it may be deleted. */
  saveLastSeq(sql: Sql): void;
  /** Continues after all numbers that a later copy of this store can have given. */
  leapSeq(): void;
  /** The next free run time: now, or a millisecond after the last one. */
  getNextRunTimeMs(nowMs: number): number;
  /** Records a run time chosen elsewhere, so that it is not given again. */
  observeRunMs(runMs: number): void;
  /** The last run time given; stored in `meta` when runs are deleted. */
  lastRunMs(): number;
};

/**
 * The newest commit sequence number in the store. Streams resume by it and not by the last number given: a number whose
 * commit failed would be given again after a restart, to a change that a stream beyond it never gets.
 */
export function readCommittedSeq(sql: Sql): number {
  return highestReader.first(sql, highestSeq)?.highest ?? 0;
}

/** Counters that continue from the highest numbers in the store. */
export function loadCounters(sql: Sql): Counters {
  let lastSeq = readCommittedSeq(sql);
  let lastRunMs = highestReader.first(sql, highestRun)?.highest ?? 0;
  return {
    nextSeq: () => ++lastSeq,
    saveLastSeq: (sql) =>
      sql.execute(
        "INSERT INTO meta VALUES ('last_seq', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        String(lastSeq),
      ),
    leapSeq: () => {
      lastSeq += seqLeap;
    },
    getNextRunTimeMs: (nowMs) => {
      lastRunMs = getNextRunTimeMs(nowMs, lastRunMs);
      return lastRunMs;
    },
    observeRunMs: (observedMs) => {
      lastRunMs = Math.max(lastRunMs, observedMs);
    },
    lastRunMs: () => lastRunMs,
  };
}

/** Numbers that another engine gave and that no row may have: the next ones come after them. */
export function saveLastNumbers(sql: Sql, { seq, runMs }: { readonly seq: number; readonly runMs: number }): void {
  const statement = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value';
  sql.execute(statement, 'last_seq', String(seq));
  sql.execute(statement, 'last_run_ms', String(runMs));
}

/** One row: the state of the control plane's clock at its last write. */
const ClockStateShape = Type.Object({
  trusted_ms: Type.Integer(),
  candidate_ms: Type.Union([Type.Integer(), Type.Null()]),
  agreed_ms: Type.Integer(),
});
type ClockStateRow = Static<typeof ClockStateShape>;

const stateReader = createRowReader(ClockStateShape);

/** Undefined in a store that was never written with it. */
export function findClockState(sql: Sql): ClockStateRow | undefined {
  return stateReader.first(sql, 'SELECT trusted_ms, candidate_ms, agreed_ms FROM clock_state WHERE id = 1');
}

export function saveClockState(sql: Sql, { trusted_ms, candidate_ms, agreed_ms }: ClockStateRow): void {
  const text = `INSERT INTO clock_state (id, trusted_ms, candidate_ms, agreed_ms) VALUES (1, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET trusted_ms = excluded.trusted_ms, candidate_ms = excluded.candidate_ms,
      agreed_ms = excluded.agreed_ms`;
  sql.execute(text, trusted_ms, candidate_ms, agreed_ms);
}
