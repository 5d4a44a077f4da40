/**
 * The two counters that never go back: commit sequence and run times. They live in memory, because one process writes a
 * store.
 */
import { Type } from '@sinclair/typebox';
import { nextRunMs } from '../../run/run-id.ts';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

const highestReader = createRowReader(Type.Object({ highest: Type.Integer() }));

const highestSeq = `SELECT max(
  (SELECT coalesce(max(seq), 0) FROM runs),
  (SELECT coalesce(max(seq), 0) FROM instances),
  (SELECT coalesce(max(seq), 0) FROM scenarios),
  (SELECT coalesce(max(seq), 0) FROM gone_instances)) AS highest`;

const highestRun = `SELECT max(
  (SELECT coalesce(max(id), 0) FROM runs),
  (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE name = 'last_run_ms')) AS highest`;

/** Numbers taken by an operation that is rolled back are not reused. */
export type Counters = {
  /** The next commit sequence number. */
  nextSeq(): number;
  /** The last sequence number given. */
  lastSeq(): number;
  /** The next free run time: now, or a millisecond after the last one. */
  nextRunMs(nowMs: number): number;
  /** Records a run time chosen elsewhere, so that it is not given again. */
  observeRunMs(runMs: number): void;
  /** The last run time given; stored in `meta` when runs are deleted. */
  lastRunMs(): number;
};

/** Counters that continue from the highest numbers in the store. */
export function loadCounters(sql: Sql): Counters {
  let lastSeq = highestReader.first(sql, highestSeq)?.highest ?? 0;
  let lastRunMs = highestReader.first(sql, highestRun)?.highest ?? 0;
  return {
    nextSeq: () => ++lastSeq,
    lastSeq: () => lastSeq,
    nextRunMs: (nowMs) => {
      lastRunMs = nextRunMs(nowMs, lastRunMs);
      return lastRunMs;
    },
    observeRunMs: (observedMs) => {
      lastRunMs = Math.max(lastRunMs, observedMs);
    },
    lastRunMs: () => lastRunMs,
  };
}
