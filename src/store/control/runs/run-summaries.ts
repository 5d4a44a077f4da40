import { Type } from '@sinclair/typebox';
import { getRunOutcome, type RunState, runStates } from '../../../run/state.ts';
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

/** Finished runs of an instance since its registration. Runs that retention has deleted are included. */
export type RunTotalsRow = Readonly<
  Record<'passed' | 'failed' | 'not_judged' | 'cancelled' | 'registered_at_ms', number>
>;

/** The columns of {@link selectRunTotals}. */
export const runTotalColumns = {
  passed: Type.Integer(),
  failed: Type.Integer(),
  not_judged: Type.Integer(),
  cancelled: Type.Integer(),
} as const;

const totalsReader = createRowReader(Type.Object({ registered_at_ms: Type.Integer(), ...runTotalColumns }));

const formatTotal = (alias: string, result: string): string =>
  `coalesce((SELECT max(t.runs) FROM run_total_steps t WHERE t.instance_id = ${alias}.id AND t.result = '${result}'), 0) AS ${result}`;
/** The columns of the totals, as a part of statements. `alias` names rows of `instances`. */
export const selectRunTotals = (alias: string): string =>
  Object.keys(runTotalColumns)
    .map((result) => formatTotal(alias, result))
    .join(', ');
const selectTotals = `SELECT i.created_at_ms AS registered_at_ms, ${selectRunTotals('i')} FROM instances i WHERE i.id = ?`;

/** All are 0 for an instance that is not registered. */
export function readRunTotals(sql: Sql, instance: string): RunTotalsRow {
  const row = totalsReader.first(sql, selectTotals, instance);
  return row ?? { registered_at_ms: 0, passed: 0, failed: 0, not_judged: 0, cancelled: 0 };
}

/** What `readRunTotals` returns behind the end of a run, as the triggers of the schema count it (schema/run-columns.ts). */
export function countEndedRun(
  totals: RunTotalsRow,
  state: RunState,
  failureKind: string | null | undefined,
): RunTotalsRow {
  const outcome = getRunOutcome(state, failureKind ?? null);
  if (!outcome) return totals;
  const result = outcome === 'broken' ? 'not_judged' : outcome;
  return { ...totals, [result]: totals[result] + 1 };
}

/**
 * Runs of an instance, or of one of its scenarios, requested at or after `sinceMs`, newest first. `limit` bounds the cost in a store of a million runs.
 * Rejected: counting in SQL, which is no faster within the limit, and has no p95.
 */
export function listRunSummaries(
  sql: Sql,
  instance: string,
  scenario: string | undefined,
  sinceMs: number,
  limit: number,
): RunSummaryRow[] {
  const ofScenario = scenario === undefined ? '' : 'AND scenario_id = ?';
  const statement = `SELECT id, state, failure_kind, duration_ms FROM runs
    WHERE instance_id = ? ${ofScenario} AND id >= ? ORDER BY id DESC LIMIT ?`;
  return summaryReader.all(sql, statement, instance, ...(scenario === undefined ? [] : [scenario]), sinceMs, limit);
}
