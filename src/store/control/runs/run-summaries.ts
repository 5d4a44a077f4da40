import { Type } from '@sinclair/typebox';
import { type RunState, runStates } from '../../../run/state.ts';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const summaryReader = createRowReader(
  Type.Object({
    id: Type.Integer(),
    state: Type.Union(runStates.map((state) => Type.Literal(state))),
    failure_kind: Type.Union([Type.String(), Type.Null()]),
    duration_ms: Type.Union([Type.Number(), Type.Null()]),
  }),
);

/** A run as charts need it; `id` is the time of its request. */
export type RunSummaryRow = {
  readonly id: number;
  readonly state: RunState;
  readonly failure_kind: string | null;
  readonly duration_ms: number | null;
};

/**
 * Runs of an instance requested at or after `sinceMs`, newest first. `limit` bounds the cost in a store of a million runs.
 * Rejected: counting in SQL, which is no faster within the limit, and has no p95.
 */
export function listRunSummaries(sql: Sql, instance: string, sinceMs: number, limit: number): RunSummaryRow[] {
  const statement =
    'SELECT id, state, failure_kind, duration_ms FROM runs WHERE instance_id = ? AND id >= ? ORDER BY id DESC LIMIT ?';
  return summaryReader.all(sql, statement, instance, sinceMs, limit);
}
