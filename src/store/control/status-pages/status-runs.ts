/** Finished runs, as status pages read them. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const StatusRunShape = Type.Object({
  id: Type.Integer(),
  scenario_id: Type.String(),
  state: Type.Union([Type.Literal('passed'), Type.Literal('failed')]),
  failure_kind: Type.Union([Type.String(), Type.Null()]),
  finished_at_ms: Type.Union([Type.Integer(), Type.Null()]),
});
export type StatusRunRow = Static<typeof StatusRunShape>;

const runReader = createRowReader(StatusRunShape);
const columns = 'id, scenario_id, state, failure_kind, finished_at_ms';
const isFinished = "state IN ('passed', 'failed')";

/** At most a few hundred ids. */
export function listStatusRunsById(sql: Sql, ids: readonly number[]): StatusRunRow[] {
  if (ids.length === 0) return [];
  const places = ids.map(() => '?').join(', ');
  return runReader.all(sql, `SELECT ${columns} FROM runs WHERE id IN (${places}) AND ${isFinished}`, ...ids);
}

/** Runs of a scenario under one of its ids, newest first. */
export function listStatusRuns(
  sql: Sql,
  instance: string,
  scenario: string,
  { sinceMs, limit }: { readonly sinceMs: number; readonly limit: number },
): StatusRunRow[] {
  const ofState = (state: string): StatusRunRow[] =>
    runReader.all(
      sql,
      `SELECT ${columns} FROM runs INDEXED BY runs_${state}_by_scenario
        WHERE instance_id = ? AND scenario_id = ? AND state = '${state}' AND id >= ? ORDER BY id DESC LIMIT ?`,
      ...[instance, scenario, sinceMs, limit],
    );
  return [...ofState('passed'), ...ofState('failed')].sort((a, b) => b.id - a.id).slice(0, limit);
}

const SelectedSuiteShape = Type.Object({
  id: Type.Integer(),
  expected_runs: Type.Integer(),
  rerun_of: Type.Union([Type.Integer(), Type.Null()]),
});
export type SelectedSuiteRow = Static<typeof SelectedSuiteShape>;

const suiteReader = createRowReader(SelectedSuiteShape);

/** Suites with a name, of a branch, or both. */
export type SuiteFilter = { readonly name: string | null; readonly branch: string | null };

/** Newest first. */
export function listSelectedSuites(
  sql: Sql,
  instance: string,
  { name, branch }: SuiteFilter,
  limit: number,
): SelectedSuiteRow[] {
  const conditions = [...(name === null ? [] : ['AND name = ?']), ...(branch === null ? [] : ['AND branch = ?'])];
  const statement = `SELECT id, expected_runs, rerun_of FROM suites WHERE instance_id = ? ${conditions.join(' ')}
    ORDER BY id DESC LIMIT ?`;
  const values = [name, branch].flatMap((value) => value ?? []);
  return suiteReader.all(sql, statement, instance, ...values, limit);
}

const SuiteRunShape = Type.Object({ suite_id: Type.Integer(), ...StatusRunShape.properties });
export type SuiteStatusRunRow = Static<typeof SuiteRunShape>;

const suiteRunReader = createRowReader(SuiteRunShape);

/** Newest first. */
export function listStatusRunsOfSuites(sql: Sql, suites: readonly number[], limit: number): SuiteStatusRunRow[] {
  if (suites.length === 0) return [];
  const places = suites.map(() => '?').join(', ');
  const statement = `SELECT suite_id, ${columns} FROM runs WHERE suite_id IN (${places}) AND ${isFinished} ORDER BY id DESC LIMIT ?`;
  return suiteRunReader.all(sql, statement, ...suites, limit);
}
