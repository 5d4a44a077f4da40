/** Entries `started` whose call has no outcome yet. */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

const countReader = createRowReader(Type.Object({ count: Type.Integer() }));
const intentReader = createRowReader(Type.Object({ hub: Type.Integer(), seq: Type.Integer(), body: Type.String() }));

export function insertOpenIntent(sql: Sql, hub: number, seq: number): void {
  sql.execute('INSERT OR IGNORE INTO open_intents (hub, seq) VALUES (?, ?)', hub, seq);
}

export function deleteOpenIntent(sql: Sql, hub: number, seq: number): void {
  sql.execute('DELETE FROM open_intents WHERE hub = ? AND seq = ?', hub, seq);
}

/** Forgets what names no entry, or one that has an outcome: such rows are not ours. */
export function deleteInvalidIntents(sql: Sql): void {
  sql.execute(`DELETE FROM open_intents WHERE NOT EXISTS
      (SELECT 1 FROM entries e WHERE e.hub = open_intents.hub AND e.seq = open_intents.seq)
    OR EXISTS (SELECT 1 FROM entries o WHERE o.hub = open_intents.hub AND o.intent = open_intents.seq)`);
}

/** In the order in which the calls were started, with the attested JSON of their entries. */
export function listOpenIntents(sql: Sql, limit: number): { hub: number; seq: number; body: string }[] {
  const text = `SELECT i.hub, i.seq, e.body FROM open_intents i JOIN entries e ON e.hub = i.hub AND e.seq = i.seq
    ORDER BY e.id LIMIT ?`;
  return intentReader.all(sql, text, limit);
}

/** Counts the open intents of one hub, or of all. */
export function countOpenIntents(sql: Sql, hub?: number): number {
  const filter = hub === undefined ? '' : 'WHERE hub = ?';
  const text = `SELECT count(*) AS count FROM open_intents ${filter}`;
  return countReader.first(sql, text, ...(hub === undefined ? [] : [hub]))?.count ?? 0;
}
