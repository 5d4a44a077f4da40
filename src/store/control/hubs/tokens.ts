/** Personal access tokens: found by the keyed hash of a secret, sealed so that their creator can see them again. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const TokenShape = Type.Object({
  id: Type.String(),
  hub_id: Type.String(),
  slug: Type.String(),
  person_id: Type.String(),
  person_name: Type.String(),
  name: Type.String(),
  expiry: Type.Union([
    Type.Literal('30 days'),
    Type.Literal('90 days'),
    Type.Literal('1 year'),
    Type.Literal('No expiration'),
  ]),
  created_at_ms: Type.Integer(),
  rotated_at_ms: nullableInteger,
  expires_at_ms: nullableInteger,
  last_used_at_ms: nullableInteger,
  last_address: Type.Union([Type.String(), Type.Null()]),
  /** When the last of the replaced secrets expires. */
  previous_ends_at_ms: nullableInteger,
  /** 1 while its creator is a member of its hub. */
  belongs: Type.Integer(),
  /** Null: as the hub's. */
  tool_list: Type.Union([Type.Literal('all'), Type.Literal('search'), Type.Null()]),
});
/** A row of `hub_tokens` with the names of its hub and its creator. */
export type HubTokenRow = Static<typeof TokenShape>;
const PresentedTokenShape = Type.Object({ ...TokenShape.properties, secret_ends_at_ms: nullableInteger });
/** A token found by one of its secrets, with the expiry of that secret. */
export type PresentedHubTokenRow = Static<typeof PresentedTokenShape>;

const tokenReader = createRowReader(TokenShape);
const presentedReader = createRowReader(PresentedTokenShape);
const sealedReader = createRowReader(Type.Object({ sealed: Type.Union([Type.Uint8Array(), Type.Null()]) }));
const countReader = createRowReader(Type.Object({ count: Type.Integer() }));
const columns = `t.id, t.hub_id, h.slug, t.person_id, p.name AS person_name, t.name, t.expiry, t.created_at_ms,
  t.rotated_at_ms, t.expires_at_ms, t.last_used_at_ms, t.last_address, t.tool_list,
  (SELECT max(ends_at_ms) FROM hub_token_secrets o WHERE o.token_id = t.id) AS previous_ends_at_ms,
  EXISTS (SELECT 1 FROM hub_members m WHERE m.person_id = t.person_id AND m.hub_id = t.hub_id) AS belongs`;
const joinNames = 'JOIN hubs h ON h.id = t.hub_id JOIN people p ON p.id = t.person_id';
const select = `SELECT ${columns} FROM hub_tokens t ${joinNames}`;
const newestFirst = 'ORDER BY t.created_at_ms DESC, t.id';

/** Also an expired token. */
export function findHubTokenByHash(sql: Sql, hash: string): PresentedHubTokenRow | undefined {
  const statement = `SELECT ${columns}, s.ends_at_ms AS secret_ends_at_ms
     FROM hub_token_secrets s JOIN hub_tokens t ON t.id = s.token_id ${joinNames} WHERE s.hash = ?`;
  return presentedReader.first(sql, statement, hash);
}

export function findHubToken(sql: Sql, id: string): HubTokenRow | undefined {
  return tokenReader.first(sql, `${select} WHERE t.id = ?`, id);
}

/** Newest first. */
export function listHubTokensByPerson(sql: Sql, personId: string): HubTokenRow[] {
  return tokenReader.all(sql, `${select} WHERE t.person_id = ? ${newestFirst}`, personId);
}

/** Newest first. */
export function listHubTokensByHub(sql: Sql, hubId: string): HubTokenRow[] {
  return tokenReader.all(sql, `${select} WHERE t.hub_id = ? ${newestFirst}`, hubId);
}

export function countActiveHubTokens(sql: Sql, personId: string, nowMs: number): number {
  const statement =
    'SELECT count(*) AS count FROM hub_tokens WHERE person_id = ? AND (expires_at_ms IS NULL OR expires_at_ms > ?)';
  return countReader.first(sql, statement, personId, nowMs)?.count ?? 0;
}

export type NewHubToken = Pick<
  HubTokenRow,
  'id' | 'hub_id' | 'person_id' | 'name' | 'expiry' | 'created_at_ms' | 'expires_at_ms' | 'tool_list'
> & { readonly hash: string; readonly sealed: Uint8Array };

export function insertHubToken(sql: Sql, row: NewHubToken): void {
  sql.execute(
    `INSERT INTO hub_tokens (id, hub_id, person_id, name, expiry, created_at_ms, expires_at_ms, sealed, tool_list)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.hub_id,
    row.person_id,
    row.name,
    row.expiry,
    row.created_at_ms,
    row.expires_at_ms,
    row.sealed,
    row.tool_list,
  );
  insertSecret(sql, row.id, row.hash);
}

function insertSecret(sql: Sql, id: string, hash: string): void {
  sql.execute('INSERT INTO hub_token_secrets (hash, token_id) VALUES (?, ?)', hash, id);
}

/** Replaced secrets expire at `previousEndsAtMs` at the latest. */
export type HubTokenRotation = Pick<NewHubToken, 'hash' | 'sealed' | 'expires_at_ms'> & {
  readonly nowMs: number;
  readonly previousEndsAtMs: number;
};

export function rotateHubToken(sql: Sql, id: string, next: HubTokenRotation): void {
  const { nowMs, previousEndsAtMs } = next;
  sql.execute(
    'UPDATE hub_token_secrets SET ends_at_ms = min(coalesce(ends_at_ms, ?), ?) WHERE token_id = ?',
    previousEndsAtMs,
    previousEndsAtMs,
    id,
  );
  sql.execute('DELETE FROM hub_token_secrets WHERE token_id = ? AND ends_at_ms <= ?', id, nowMs);
  insertSecret(sql, id, next.hash);
  sql.execute(
    'UPDATE hub_tokens SET sealed = ?, expires_at_ms = ?, rotated_at_ms = ? WHERE id = ?',
    next.sealed,
    next.expires_at_ms,
    nowMs,
    id,
  );
}

export function setHubTokenToolList(sql: Sql, id: string, toolList: HubTokenRow['tool_list']): void {
  sql.execute('UPDATE hub_tokens SET tool_list = ? WHERE id = ?', toolList, id);
}

/** Undefined when the plaintext was erased. */
export function findSealedHubToken(sql: Sql, id: string): Uint8Array | undefined {
  return sealedReader.first(sql, 'SELECT sealed FROM hub_tokens WHERE id = ?', id)?.sealed ?? undefined;
}

export function touchHubToken(sql: Sql, id: string, address: string, nowMs: number): void {
  sql.execute('UPDATE hub_tokens SET last_used_at_ms = ?, last_address = ? WHERE id = ?', nowMs, address, id);
}

/** Deletes a token with its secrets and its sealed plaintext; false when there is none. */
export function deleteHubToken(sql: Sql, id: string): boolean {
  return sql.run('DELETE FROM hub_tokens WHERE id = ?', id) === 1;
}

/** Erases the plaintext and secrets of expired tokens, and deletes tokens that expired before `forgetBeforeMs`. */
export function purgeHubTokens(sql: Sql, nowMs: number, forgetBeforeMs: number): void {
  sql.execute('UPDATE hub_tokens SET sealed = NULL WHERE sealed IS NOT NULL AND expires_at_ms <= ?', nowMs);
  sql.execute('DELETE FROM hub_token_secrets WHERE ends_at_ms <= ?', nowMs);
  sql.execute('DELETE FROM hub_tokens WHERE expires_at_ms <= ?', forgetBeforeMs);
}
