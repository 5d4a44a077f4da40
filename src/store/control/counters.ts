/** The two counters that never go back: commit sequence and run moments. One process writes a store, so they live in memory. */
import { Type } from '@sinclair/typebox';
import { nextRunMs } from '../../run/run-id.ts';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const Highest = rowReader(Type.Object({ highest: Type.Integer() }));

const highestSeq = `SELECT max(
  (SELECT coalesce(max(seq), 0) FROM runs),
  (SELECT coalesce(max(seq), 0) FROM instances),
  (SELECT coalesce(max(seq), 0) FROM scenarios),
  (SELECT coalesce(max(seq), 0) FROM gone_instances)) AS highest`;

const highestRun = `SELECT max(
  (SELECT coalesce(max(id), 0) FROM runs),
  (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE name = 'last_run_ms')) AS highest`;

/** Hands out sequence numbers and run moments. A number taken by an operation that is undone is not given again. */
export type Counters = {
  /** The next commit sequence number. */
  seq(): number;
  /** The last one given. */
  lastSeq(): number;
  /** The next free run moment: now, or a millisecond after the last. */
  runMs(nowMs: number): number;
  /** Takes note of a moment that somebody else chose, so that it is not given again. */
  sawRunMs(runMs: number): void;
  /** The last one given; kept in `meta` when runs are deleted. */
  lastRunMs(): number;
};

/** Counters that go on where the store stopped. */
export function countersOf(sql: Sql): Counters {
  let seq = Highest.one(sql.prepare(highestSeq))?.highest ?? 0;
  let runMs = Highest.one(sql.prepare(highestRun))?.highest ?? 0;
  return {
    seq: () => ++seq,
    lastSeq: () => seq,
    runMs: (nowMs) => {
      runMs = nextRunMs(nowMs, runMs);
      return runMs;
    },
    sawRunMs: (seen) => {
      runMs = Math.max(runMs, seen);
    },
    lastRunMs: () => runMs,
  };
}
