/** What is kept of a grant besides what the OAuth server wrote: the hub that it is for, and the program as it was let in. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const text = Type.Union([Type.String(), Type.Null()]);
const FactsShape = Type.Object({
  hub_id: text,
  client_json: text,
  person_id: text,
  slug: text,
  hub_name: text,
  expires_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  last_used_at_ms: Type.Union([Type.Integer(), Type.Null()]),
});
/** Of a grant; the hub with the names that it has now. */
export type GrantFactsRow = Static<typeof FactsShape>;

const facts = rowReader(FactsShape);

/** Notes what a grant is for and who was let in. */
export function keepGrantFacts(
  sql: Sql,
  grantHash: string,
  { hubId, clientJson }: { readonly hubId: string | null; readonly clientJson: string },
): void {
  sql
    .prepare("UPDATE oauth_records SET hub_id = ?, client_json = ? WHERE kind = 'Grant' AND grant_hash = ?")
    .run(hubId, clientJson, grantHash);
}

/** What was noted; undefined when the grant has ended. */
export function grantFacts(sql: Sql, grantHash: string): GrantFactsRow | undefined {
  const statement = sql.prepare(
    `SELECT g.hub_id, g.client_json, g.person_id, h.slug, h.name AS hub_name, g.expires_at_ms,
       g.last_used_at_ms
     FROM oauth_records g LEFT JOIN hubs h ON h.id = g.hub_id WHERE g.kind = 'Grant' AND g.grant_hash = ?`,
  );
  return facts.one(statement, grantHash);
}
