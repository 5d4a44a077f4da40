/** What is found in the texts of scenarios: their requests, which have no column of their own, and other parts. */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

/** Whether the text of a revision `v` has a request whose path begins with that of `toRequestText`. */
export const hasRequest = 'instr(v.text, ?) > 0';

export function toRequestText(path: string): string {
  return `\${INGESTION_URL}${path}`;
}

/** An SQL condition on the revision `v`, to be appended, with its values; nothing without a path. */
export function createPathCondition(path: string | undefined): {
  readonly condition: string;
  readonly values: readonly string[];
} {
  return path === undefined
    ? { condition: '', values: [] }
    : { condition: `AND ${hasRequest}`, values: [toRequestText(path)] };
}

const ofInstanceReader = createRowReader(
  Type.Object({
    instance_id: Type.String(),
    scenario_id: Type.String(),
    revision: Type.Union([Type.Integer(), Type.Null()]),
    text: Type.String(),
  }),
);
export type ScenarioOfInstance = ReturnType<typeof ofInstanceReader.all>[number];

/** The current scenarios of all instances whose text contains `part`. */
export function listScenariosWithText(sql: Sql, part: string): ScenarioOfInstance[] {
  return ofInstanceReader.all(
    sql,
    `SELECT s.instance_id, s.scenario_id, v.revision, v.text FROM scenarios s JOIN revisions v ON v.id = s.revision_id
      WHERE s.deleted = 0 AND instr(v.text, ?) > 0 ORDER BY s.instance_id, s.scenario_id`,
    part,
  );
}
