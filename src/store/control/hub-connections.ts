/** Connections of hubs to upstream tool servers. Secrets are sealed and read by themselves. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const ConnectionShape = Type.Object({
  id: Type.String(),
  hub_id: Type.String(),
  name: Type.String(),
  kind: Type.Union([Type.Literal('http'), Type.Literal('sse'), Type.Literal('stdio'), Type.Literal('memory')]),
  url: nullableText,
  command: nullableText,
  credential: Type.Union([Type.Literal('none'), Type.Literal('header'), Type.Literal('oauth')]),
  header: nullableText,
  sharing: Type.Union([Type.Literal('shared'), Type.Literal('per_user'), Type.Null()]),
  client_id: nullableText,
  scope: nullableText,
  has_secret: Type.Integer(),
  enabled: Type.Integer(),
  state: Type.Union([
    Type.Literal('untried'),
    Type.Literal('connected'),
    Type.Literal('failing'),
    Type.Literal('needs_sign_in'),
  ]),
  last_error: nullableText,
  warning: nullableText,
  tried_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  revision: Type.Integer(),
  created_at_ms: Type.Integer(),
  created_by: Type.String(),
});
/** A row of `hub_connections` without its secret. */
export type ConnectionRow = Static<typeof ConnectionShape>;

const connections = rowReader(ConnectionShape);
const seals = rowReader(Type.Object({ sealed: Type.Union([Type.Uint8Array(), Type.Null()]) }));
const select = `SELECT id, hub_id, name, kind, url, command, credential, header, sharing, client_id, scope,
  (sealed IS NOT NULL) AS has_secret, enabled, state, last_error, warning, tried_at_ms, revision, created_at_ms, created_by
  FROM hub_connections`;

/** The connections of a hub, by name. */
export function connectionsOfHub(sql: Sql, hubId: string): ConnectionRow[] {
  return connections.all(sql.prepare(`${select} WHERE hub_id = ? ORDER BY name`), hubId);
}

/** One connection by its id. */
export function findConnection(sql: Sql, id: string): ConnectionRow | undefined {
  return connections.one(sql.prepare(`${select} WHERE id = ?`), id);
}

/** What people write of a connection. */
export type ConnectionWrite = Pick<
  ConnectionRow,
  'name' | 'kind' | 'url' | 'command' | 'credential' | 'header' | 'sharing' | 'client_id' | 'scope' | 'enabled'
> & { readonly sealed: Uint8Array | null };

function valuesOf(row: ConnectionWrite): unknown[] {
  const { name, kind, url, command, credential, header, sharing, client_id, scope, enabled, sealed } = row;
  return [name, kind, url, command, credential, header, sharing, client_id, scope, enabled, sealed];
}

/** Keeps a connection. */
export function insertConnection(
  sql: Sql,
  row: ConnectionWrite & Pick<ConnectionRow, 'id' | 'hub_id' | 'created_at_ms' | 'created_by'>,
): void {
  sql
    .prepare(
      `INSERT INTO hub_connections (name, kind, url, command, credential, header, sharing, client_id, scope, enabled,
         sealed, id, hub_id, created_at_ms, created_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(...valuesOf(row), row.id, row.hub_id, row.created_at_ms, row.created_by);
}

/** Replaces what people wrote; what was known of the server holds no longer. */
export function updateConnection(sql: Sql, id: string, row: ConnectionWrite): void {
  sql
    .prepare(
      `UPDATE hub_connections SET name = ?, kind = ?, url = ?, command = ?, credential = ?, header = ?, sharing = ?,
         client_id = ?, scope = ?, enabled = ?, sealed = ?, state = 'untried', last_error = NULL, warning = NULL,
         revision = revision + 1 WHERE id = ?`,
    )
    .run(...valuesOf(row), id);
}

/** Notes how the last real call went. */
export function noteConnectionState(
  sql: Sql,
  id: string,
  { state, lastError, nowMs }: { state: ConnectionRow['state']; lastError: string | null; nowMs: number },
): void {
  sql
    .prepare('UPDATE hub_connections SET state = ?, last_error = ?, tried_at_ms = ? WHERE id = ?')
    .run(state, lastError, nowMs, id);
}

/** Notes what is wrong with some of what its server offers; null where nothing is. */
export function noteConnectionWarning(sql: Sql, id: string, warning: string | null): void {
  sql.prepare('UPDATE hub_connections SET warning = ? WHERE id = ? AND warning IS NOT ?').run(warning, id, warning);
}

/** The sealed secret of a connection; undefined where there is none. */
export function sealedConnection(sql: Sql, id: string): Uint8Array | undefined {
  return seals.one(sql.prepare('SELECT sealed FROM hub_connections WHERE id = ?'), id)?.sealed ?? undefined;
}

/** Removes a connection with what upstreams gave on it; false when there is none. */
export function deleteConnection(sql: Sql, id: string): boolean {
  return sql.prepare('DELETE FROM hub_connections WHERE id = ?').run(id).changes === 1;
}

/** What an upstream's OAuth server gave, to one person or (null) to the hub. */
export function sealedUpstreamGrant(sql: Sql, connectionId: string, personId: string | null): Uint8Array | undefined {
  const statement = sql.prepare(
    "SELECT sealed FROM hub_upstream_grants WHERE connection_id = ? AND coalesce(person_id, '') = coalesce(?, '')",
  );
  return seals.one(statement, connectionId, personId)?.sealed ?? undefined;
}

/** Keeps it in the place of what was there. */
export function putUpstreamGrant(
  sql: Sql,
  connectionId: string,
  personId: string | null,
  { sealed, nowMs }: { sealed: Uint8Array; nowMs: number },
): void {
  deleteUpstreamGrant(sql, connectionId, personId);
  sql
    .prepare('INSERT INTO hub_upstream_grants (connection_id, person_id, sealed, written_at_ms) VALUES (?, ?, ?, ?)')
    .run(connectionId, personId, sealed, nowMs);
}

/** Forgets it. */
export function deleteUpstreamGrant(sql: Sql, connectionId: string, personId: string | null): void {
  sql
    .prepare("DELETE FROM hub_upstream_grants WHERE connection_id = ? AND coalesce(person_id, '') = coalesce(?, '')")
    .run(connectionId, personId);
}

/** Forgets what everybody got on a connection. */
export function deleteUpstreamGrantsOf(sql: Sql, connectionId: string): void {
  sql.prepare('DELETE FROM hub_upstream_grants WHERE connection_id = ?').run(connectionId);
}
