/** The catalogue: scenarios of an instance, their revisions, and texts that were run without being in it. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';
import type { Counters } from './counters.ts';

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
/** A scenario that changed. */
export type ScenarioChange = Static<typeof ChangeShape>;

const entries = rowReader(EntryShape);
const documents = rowReader(DocumentShape);
const changes = rowReader(ChangeShape);
const heads = rowReader(Type.Object({ revision: Type.Integer(), deleted: Type.Integer() }));

const columns = `v.id AS revision_id, v.scenario_id, v.revision, v.title, v.layer, v.tags, v.sha256, v.created_at_ms,
  v.created_by`;
const current = `FROM scenarios s JOIN revisions v ON v.id = s.revision_id
  WHERE s.instance_id = ? AND s.deleted = 0`;

/** Scenarios by id, after `afterId`. */
export function listScenarios(sql: Sql, instance: string, afterId: string, limit: number): RevisionRow[] {
  const statement = sql.prepare(`SELECT ${columns} ${current} AND s.scenario_id > ? ORDER BY s.scenario_id LIMIT ?`);
  return entries.all(statement, instance, afterId, limit);
}

/** The current revision of a scenario. */
export function findScenario(sql: Sql, instance: string, scenario: string): RevisionDocument | undefined {
  return documents.one(sql.prepare(`SELECT ${columns}, v.text ${current} AND s.scenario_id = ?`), instance, scenario);
}

/** One revision, also of a deleted scenario. */
export function findRevision(
  sql: Sql,
  instance: string,
  scenario: string,
  revision: number,
): RevisionDocument | undefined {
  const statement = sql.prepare(
    `SELECT ${columns}, v.text FROM revisions v WHERE v.instance_id = ? AND v.scenario_id = ? AND v.revision = ?`,
  );
  return documents.one(statement, instance, scenario, revision);
}

/** All revisions of a scenario, newest first. */
export function listRevisions(sql: Sql, instance: string, scenario: string): RevisionRow[] {
  const statement = sql.prepare(
    `SELECT ${columns} FROM revisions v WHERE v.instance_id = ? AND v.scenario_id = ? AND v.revision IS NOT NULL
     ORDER BY v.revision DESC LIMIT 1000`,
  );
  return entries.all(statement, instance, scenario);
}

/** Scenarios that changed after `seq`, oldest change first. */
export function scenariosSince(sql: Sql, seq: number, limit: number): ScenarioChange[] {
  const statement = sql.prepare(
    'SELECT instance_id, scenario_id, revision, deleted, seq FROM scenarios WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  return changes.all(statement, seq, limit);
}

/** A text, read and ready to be stored. */
export type NewRevision = {
  readonly instance: string;
  readonly scenario: string;
  readonly title: string;
  readonly layer: string;
  readonly tags: readonly string[];
  readonly text: string;
  readonly sha256: string;
  readonly by: string;
  readonly nowMs: number;
};

function insertRevision(sql: Sql, revision: NewRevision, number: number | null): number {
  const done = sql
    .prepare(
      `INSERT INTO revisions
        (instance_id, scenario_id, revision, title, layer, tags, text, sha256, created_at_ms, created_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      revision.instance,
      revision.scenario,
      number,
      revision.title,
      revision.layer,
      JSON.stringify(revision.tags),
      revision.text,
      revision.sha256,
      revision.nowMs,
      revision.by,
    );
  return Number(done.lastInsertRowid);
}

/** The newest revision number of a scenario, 0 when it was never written; deleted ones keep counting. */
export function headRevision(sql: Sql, instance: string, scenario: string): { revision: number; deleted: boolean } {
  const statement = sql.prepare('SELECT revision, deleted FROM scenarios WHERE instance_id = ? AND scenario_id = ?');
  const head = heads.one(statement, instance, scenario);
  return { revision: head?.revision ?? 0, deleted: head === undefined || head.deleted === 1 };
}

/** Writes the next revision and makes it the current one. */
export function writeScenario(sql: Sql, counters: Counters, revision: NewRevision): void {
  const number = headRevision(sql, revision.instance, revision.scenario).revision + 1;
  const revisionId = insertRevision(sql, revision, number);
  sql
    .prepare(
      `INSERT INTO scenarios (instance_id, scenario_id, revision_id, revision, seq) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET revision_id = excluded.revision_id, revision = excluded.revision, deleted = 0,
         seq = excluded.seq`,
    )
    .run(revision.instance, revision.scenario, revisionId, number, counters.seq());
}

/** Takes a scenario out of the catalogue; its revisions stay for the runs that used them. */
export function deleteScenario(sql: Sql, counters: Counters, instance: string, scenario: string): boolean {
  const statement = sql.prepare(
    'UPDATE scenarios SET deleted = 1, seq = ? WHERE instance_id = ? AND scenario_id = ? AND deleted = 0',
  );
  return statement.run(counters.seq(), instance, scenario).changes === 1;
}

const idReader = rowReader(Type.Object({ id: Type.Integer() }));

const dayMs = 86_400_000;

/** The row of a text outside the catalogue; the same text is stored once, and its age counts from the last time (by the day). */
export function revisionOutside(sql: Sql, revision: NewRevision): number {
  const statement = sql.prepare(
    'SELECT id FROM revisions WHERE instance_id = ? AND scenario_id = ? AND sha256 = ? AND revision IS NULL',
  );
  const known = idReader.one(statement, revision.instance, revision.scenario, revision.sha256);
  if (!known) return insertRevision(sql, revision, null);
  const { text, nowMs } = revision;
  const renewal = sql.prepare('UPDATE revisions SET text = ?, created_at_ms = ? WHERE id = ? AND created_at_ms < ?');
  renewal.run(text, nowMs, known.id, nowMs - dayMs);
  return known.id;
}
