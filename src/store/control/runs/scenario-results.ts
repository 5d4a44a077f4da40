/** The newest finished run of each scenario, and how long it has been failing. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);

const ResultShape = Type.Object({
  scenario_id: Type.String(),
  title: Type.String(),
  /** A JSON array: the present id and the former ones. */
  ids: Type.String(),
  failed_id: nullableInteger,
  passed_id: nullableInteger,
});
/** Ids of the newest run that failed, and of the newest that passed. */
export type ScenarioResultRow = Static<typeof ResultShape>;

const resultReader = createRowReader(ResultShape);
const seriesReader = createRowReader(Type.Object({ first_id: nullableInteger, failed: Type.Integer() }));

/** Each scenario of the catalogue under its present id and its former ones: its runs stay with the id that they had. */
const namesOfCatalogue = `WITH RECURSIVE names (present, id) AS (
  SELECT scenario_id, scenario_id FROM scenarios WHERE instance_id = ? AND deleted = 0
  UNION SELECT n.present, s.scenario_id FROM scenarios s JOIN names n ON s.renamed_to = n.id WHERE s.instance_id = ?)`;

/** Each state has an index of its own (schema/scenario-runs.ts). */
const newestRun = (state: string): string => `(SELECT r.id FROM runs r INDEXED BY runs_${state}_by_scenario
  WHERE r.instance_id = ? AND r.scenario_id = n.id AND r.state = '${state}' ORDER BY r.id DESC LIMIT 1)`;

/** Scenarios of the catalogue, by id. */
export function listScenarioResults(sql: Sql, instance: string): ScenarioResultRow[] {
  return resultReader.all(
    sql,
    `${namesOfCatalogue} SELECT s.scenario_id, v.title, json_group_array(n.id) AS ids,
       max(${newestRun('failed')}) AS failed_id, max(${newestRun('passed')}) AS passed_id
     FROM names n JOIN scenarios s ON s.instance_id = ? AND s.scenario_id = n.present
       JOIN revisions v ON v.id = s.revision_id
     GROUP BY s.scenario_id, v.title ORDER BY s.scenario_id`,
    ...Array.from({ length: 5 }, () => instance),
  );
}

const NamedShape = Type.Pick(ResultShape, ['scenario_id', 'title', 'ids']);
export type NamedScenarioRow = Static<typeof NamedShape>;
const namedReader = createRowReader(NamedShape);

/** Scenarios of the catalogue with all their ids, by id. */
export function listNamedScenarios(sql: Sql, instance: string): NamedScenarioRow[] {
  return namedReader.all(
    sql,
    `${namesOfCatalogue} SELECT s.scenario_id, v.title, json_group_array(n.id) AS ids
     FROM names n JOIN scenarios s ON s.instance_id = ? AND s.scenario_id = n.present
       JOIN revisions v ON v.id = s.revision_id
     GROUP BY s.scenario_id, v.title ORDER BY s.scenario_id`,
    ...Array.from({ length: 3 }, () => instance),
  );
}

const failedAfter = `FROM runs r INDEXED BY runs_failed_by_scenario
  WHERE r.instance_id = ? AND r.scenario_id = ? AND r.state = 'failed' AND r.id > ?`;

/** The failed runs of a scenario after `afterId`, under all its ids: the first one and their number, up to `maxCount`. */
export function findFailedSeries(
  sql: Sql,
  instance: string,
  scenarioIds: readonly string[],
  afterId: number,
  maxCount: number,
): { readonly firstId: number | null; readonly count: number } {
  const statement = `SELECT (SELECT min(r.id) ${failedAfter}) AS first_id,
    (SELECT count(*) FROM (SELECT 1 ${failedAfter} LIMIT ?) AS counted) AS failed`;
  const rows = scenarioIds.flatMap((id) => {
    const values = [instance, id, afterId];
    return seriesReader.first(sql, statement, ...values, ...values, maxCount) ?? [];
  });
  const firstIds = rows.flatMap(({ first_id: id }) => id ?? []);
  const count = rows.reduce((sum, { failed }) => sum + failed, 0);
  return { firstId: firstIds.length === 0 ? null : Math.min(...firstIds), count: Math.min(count, maxCount) };
}
