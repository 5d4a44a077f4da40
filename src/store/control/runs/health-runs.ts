/** Finished runs of a scenario, for its health. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const HealthShape = Type.Object({
  id: Type.Integer(),
  state: Type.Union([Type.Literal('passed'), Type.Literal('failed')]),
  failure_kind: Type.Union([Type.String(), Type.Null()]),
  target_version: Type.Union([Type.String(), Type.Null()]),
  revision_id: Type.Integer(),
  duration_ms: Type.Union([Type.Number(), Type.Null()]),
});
export type HealthRunRow = Static<typeof HealthShape>;

const healthReader = createRowReader(HealthShape);

export type HealthPeriod = { readonly sinceMs: number; readonly untilMs: number; readonly limit: number };

/** Runs under all ids of the scenario, newest first, at most `limit` of each id. */
export function listHealthRuns(
  sql: Sql,
  instance: string,
  scenarioIds: readonly string[],
  { sinceMs, untilMs, limit }: HealthPeriod,
): HealthRunRow[] {
  const statement = `SELECT id, state, failure_kind, target_version, revision_id, duration_ms FROM runs
    WHERE scenario_id = ? AND instance_id = ? AND state IN ('passed', 'failed') AND id >= ? AND id < ? ORDER BY id DESC LIMIT ?`;
  const rows = scenarioIds.flatMap((id) => healthReader.all(sql, statement, id, instance, sinceMs, untilMs, limit));
  return scenarioIds.length === 1 ? rows : rows.sort((a, b) => b.id - a.id).slice(0, limit);
}

const idReader = createRowReader(Type.Object({ id: Type.Integer() }));

/** The first run of a period under all ids of the scenario. */
export function findFirstHealthRun(
  sql: Sql,
  instance: string,
  scenarioIds: readonly string[],
  { sinceMs, untilMs }: Pick<HealthPeriod, 'sinceMs' | 'untilMs'>,
): number | undefined {
  const statement = `SELECT id FROM runs WHERE scenario_id = ? AND instance_id = ? AND state IN ('passed', 'failed')
    AND id >= ? AND id < ? ORDER BY id LIMIT 1`;
  const ids = scenarioIds.flatMap((id) => idReader.first(sql, statement, id, instance, sinceMs, untilMs)?.id ?? []);
  return ids.length === 0 ? undefined : Math.min(...ids);
}
