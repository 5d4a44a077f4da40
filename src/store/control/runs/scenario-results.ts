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
  finished_id: nullableInteger,
  passed_id: nullableInteger,
});
/** Ids of the newest run that passed or failed, and of the newest that passed. */
export type ScenarioResultRow = Static<typeof ResultShape>;

const resultReader = createRowReader(ResultShape);
const seriesReader = createRowReader(Type.Object({ first_id: nullableInteger, failed: Type.Integer() }));

/** Each scenario of the catalogue under its present id and its former ones: its runs stay with the id that they had. */
const namesOfCatalogue = `WITH RECURSIVE names (present, id) AS (
  SELECT scenario_id, scenario_id FROM scenarios WHERE instance_id = ? AND deleted = 0
  UNION SELECT n.present, s.scenario_id FROM scenarios s JOIN names n ON s.renamed_to = n.id WHERE s.instance_id = ?)`;

const newestRun = (states: string): string => `(SELECT r.id FROM runs r WHERE r.scenario_id = n.id
  AND r.instance_id = ? AND r.state IN (${states}) ORDER BY r.id DESC LIMIT 1)`;

/** Scenarios of the catalogue, by id. */
export function listScenarioResults(sql: Sql, instance: string): ScenarioResultRow[] {
  return resultReader.all(
    sql,
    `${namesOfCatalogue} SELECT s.scenario_id, v.title, json_group_array(n.id) AS ids,
       max(${newestRun("'passed', 'failed'")}) AS finished_id, max(${newestRun("'passed'")}) AS passed_id
     FROM names n JOIN scenarios s ON s.instance_id = ? AND s.scenario_id = n.present
       JOIN revisions v ON v.id = s.revision_id
     GROUP BY s.scenario_id, v.title ORDER BY s.scenario_id`,
    ...Array.from({ length: 5 }, () => instance),
  );
}

/** The failed runs of a scenario, under all its ids, after `afterId`: the first one and their number. */
export function findFailedSeries(
  sql: Sql,
  instance: string,
  scenarioIds: readonly string[],
  afterId: number,
): { readonly firstId: number | null; readonly count: number } {
  const row = seriesReader.first(
    sql,
    `SELECT min(id) AS first_id, count(*) AS failed FROM runs
     WHERE scenario_id IN (${scenarioIds.map(() => '?').join(', ')}) AND instance_id = ? AND state = 'failed' AND id > ?`,
    ...scenarioIds,
    instance,
    afterId,
  );
  return { firstId: row?.first_id ?? null, count: row?.failed ?? 0 };
}
