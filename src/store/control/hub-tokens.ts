/** Personal access tokens: found by the keyed hash of a secret, sealed for their maker to see again. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

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
  /** Until when the latest of the replaced secrets holds. */
  previous_ends_at_ms: nullableInteger,
  /** 1 while its maker belongs to its hub. */
  belongs: Type.Integer(),
});
/** A row of `hub_tokens` with the names of its hub and its maker. */
export type HubTokenRow = Static<typeof TokenShape>;
const UsedShape = Type.Object({ ...TokenShape.properties, secret_ends_at_ms: nullableInteger });
/** A token by one of its secrets, and until when that one holds. */
export type UsedTokenRow = Static<typeof UsedShape>;

const tokens = rowReader(TokenShape);
const used = rowReader(UsedShape);
const seals = rowReader(Type.Object({ sealed: Type.Union([Type.Uint8Array(), Type.Null()]) }));
const counts = rowReader(Type.Object({ count: Type.Integer() }));
const columns = `t.id, t.hub_id, h.slug, t.person_id, p.name AS person_name, t.name, t.expiry, t.created_at_ms,
  t.rotated_at_ms, t.expires_at_ms, t.last_used_at_ms, t.last_address,
  (SELECT max(ends_at_ms) FROM hub_token_secrets o WHERE o.token_id = t.id) AS previous_ends_at_ms,
  EXISTS (SELECT 1 FROM hub_members m WHERE m.person_id = t.person_id AND m.hub_id = t.hub_id) AS belongs`;
const names = 'JOIN hubs h ON h.id = t.hub_id JOIN people p ON p.id = t.person_id';
const select = `SELECT ${columns} FROM hub_tokens t ${names}`;
const newestFirst = 'ORDER BY t.created_at_ms DESC, t.id';

/** The token that a secret opens, whether it still holds or not. */
export function findHubToken(sql: Sql, hash: string): UsedTokenRow | undefined {
  const statement = sql.prepare(
    `SELECT ${columns}, s.ends_at_ms AS secret_ends_at_ms
     FROM hub_token_secrets s JOIN hub_tokens t ON t.id = s.token_id ${names} WHERE s.hash = ?`,
  );
  return used.one(statement, hash);
}

/** One token by its id. */
export function hubTokenOf(sql: Sql, id: string): HubTokenRow | undefined {
  return tokens.one(sql.prepare(`${select} WHERE t.id = ?`), id);
}

/** A person's tokens in all hubs, newest first. */
export function hubTokensOfPerson(sql: Sql, personId: string): HubTokenRow[] {
  return tokens.all(sql.prepare(`${select} WHERE t.person_id = ? ${newestFirst}`), personId);
}

/** Everybody's tokens of a hub, newest first. */
export function hubTokensOfHub(sql: Sql, hubId: string): HubTokenRow[] {
  return tokens.all(sql.prepare(`${select} WHERE t.hub_id = ? ${newestFirst}`), hubId);
}

/** How many tokens a person has that hold. */
export function countLiveHubTokens(sql: Sql, personId: string, nowMs: number): number {
  const statement = sql.prepare(
    'SELECT count(*) AS count FROM hub_tokens WHERE person_id = ? AND (expires_at_ms IS NULL OR expires_at_ms > ?)',
  );
  return counts.one(statement, personId, nowMs)?.count ?? 0;
}

/** A token to be kept, with its first secret. */
export type NewHubToken = Pick<
  HubTokenRow,
  'id' | 'hub_id' | 'person_id' | 'name' | 'expiry' | 'created_at_ms' | 'expires_at_ms'
> & { readonly hash: string; readonly sealed: Uint8Array };

/** Keeps a token. */
export function insertHubToken(sql: Sql, row: NewHubToken): void {
  sql
    .prepare(
      `INSERT INTO hub_tokens (id, hub_id, person_id, name, expiry, created_at_ms, expires_at_ms, sealed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(row.id, row.hub_id, row.person_id, row.name, row.expiry, row.created_at_ms, row.expires_at_ms, row.sealed);
  insertSecret(sql, row.id, row.hash);
}

function insertSecret(sql: Sql, id: string, hash: string): void {
  sql.prepare('INSERT INTO hub_token_secrets (hash, token_id) VALUES (?, ?)').run(hash, id);
}

/** What a rotation puts in the place of the secret before, which holds until `previousEndsAtMs`. */
export type Rotation = Pick<NewHubToken, 'hash' | 'sealed' | 'expires_at_ms'> & {
  readonly nowMs: number;
  readonly previousEndsAtMs: number;
};

/** Gives a token another secret. Secrets before it hold until the given moment at most. */
export function rotateHubToken(sql: Sql, id: string, next: Rotation): void {
  const { nowMs, previousEndsAtMs } = next;
  sql
    .prepare('UPDATE hub_token_secrets SET ends_at_ms = min(coalesce(ends_at_ms, ?), ?) WHERE token_id = ?')
    .run(previousEndsAtMs, previousEndsAtMs, id);
  sql.prepare('DELETE FROM hub_token_secrets WHERE token_id = ? AND ends_at_ms <= ?').run(id, nowMs);
  insertSecret(sql, id, next.hash);
  sql
    .prepare('UPDATE hub_tokens SET sealed = ?, expires_at_ms = ?, rotated_at_ms = ? WHERE id = ?')
    .run(next.sealed, next.expires_at_ms, nowMs, id);
}

/** The sealed plaintext of a token; undefined where it was erased. */
export function sealedHubToken(sql: Sql, id: string): Uint8Array | undefined {
  return seals.one(sql.prepare('SELECT sealed FROM hub_tokens WHERE id = ?'), id)?.sealed ?? undefined;
}

/** Notes a use. */
export function touchHubToken(sql: Sql, id: string, address: string, nowMs: number): void {
  sql.prepare('UPDATE hub_tokens SET last_used_at_ms = ?, last_address = ? WHERE id = ?').run(nowMs, address, id);
}

/** Ends a token with its secrets and its sealed plaintext; false when there is none. */
export function deleteHubToken(sql: Sql, id: string): boolean {
  return sql.prepare('DELETE FROM hub_tokens WHERE id = ?').run(id).changes === 1;
}

/** Erases what only tokens that hold need, and forgets those that expired before `forgetBeforeMs`. */
export function cleanHubTokens(sql: Sql, nowMs: number, forgetBeforeMs: number): void {
  sql.prepare('UPDATE hub_tokens SET sealed = NULL WHERE sealed IS NOT NULL AND expires_at_ms <= ?').run(nowMs);
  sql.prepare('DELETE FROM hub_token_secrets WHERE ends_at_ms <= ?').run(nowMs);
  sql.prepare('DELETE FROM hub_tokens WHERE expires_at_ms <= ?').run(forgetBeforeMs);
}
