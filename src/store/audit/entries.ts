/** Rows of the audit: appended, read in the order of their chain, deleted from its start. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql, SqlValue } from '../sql.ts';

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
/** A row with its stored arguments; `salt` is null once they were erased. */
export type AuditEntryRow = Static<typeof EntryShape>;

const entryReader = createRowReader(EntryShape);
const seqReader = createRowReader(Type.Object({ seq: Type.Integer(), mac: Bytes }));
const hubReader = createRowReader(Type.Object({ hub: Type.Integer() }));

/** Columns of an entry `e` and its arguments `a`. */
export const auditEntryColumns = `e.id, e.hub, e.seq, e.at_ms, e.person_key, e.via_key, e.connection_key, e.tool_key,
  e.request_key, e.outcome, e.body, e.mac, a.salt, a.text AS arguments`;

export function readAuditEntries(sql: Sql, text: string, ...values: readonly SqlValue[]): AuditEntryRow[] {
  return entryReader.all(sql, text, ...values);
}

export function insertAuditEntry(sql: Sql, row: Omit<AuditEntryRow, 'id'>): void {
  const { hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac } = row;
  const id = sql.insert(
    `INSERT INTO entries (hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    hub,
    seq,
    at_ms,
    person_key,
    via_key,
    connection_key,
    tool_key,
    request_key,
    outcome,
    body,
    mac,
  );
  if (row.salt === null) return;
  const text = 'INSERT INTO arguments (entry, salt, text) VALUES (?, ?, ?)';
  sql.run(text, id, row.salt, row.arguments);
}

/** Entries of a chain after `seq`, in order. */
export function listAuditEntriesAfter(sql: Sql, hub: number, seq: number, limit: number): AuditEntryRow[] {
  const text = `SELECT ${auditEntryColumns} FROM entries e LEFT JOIN arguments a ON a.entry = e.id
    WHERE e.hub = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`;
  return readAuditEntries(sql, text, hub, seq, limit);
}

export function findAuditEntryMac(sql: Sql, hub: number, seq: number): Uint8Array | undefined {
  return seqReader.first(sql, 'SELECT seq, mac FROM entries WHERE hub = ? AND seq = ?', hub, seq)?.mac;
}

/** The last entry older than `beforeMs` among the first `limit` entries after `afterSeq`. */
export function findLastAuditEntryBefore(sql: Sql, hub: number, afterSeq: number, beforeMs: number, limit: number) {
  const text = `SELECT seq, mac FROM entries WHERE hub = ? AND seq > ? AND seq <= ? AND at_ms < ? ORDER BY seq DESC LIMIT 1`;
  return seqReader.first(sql, text, hub, afterSeq, afterSeq + limit, beforeMs);
}

/** Deletes the entries of a chain up to `seq` with their arguments; returns how many. */
export function deleteAuditEntriesUpTo(sql: Sql, hub: number, seq: number): number {
  const old = 'SELECT id FROM entries WHERE hub = ? AND seq <= ?';
  sql.run(`DELETE FROM arguments WHERE entry IN (${old})`, hub, seq);
  return sql.run('DELETE FROM entries WHERE hub = ? AND seq <= ?', hub, seq);
}

/** Erases arguments and salts of entries older than `beforeMs`, at most `limit`; returns how many. */
export function eraseAuditArguments(sql: Sql, beforeMs: number, limit: number): number {
  const text = `DELETE FROM arguments WHERE entry IN (SELECT a.entry FROM arguments a JOIN entries e ON e.id = a.entry
    WHERE a.entry < (SELECT min(entry) FROM arguments) + ? AND e.at_ms < ?)`;
  return sql.run(text, limit, beforeMs);
}

/** The number of the hub with the most entries: it loses entries first, so that no hub displaces those of another. */
export function findLargestAuditChain(sql: Sql): number | undefined {
  const text = 'SELECT hub FROM chains WHERE head_seq > before_seq ORDER BY head_seq - before_seq DESC LIMIT 1';
  return hubReader.first(sql, text)?.hub;
}
