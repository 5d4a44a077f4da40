/** Programs that registered themselves, among the records of the OAuth server. Those that nobody lets in expire soonest. */
import { Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const counts = rowReader(Type.Object({ count: Type.Integer() }));

/** How many there are. */
export function countClients(sql: Sql): number {
  return counts.one(sql.prepare("SELECT count(*) AS count FROM oauth_records WHERE kind = 'Client'"))?.count ?? 0;
}

/** Forgets those that expire first, at most `most`, and none that lives beyond `beforeMs`; gives how many it were. */
export function forgetClients(sql: Sql, most: number, beforeMs: number): number {
  const statement = sql.prepare(
    `DELETE FROM oauth_records WHERE kind = 'Client' AND hash IN (
       SELECT hash FROM oauth_records WHERE kind = 'Client' AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`,
  );
  return Number(statement.run(beforeMs, most).changes);
}

/** Keeps one at least until then. */
export function keepClient(sql: Sql, hash: string, untilMs: number): void {
  sql
    .prepare("UPDATE oauth_records SET expires_at_ms = max(expires_at_ms, ?) WHERE kind = 'Client' AND hash = ?")
    .run(untilMs, hash);
}
