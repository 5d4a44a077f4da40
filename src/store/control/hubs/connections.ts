/** Connections of hubs to upstream tool servers. Sealed secrets are read separately. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql, SqlValue } from '../../sql.ts';

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
  protocol: Type.Union([Type.Literal('auto'), Type.Literal('newest'), Type.Literal('older')]),
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

const connectionReader = createRowReader(ConnectionShape);
const sealedReader = createRowReader(Type.Object({ sealed: Type.Union([Type.Uint8Array(), Type.Null()]) }));
const GrantShape = Type.Object({ person_id: nullableText, sealed: Type.Union([Type.Uint8Array(), Type.Null()]) });
const grantReader = createRowReader(GrantShape);
const holderReader = createRowReader(Type.Object({ person_id: Type.String() }));
const select = `SELECT id, hub_id, name, kind, url, command, credential, header, sharing, client_id, scope,
  (sealed IS NOT NULL) AS has_secret, protocol, enabled, state, last_error, warning, tried_at_ms, revision, created_at_ms, created_by
  FROM hub_connections`;

/** By name. */
export function listConnections(sql: Sql, hubId: string): ConnectionRow[] {
  return connectionReader.all(sql, `${select} WHERE hub_id = ? ORDER BY name`, hubId);
}

export function findConnection(sql: Sql, id: string): ConnectionRow | undefined {
  return connectionReader.first(sql, `${select} WHERE id = ?`, id);
}

/** The fields that people edit. */
export type ConnectionFields = Pick<
  ConnectionRow,
  | 'name'
  | 'kind'
  | 'url'
  | 'command'
  | 'credential'
  | 'header'
  | 'sharing'
  | 'client_id'
  | 'scope'
  | 'protocol'
  | 'enabled'
> & { readonly sealed: Uint8Array | null };

function toConnectionValues(row: ConnectionFields): SqlValue[] {
  const { name, kind, url, command, credential, header, sharing, client_id, scope, protocol, enabled, sealed } = row;
  return [name, kind, url, command, credential, header, sharing, client_id, scope, protocol, enabled, sealed];
}

export function insertConnection(
  sql: Sql,
  row: ConnectionFields & Pick<ConnectionRow, 'id' | 'hub_id' | 'created_at_ms' | 'created_by'>,
): void {
  sql.execute(
    `INSERT INTO hub_connections (name, kind, url, command, credential, header, sharing, client_id, scope, protocol,
         enabled, sealed, id, hub_id, created_at_ms, created_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...toConnectionValues(row),
    row.id,
    row.hub_id,
    row.created_at_ms,
    row.created_by,
  );
}

/** Replaces the edited fields and resets what was known about the server. */
export function updateConnection(sql: Sql, id: string, row: ConnectionFields): void {
  sql.execute(
    `UPDATE hub_connections SET name = ?, kind = ?, url = ?, command = ?, credential = ?, header = ?, sharing = ?,
         client_id = ?, scope = ?, protocol = ?, enabled = ?, sealed = ?, state = 'untried', last_error = NULL, warning = NULL,
         revision = revision + 1 WHERE id = ?`,
    ...toConnectionValues(row),
    id,
  );
}

/** Records the outcome of the last call. */
export function updateConnectionState(
  sql: Sql,
  id: string,
  { state, lastError, nowMs }: { state: ConnectionRow['state']; lastError: string | null; nowMs: number },
): void {
  sql.execute(
    'UPDATE hub_connections SET state = ?, last_error = ?, tried_at_ms = ? WHERE id = ?',
    state,
    lastError,
    nowMs,
    id,
  );
}

/** `warning` says what is wrong with some of the server's tools; null when nothing is. */
export function updateConnectionWarning(sql: Sql, id: string, warning: string | null): void {
  sql.execute('UPDATE hub_connections SET warning = ? WHERE id = ? AND warning IS NOT ?', warning, id, warning);
}

/** Sealed; undefined when the connection has none. */
export function findConnectionSecret(sql: Sql, id: string): Uint8Array | undefined {
  return sealedReader.first(sql, 'SELECT sealed FROM hub_connections WHERE id = ?', id)?.sealed ?? undefined;
}

/** Deletes a connection with its upstream grants; false when there is none. */
export function deleteConnection(sql: Sql, id: string): boolean {
  return sql.run('DELETE FROM hub_connections WHERE id = ?', id) === 1;
}

/** The sealed tokens that an upstream's OAuth server issued to one person or (null) to the hub. */
export function findUpstreamGrant(sql: Sql, connectionId: string, personId: string | null): Uint8Array | undefined {
  const statement =
    "SELECT sealed FROM hub_upstream_grants WHERE connection_id = ? AND coalesce(person_id, '') = coalesce(?, '')";
  return sealedReader.first(sql, statement, connectionId, personId)?.sealed ?? undefined;
}

/** Of everybody; `person_id` is null for that of the hub. */
export function listUpstreamGrants(sql: Sql, connectionId: string): Static<typeof GrantShape>[] {
  const statement = 'SELECT person_id, sealed FROM hub_upstream_grants WHERE connection_id = ? ORDER BY person_id';
  return grantReader.all(sql, statement, connectionId);
}

/** People who have signed in to a server of the hub. */
export function listUpstreamGrantHolders(sql: Sql, hubId: string): string[] {
  const statement = `SELECT DISTINCT g.person_id FROM hub_upstream_grants g JOIN hub_connections c ON c.id = g.connection_id
     WHERE c.hub_id = ? AND g.person_id IS NOT NULL`;
  return holderReader.all(sql, statement, hubId).map(({ person_id: id }) => id);
}

/** Replaces an earlier grant. */
export function saveUpstreamGrant(
  sql: Sql,
  connectionId: string,
  personId: string | null,
  { sealed, nowMs }: { sealed: Uint8Array; nowMs: number },
): void {
  deleteUpstreamGrant(sql, connectionId, personId);
  sql.execute(
    'INSERT INTO hub_upstream_grants (connection_id, person_id, sealed, written_at_ms) VALUES (?, ?, ?, ?)',
    connectionId,
    personId,
    sealed,
    nowMs,
  );
}

export function deleteUpstreamGrant(sql: Sql, connectionId: string, personId: string | null): void {
  sql.execute(
    "DELETE FROM hub_upstream_grants WHERE connection_id = ? AND coalesce(person_id, '') = coalesce(?, '')",
    connectionId,
    personId,
  );
}

export function deleteConnectionGrants(sql: Sql, connectionId: string): void {
  sql.execute('DELETE FROM hub_upstream_grants WHERE connection_id = ?', connectionId);
}
