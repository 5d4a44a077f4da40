/** OAuth clients that registered themselves. Those without consent expire soonest. */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const countReader = createRowReader(Type.Object({ count: Type.Integer() }));

export function countOAuthClients(sql: Sql): number {
  return countReader.first(sql, "SELECT count(*) AS count FROM oauth_records WHERE kind = 'Client'")?.count ?? 0;
}

/** Deletes up to `limit` clients that expire by `beforeMs`, soonest first; returns how many. */
export function evictOAuthClients(sql: Sql, limit: number, beforeMs: number): number {
  const statement = `DELETE FROM oauth_records WHERE kind = 'Client' AND hash IN (
       SELECT hash FROM oauth_records WHERE kind = 'Client' AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`;
  return Number(sql.run(statement, beforeMs, limit));
}

/** Extends the client's expiry to at least `untilMs`. */
export function extendOAuthClient(sql: Sql, hash: string, untilMs: number): void {
  sql.execute(
    "UPDATE oauth_records SET expires_at_ms = max(expires_at_ms, ?) WHERE kind = 'Client' AND hash = ?",
    untilMs,
    hash,
  );
}
