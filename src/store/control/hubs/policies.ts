/** Policies of hubs, by revision. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const PolicyShape = Type.Object({
  hub_id: Type.String(),
  revision: Type.Integer(),
  document: Type.String(),
  changed_at_ms: Type.Integer(),
  changed_by: Type.String(),
});
export type HubPolicyRow = Static<typeof PolicyShape>;

const policyReader = createRowReader(PolicyShape);
const columns = 'hub_id, revision, document, changed_at_ms, changed_by';

/** Older revisions are deleted. */
const maxRevisions = 100;

/** Undefined when the hub never had a policy of its own. */
export function findNewestPolicy(sql: Sql, hubId: string): HubPolicyRow | undefined {
  const text = `SELECT ${columns} FROM hub_policies WHERE hub_id = ? ORDER BY revision DESC LIMIT 1`;
  return policyReader.first(sql, text, hubId);
}

/** Empty for a revision that never was, or is no longer stored. */
export function listPolicyRevision(sql: Sql, hubId: string, revision: number): HubPolicyRow[] {
  const statement = `SELECT ${columns} FROM hub_policies WHERE hub_id = ? AND revision = ?`;
  return policyReader.all(sql, statement, hubId, revision);
}

export function insertPolicy(sql: Sql, row: HubPolicyRow): void {
  const { hub_id, revision, document, changed_at_ms, changed_by } = row;
  sql.execute(
    `INSERT INTO hub_policies (${columns}) VALUES (?, ?, ?, ?, ?)`,
    hub_id,
    revision,
    document,
    changed_at_ms,
    changed_by,
  );
  sql.execute('DELETE FROM hub_policies WHERE hub_id = ? AND revision <= ?', hub_id, revision - maxRevisions);
}
