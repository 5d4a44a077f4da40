/** The catalogue: scenarios of an instance, their revisions, and texts that ran without being in it. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';
import { createPathCondition } from './scenario-texts.ts';

export const EntryShape = Type.Object({
  revision_id: Type.Integer(),
  scenario_id: Type.String(),
  revision: Type.Union([Type.Integer(), Type.Null()]),
  title: Type.String(),
  layer: Type.String(),
  tags: Type.String(),
  sha256: Type.String(),
  created_at_ms: Type.Integer(),
  created_by: Type.String(),
  restored_from: Type.Union([Type.Integer(), Type.Null()]),
  owner: Type.Union([Type.String(), Type.Null()]),
  links: Type.Union([Type.String(), Type.Null()]),
});
/** A revision without its text; `tags` and `links` are JSON arrays. */
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
const headReader = createRowReader(
  Type.Object({
    revision: Type.Integer(),
    deleted: Type.Integer(),
    renamed_to: Type.Union([Type.String(), Type.Null()]),
  }),
);

export const revisionColumns = `v.id AS revision_id, v.scenario_id, v.revision, v.title, v.layer, v.tags, v.sha256, v.created_at_ms,
  v.created_by, v.restored_from, v.owner, v.links`;
const fromCurrent = `FROM scenarios s JOIN revisions v ON v.id = s.revision_id
  WHERE s.instance_id = ? AND s.deleted = 0`;

/** By id, after `afterId`; with `path` those that have a request to it. */
export function listScenarios(
  sql: Sql,
  instance: string,
  afterId: string,
  limit: number,
  path?: string,
): RevisionRow[] {
  const requested = createPathCondition(path);
  const statement = `SELECT ${revisionColumns} ${fromCurrent} AND s.scenario_id > ? ${requested.condition} ORDER BY s.scenario_id LIMIT ?`;
  return revisionReader.all(sql, statement, instance, afterId, ...requested.values, limit);
}

/** The current revision. */
export function findScenario(sql: Sql, instance: string, scenario: string): RevisionDocument | undefined {
  return documentReader.first(
    sql,
    `SELECT ${revisionColumns}, v.text ${fromCurrent} AND s.scenario_id = ?`,
    instance,
    scenario,
  );
}

const RoutedMetadataShape = Type.Object({
  instance_id: Type.String(),
  tags: Type.String(),
  owner: Type.Union([Type.String(), Type.Null()]),
});
const metadataReader = createRowReader(RoutedMetadataShape);

/** The combinations of tags and owner that current scenarios have, by instance; `tags` is a JSON array. */
export function listRoutedMetadata(sql: Sql): Static<typeof RoutedMetadataShape>[] {
  return metadataReader.all(
    sql,
    `SELECT DISTINCT s.instance_id, v.tags, v.owner FROM scenarios s JOIN revisions v ON v.id = s.revision_id WHERE s.deleted = 0`,
  );
}

/** A scenario and its former names: a renamed scenario keeps the revisions and runs that it had under them. */
const namesOf = `WITH RECURSIVE names (id) AS (SELECT ? UNION
  SELECT s.scenario_id FROM scenarios s JOIN names n ON s.renamed_to = n.id WHERE s.instance_id = ?)`;

const nameReader = createRowReader(Type.Object({ id: Type.String() }));

/** The scenario's present id and its former ones. */
export function listScenarioNames(sql: Sql, instance: string, scenario: string): string[] {
  return nameReader.all(sql, `${namesOf} SELECT id FROM names`, scenario, instance).map(({ id }) => id);
}

/** Also of a deleted scenario, and of one that had another id then. */
export function findRevision(
  sql: Sql,
  instance: string,
  scenario: string,
  revision: number,
): RevisionDocument | undefined {
  const statement = `${namesOf} SELECT ${revisionColumns}, v.text FROM revisions v
    WHERE v.instance_id = ? AND v.scenario_id IN (SELECT id FROM names) AND v.revision = ?`;
  return documentReader.first(sql, statement, scenario, instance, instance, revision);
}

/** Newest first, with those of former ids. */
export function listRevisions(sql: Sql, instance: string, scenario: string): RevisionRow[] {
  const statement = `${namesOf} SELECT ${revisionColumns} FROM revisions v
     WHERE v.instance_id = ? AND v.scenario_id IN (SELECT id FROM names) AND v.revision IS NOT NULL
     ORDER BY v.revision DESC LIMIT 1000`;
  return revisionReader.all(sql, statement, scenario, instance, instance);
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
  readonly owner?: string | undefined;
  readonly links?: readonly string[] | undefined;
  readonly text: string;
  readonly sha256: string;
  readonly createdBy: string;
  readonly nowMs: number;
  /** The revision whose text this one has again. */
  readonly restoredFrom?: number | undefined;
};

function insertRevision(sql: Sql, revision: NewRevision, number: number | null): number {
  return sql.insert(
    `INSERT INTO revisions
        (instance_id, scenario_id, revision, title, layer, tags, text, sha256, created_at_ms, created_by,
         restored_from, owner, links)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    revision.restoredFrom ?? null,
    revision.owner ?? null,
    revision.links === undefined || revision.links.length === 0 ? null : JSON.stringify(revision.links),
  );
}

/** `revision` is the newest number: 0 when the scenario was never written; numbers continue after a deletion. */
export type ScenarioHead = {
  readonly revision: number;
  readonly deleted: boolean;
  readonly renamedTo: string | undefined;
};

export function findScenarioHead(sql: Sql, instance: string, scenario: string): ScenarioHead {
  const statement = 'SELECT revision, deleted, renamed_to FROM scenarios WHERE instance_id = ? AND scenario_id = ?';
  const head = headReader.first(sql, statement, instance, scenario);
  const deleted = head === undefined || head.deleted === 1;
  return { revision: head?.revision ?? 0, deleted, renamedTo: head?.renamed_to ?? undefined };
}

/** The present id of a renamed scenario, else the same id. */
export function resolveScenarioId(sql: Sql, instance: string, scenario: string): string {
  const seen = new Set<string>();
  for (let id = scenario; ; ) {
    const { renamedTo } = findScenarioHead(sql, instance, id);
    if (renamedTo === undefined || seen.has(id)) return id;
    seen.add(id);
    id = renamedTo;
  }
}

/** Inserts the next revision (or `number`, which must be greater than any before) and makes it the current one. */
export function insertScenarioRevision(sql: Sql, counters: Counters, revision: NewRevision, number?: number): void {
  const next = number ?? findScenarioHead(sql, revision.instance, revision.scenario).revision + 1;
  const revisionId = insertRevision(sql, revision, next);
  sql.execute(
    `INSERT INTO scenarios (instance_id, scenario_id, revision_id, revision, seq) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (instance_id, scenario_id) DO UPDATE SET revision_id = excluded.revision_id, revision = excluded.revision, deleted = 0,
         seq = excluded.seq, removed_at_ms = NULL, removed_by = NULL, renamed_to = NULL`,
    revision.instance,
    revision.scenario,
    revisionId,
    next,
    counters.nextSeq(),
  );
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
  sql.execute(renewal, text, nowMs, stored.id, nowMs - dayMs);
  return stored.id;
}
