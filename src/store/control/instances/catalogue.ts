/** The catalogue: scenarios of an instance, their revisions, and texts that ran without being in it. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';

const EntryShape = Type.Object({
  revision_id: Type.Integer(),
  scenario_id: Type.String(),
  revision: Type.Union([Type.Integer(), Type.Null()]),
  title: Type.String(),
  layer: Type.String(),
  tags: Type.String(),
  sha256: Type.String(),
  created_at_ms: Type.Integer(),
  created_by: Type.String(),
});
/** A revision without its text; `tags` is a JSON array. */
export type RevisionRow = Static<typeof EntryShape>;

const DocumentShape = Type.Composite([EntryShape, Type.Object({ text: Type.String() })]);
/** A revision with its text. */
export type RevisionDocument = Static<typeof DocumentShape>;

const ChangeShape = Type.Object({
  instance_id: Type.String(),
  scenario_id: Type.String(),
  revision: Type.Integer(),
  deleted: Type.Integer(),
  seq: Type.Integer(),
});
export type ScenarioChange = Static<typeof ChangeShape>;

const revisionReader = createRowReader(EntryShape);
const documentReader = createRowReader(DocumentShape);
const changeReader = createRowReader(ChangeShape);
const headReader = createRowReader(Type.Object({ revision: Type.Integer(), deleted: Type.Integer() }));

const columns = `v.id AS revision_id, v.scenario_id, v.revision, v.title, v.layer, v.tags, v.sha256, v.created_at_ms,
  v.created_by`;
const fromCurrent = `FROM scenarios s JOIN revisions v ON v.id = s.revision_id
  WHERE s.instance_id = ? AND s.deleted = 0`;

/** By id, after `afterId`. */
export function listScenarios(sql: Sql, instance: string, afterId: string, limit: number): RevisionRow[] {
  const statement = `SELECT ${columns} ${fromCurrent} AND s.scenario_id > ? ORDER BY s.scenario_id LIMIT ?`;
  return revisionReader.all(sql, statement, instance, afterId, limit);
}

/** The current revision. */
export function findScenario(sql: Sql, instance: string, scenario: string): RevisionDocument | undefined {
  return documentReader.first(
    sql,
    `SELECT ${columns}, v.text ${fromCurrent} AND s.scenario_id = ?`,
    instance,
    scenario,
  );
}

/** Also of a deleted scenario. */
export function findRevision(
  sql: Sql,
  instance: string,
  scenario: string,
  revision: number,
): RevisionDocument | undefined {
  const statement = `SELECT ${columns}, v.text FROM revisions v WHERE v.instance_id = ? AND v.scenario_id = ? AND v.revision = ?`;
  return documentReader.first(sql, statement, instance, scenario, revision);
}

/** Newest first. */
export function listRevisions(sql: Sql, instance: string, scenario: string): RevisionRow[] {
  const statement = `SELECT ${columns} FROM revisions v WHERE v.instance_id = ? AND v.scenario_id = ? AND v.revision IS NOT NULL
     ORDER BY v.revision DESC LIMIT 1000`;
  return revisionReader.all(sql, statement, instance, scenario);
}

/** Oldest change first. */
export function listChangedScenarios(sql: Sql, seq: number, limit: number): ScenarioChange[] {
  const statement =
    'SELECT instance_id, scenario_id, revision, deleted, seq FROM scenarios WHERE seq > ? ORDER BY seq LIMIT ?';
  return changeReader.all(sql, statement, seq, limit);
}

export type NewRevision = {
  readonly instance: string;
  readonly scenario: string;
  readonly title: string;
  readonly layer: string;
  readonly tags: readonly string[];
  readonly text: string;
  readonly sha256: string;
  readonly createdBy: string;
  readonly nowMs: number;
};

function insertRevision(sql: Sql, revision: NewRevision, number: number | null): number {
  return sql.insert(
    `INSERT INTO revisions
        (instance_id, scenario_id, revision, title, layer, tags, text, sha256, created_at_ms, created_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    revision.instance,
    revision.scenario,
    number,
    revision.title,
    revision.layer,
    JSON.stringify(revision.tags),
    revision.text,
    revision.sha256,
    revision.nowMs,
    revision.createdBy,
  );
}

/** The newest revision number, 0 when the scenario was never written. Numbers continue after a deletion. */
export function findHeadRevision(sql: Sql, instance: string, scenario: string): { revision: number; deleted: boolean } {
  const statement = 'SELECT revision, deleted FROM scenarios WHERE instance_id = ? AND scenario_id = ?';
  const head = headReader.first(sql, statement, instance, scenario);
  return { revision: head?.revision ?? 0, deleted: head === undefined || head.deleted === 1 };
}

/** Inserts the next revision and makes it the current one. */
export function insertScenarioRevision(sql: Sql, counters: Counters, revision: NewRevision): void {
  const number = findHeadRevision(sql, revision.instance, revision.scenario).revision + 1;
  const revisionId = insertRevision(sql, revision, number);
  sql.run(
    `INSERT INTO scenarios (instance_id, scenario_id, revision_id, revision, seq) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET revision_id = excluded.revision_id, revision = excluded.revision, deleted = 0,
         seq = excluded.seq`,
    revision.instance,
    revision.scenario,
    revisionId,
    number,
    counters.nextSeq(),
  );
}

/** Revisions stay for the runs that used them. */
export function deleteScenario(sql: Sql, counters: Counters, instance: string, scenario: string): boolean {
  const statement =
    'UPDATE scenarios SET deleted = 1, seq = ? WHERE instance_id = ? AND scenario_id = ? AND deleted = 0';
  return sql.run(statement, counters.nextSeq(), instance, scenario) === 1;
}

const idReader = createRowReader(Type.Object({ id: Type.Integer() }));

const dayMs = 86_400_000;

/**
 * The row id of a text that is not in the catalogue. The same text is stored once; its age counts from its last use (by
 * the day).
 */
export function saveUncataloguedRevision(sql: Sql, revision: NewRevision): number {
  const statement =
    'SELECT id FROM revisions WHERE instance_id = ? AND scenario_id = ? AND sha256 = ? AND revision IS NULL';
  const stored = idReader.first(sql, statement, revision.instance, revision.scenario, revision.sha256);
  if (!stored) return insertRevision(sql, revision, null);
  const { text, nowMs } = revision;
  const renewal = 'UPDATE revisions SET text = ?, created_at_ms = ? WHERE id = ? AND created_at_ms < ?';
  sql.run(renewal, text, nowMs, stored.id, nowMs - dayMs);
  return stored.id;
}
