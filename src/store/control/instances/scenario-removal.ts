/** Scenarios that left the catalogue, and what files were at their last import. Revisions stay for the runs that used them. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';
import { EntryShape, revisionColumns } from './catalogue.ts';
import { moveQuarantine } from './quarantines.ts';
import { createPathCondition } from './scenario-texts.ts';

export type ScenarioRemoval = {
  readonly instance: string;
  readonly scenario: string;
  readonly removedBy: string;
  readonly nowMs: number;
  /** The id under which it goes on; undefined for a deletion. */
  readonly renamedTo?: string | undefined;
};

/** False when the catalogue has no such scenario. */
export function removeScenario(sql: Sql, counters: Counters, removal: ScenarioRemoval): boolean {
  const statement = `UPDATE scenarios SET deleted = 1, removed_at_ms = ?, removed_by = ?, renamed_to = ?, seq = ?
    WHERE instance_id = ? AND scenario_id = ? AND deleted = 0`;
  const { instance, scenario, removedBy, nowMs, renamedTo = null } = removal;
  const isRemoved = sql.run(statement, nowMs, removedBy, renamedTo, counters.nextSeq(), instance, scenario) === 1;
  if (isRemoved) moveQuarantine(sql, instance, scenario, renamedTo ?? undefined);
  return isRemoved;
}

const DeletedShape = Type.Composite([
  EntryShape,
  Type.Object({
    removed_at_ms: Type.Union([Type.Integer(), Type.Null()]),
    removed_by: Type.Union([Type.String(), Type.Null()]),
  }),
]);
/** The last revision of a deleted scenario; deletions of older versions have neither time nor name. */
export type DeletedScenarioRow = Static<typeof DeletedShape>;

const deletedReader = createRowReader(DeletedShape);
const selectDeleted = `SELECT ${revisionColumns}, s.removed_at_ms, s.removed_by
  FROM scenarios s JOIN revisions v ON v.id = s.revision_id
  WHERE s.instance_id = ? AND s.deleted = 1 AND s.renamed_to IS NULL`;

/** By id, after `afterId`; without renamed scenarios, which are in the catalogue under another id. */
export function listDeletedScenarios(
  sql: Sql,
  instance: string,
  afterId: string,
  limit: number,
  path?: string,
): DeletedScenarioRow[] {
  const requested = createPathCondition(path);
  const statement = `${selectDeleted} AND s.scenario_id > ? ${requested.condition} ORDER BY s.scenario_id LIMIT ?`;
  return deletedReader.all(sql, statement, instance, afterId, ...requested.values, limit);
}

export function findDeletedScenario(sql: Sql, instance: string, scenario: string): DeletedScenarioRow | undefined {
  return deletedReader.first(sql, `${selectDeleted} AND s.scenario_id = ?`, instance, scenario);
}

const ImportShape = Type.Object({ revision: Type.Integer(), sha256: Type.String() });
/** The text of a file at its last import, and the catalogue's revision at that time. */
export type ImportedText = Static<typeof ImportShape>;

const importReader = createRowReader(ImportShape);
/** Sources remembered for one scenario; the oldest are dropped. */
const maxSources = 50;

export type ImportKey = { readonly instance: string; readonly scenario: string; readonly source: string };

export function findImport(sql: Sql, { instance, scenario, source }: ImportKey): ImportedText | undefined {
  const statement =
    'SELECT revision, sha256 FROM scenario_imports WHERE instance_id = ? AND scenario_id = ? AND source = ?';
  return importReader.first(sql, statement, instance, scenario, source);
}

export function saveImport(
  sql: Sql,
  { instance, scenario, source }: ImportKey,
  { revision, sha256 }: ImportedText,
  nowMs: number,
): void {
  const statement = `INSERT INTO scenario_imports VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (instance_id, scenario_id, source) DO UPDATE SET revision = excluded.revision,
      sha256 = excluded.sha256, imported_at_ms = excluded.imported_at_ms`;
  sql.execute(statement, instance, scenario, source, revision, sha256, nowMs);
  const expired = `DELETE FROM scenario_imports WHERE instance_id = ? AND scenario_id = ? AND source NOT IN
    (SELECT source FROM scenario_imports WHERE instance_id = ? AND scenario_id = ?
      ORDER BY imported_at_ms DESC, source LIMIT ?)`;
  sql.execute(expired, instance, scenario, instance, scenario, maxSources);
}
