/** Rows of the audit: written, walked in the order of their chain, deleted from its beginning. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const Bytes = Type.Uint8Array();

const EntryShape = Type.Object({
  id: Type.Integer(),
  hub: Type.Integer(),
  seq: Type.Integer(),
  at_ms: Type.Integer(),
  person_key: Type.Integer(),
  via_key: Type.Integer(),
  connection_key: Type.Integer(),
  tool_key: Type.Integer(),
  request_key: Type.Integer(),
  outcome: Type.Integer(),
  body: Type.String(),
  mac: Bytes,
  salt: Type.Union([Bytes, Type.Null()]),
  arguments: Type.Union([Type.String(), Type.Null()]),
});
/** A row with the arguments that are kept of it; `salt` is null once they were erased. */
export type EntryRow = Static<typeof EntryShape>;

const entryReader = rowReader(EntryShape);
const seqReader = rowReader(Type.Object({ seq: Type.Integer(), mac: Bytes }));
const hubReader = rowReader(Type.Object({ hub: Type.Integer() }));

/** Columns of an entry `e` and its arguments `a`. */
export const entryColumns = `e.id, e.hub, e.seq, e.at_ms, e.person_key, e.via_key, e.connection_key, e.tool_key,
  e.request_key, e.outcome, e.body, e.mac, a.salt, a.text AS arguments`;

/** Reads entries. */
export function readEntries(sql: Sql, text: string, ...values: unknown[]): EntryRow[] {
  return entryReader.all(sql.prepare(text), ...values);
}

/** Writes one; its id is the next. */
export function insertEntry(sql: Sql, row: Omit<EntryRow, 'id'>): void {
  const { hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac } = row;
  const { lastInsertRowid } = sql
    .prepare(
      `INSERT INTO entries (hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac);
  if (row.salt === null) return;
  const text = 'INSERT INTO arguments (entry, salt, text) VALUES (?, ?, ?)';
  sql.prepare(text).run(lastInsertRowid, row.salt, row.arguments);
}

/** Entries of a chain behind `seq`, in order. */
export function entriesAfter(sql: Sql, hub: number, seq: number, limit: number): EntryRow[] {
  const text = `SELECT ${entryColumns} FROM entries e LEFT JOIN arguments a ON a.entry = e.id
    WHERE e.hub = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`;
  return readEntries(sql, text, hub, seq, limit);
}

/** The mac of one entry. */
export function macAt(sql: Sql, hub: number, seq: number): Uint8Array | undefined {
  return seqReader.one(sql.prepare('SELECT seq, mac FROM entries WHERE hub = ? AND seq = ?'), hub, seq)?.mac;
}

/** The last of the first `most` entries behind `afterSeq` that is older than `beforeMs`. */
export function lastOlderThan(sql: Sql, hub: number, afterSeq: number, beforeMs: number, most: number) {
  const text = `SELECT seq, mac FROM entries WHERE hub = ? AND seq > ? AND seq <= ? AND at_ms < ? ORDER BY seq DESC LIMIT 1`;
  return seqReader.one(sql.prepare(text), hub, afterSeq, afterSeq + most, beforeMs);
}

/** Deletes the entries of a chain up to `seq` with what is kept of their arguments. */
export function deleteUpTo(sql: Sql, hub: number, seq: number): number {
  const old = 'SELECT id FROM entries WHERE hub = ? AND seq <= ?';
  sql.prepare(`DELETE FROM arguments WHERE entry IN (${old})`).run(hub, seq);
  return sql.prepare('DELETE FROM entries WHERE hub = ? AND seq <= ?').run(hub, seq).changes;
}

/** Erases arguments and salts of entries older than `beforeMs`, at most `most`; gives how many. */
export function eraseArguments(sql: Sql, beforeMs: number, most: number): number {
  const text = `DELETE FROM arguments WHERE entry IN (SELECT a.entry FROM arguments a JOIN entries e ON e.id = a.entry
    WHERE a.entry < (SELECT min(entry) FROM arguments) + ? AND e.at_ms < ?)`;
  return sql.prepare(text).run(most, beforeMs).changes;
}

/** The hub with the most entries: it gives way first, so that no hub pushes out what another did. */
export function largestChain(sql: Sql): number | undefined {
  const text = 'SELECT hub FROM chains WHERE head_seq > before_seq ORDER BY head_seq - before_seq DESC LIMIT 1';
  return hubReader.one(sql.prepare(text))?.hub;
}
