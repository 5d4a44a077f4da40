/** What each hub allows, revision by revision. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const PolicyShape = Type.Object({
  hub_id: Type.String(),
  revision: Type.Integer(),
  document: Type.String(),
  changed_at_ms: Type.Integer(),
  changed_by: Type.String(),
});
/** See the schema. */
export type HubPolicyRow = Static<typeof PolicyShape>;

const policyReader = rowReader(PolicyShape);
const columns = 'hub_id, revision, document, changed_at_ms, changed_by';

/** Revisions that are kept of a hub. */
const keptRevisions = 100;

/** The newest revision; undefined where the hub never had one of its own. */
export function newestPolicy(sql: Sql, hubId: string): HubPolicyRow | undefined {
  const text = `SELECT ${columns} FROM hub_policies WHERE hub_id = ? ORDER BY revision DESC LIMIT 1`;
  return policyReader.one(sql.prepare(text), hubId);
}

/** Adds a revision. */
export function insertPolicy(sql: Sql, row: HubPolicyRow): void {
  const { hub_id, revision, document, changed_at_ms, changed_by } = row;
  sql
    .prepare(`INSERT INTO hub_policies (${columns}) VALUES (?, ?, ?, ?, ?)`)
    .run(hub_id, revision, document, changed_at_ms, changed_by);
  sql.prepare('DELETE FROM hub_policies WHERE hub_id = ? AND revision <= ?').run(hub_id, revision - keptRevisions);
}
