/** Scenarios in quarantine. A row whose end has passed has no effect; it is deleted with the next change. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import { createRowInserter, formatColumns } from '../../row-writer.ts';
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';

const QuarantineShape = Type.Object({
  instance_id: Type.String(),
  scenario_id: Type.String(),
  until_ms: Type.Integer(),
  reason: Type.String(),
  owner: Type.String(),
  created_by: Type.String(),
  created_at_ms: Type.Integer(),
});
export type QuarantineRow = Static<typeof QuarantineShape>;

const reader = createRowReader(QuarantineShape);
const insertQuarantine = createRowInserter('scenario_quarantines', QuarantineShape);

const selectInEffect = `SELECT ${formatColumns(QuarantineShape)} FROM scenario_quarantines WHERE instance_id = ? AND until_ms > ?
  ORDER BY until_ms, scenario_id`;

/** Those that end first come first. */
export function listQuarantines(sql: Sql, instance: string, nowMs: number): QuarantineRow[] {
  return reader.all(sql, selectInEffect, instance, nowMs);
}

/** Open pages and streams learn of it as of a change of the scenario. */
function touchScenario(sql: Sql, counters: Counters, instance: string, scenario: string): void {
  const statement = 'UPDATE scenarios SET seq = ? WHERE instance_id = ? AND scenario_id = ?';
  sql.execute(statement, counters.nextSeq(), instance, scenario);
}

/** Replaces an earlier one of the scenario. */
export function saveQuarantine(sql: Sql, counters: Counters, row: QuarantineRow): void {
  const expired = 'DELETE FROM scenario_quarantines WHERE instance_id = ? AND (until_ms <= ? OR scenario_id = ?)';
  sql.execute(expired, row.instance_id, row.created_at_ms, row.scenario_id);
  insertQuarantine(sql, row);
  touchScenario(sql, counters, row.instance_id, row.scenario_id);
}

/** False when there is none that is in effect. */
export function deleteQuarantine(
  sql: Sql,
  counters: Counters,
  { instance, scenario, nowMs }: { readonly instance: string; readonly scenario: string; readonly nowMs: number },
): boolean {
  const statement = 'DELETE FROM scenario_quarantines WHERE instance_id = ? AND scenario_id = ? AND until_ms > ?';
  if (sql.run(statement, instance, scenario, nowMs) === 0) return false;
  touchScenario(sql, counters, instance, scenario);
  return true;
}

/** With a scenario that leaves the catalogue its quarantine ends; with one that is renamed it goes on. */
export function moveQuarantine(sql: Sql, instance: string, scenario: string, renamedTo: string | undefined): void {
  const ended = 'DELETE FROM scenario_quarantines WHERE instance_id = ? AND scenario_id = ?';
  sql.execute(ended, instance, renamedTo ?? scenario);
  if (renamedTo === undefined) return;
  const statement = 'UPDATE scenario_quarantines SET scenario_id = ? WHERE instance_id = ? AND scenario_id = ?';
  sql.execute(statement, renamedTo, instance, scenario);
}
