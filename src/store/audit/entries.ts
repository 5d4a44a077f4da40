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
  intent: Type.Union([Type.Integer(), Type.Null()]),
  body: Type.String(),
  mac: Bytes,
  salt: Type.Union([Bytes, Type.Null()]),
  arguments: Type.Union([Type.String(), Type.Null()]),
});
/** A row with its stored arguments; `salt` is null once they were erased. */
export type AuditEntryRow = Static<typeof EntryShape>;

const entryReader = createRowReader(EntryShape);
const seqReader = createRowReader(Type.Object({ seq: Type.Integer(), mac: Bytes }));
const splitReader = createRowReader(Type.Object({ started: Type.Union([Type.Integer(), Type.Null()]) }));
const countReader = createRowReader(Type.Object({ entries: Type.Integer() }));
const hubReader = createRowReader(Type.Object({ hub: Type.Integer() }));

/** Columns of an entry `e` and its arguments `a`. */
export const auditEntryColumns = `e.id, e.hub, e.seq, e.at_ms, e.person_key, e.via_key, e.connection_key, e.tool_key,
  e.request_key, e.outcome, e.intent, e.body, e.mac, a.salt, a.text AS arguments`;

export function readAuditEntries(sql: Sql, text: string, ...values: readonly SqlValue[]): AuditEntryRow[] {
  return entryReader.all(sql, text, ...values);
}

/** The tables in which an entry with a salt has a row each. */
export const auditEntryTables: readonly string[] = ['entries', 'arguments'];

export function insertAuditEntry(sql: Sql, row: Omit<AuditEntryRow, 'id'>): void {
  const { hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, intent, body, mac } =
    row;
  sql.execute(
    `INSERT INTO entries (hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, intent, body, mac)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    hub,
    seq,
    at_ms,
    person_key,
    via_key,
    connection_key,
    tool_key,
    request_key,
    outcome,
    intent,
    body,
    mac,
  );
  if (row.salt === null) return;
  const text = 'INSERT INTO arguments (entry, salt, text) VALUES (last_insert_rowid(), ?, ?)';
  sql.execute(text, row.salt, row.arguments);
}

/** Whether the entry with this salt, which no two share, is there; `atMs` is its time. */
export function hasAuditEntry(sql: Sql, hub: number, atMs: number, salt: Uint8Array): boolean {
  const text = `SELECT count(*) AS entries FROM entries e JOIN arguments a ON a.entry = e.id
    WHERE e.hub = ? AND e.at_ms = ? AND a.salt = ?`;
  return (countReader.first(sql, text, hub, atMs, salt)?.entries ?? 0) > 0;
}

/** Entries of a chain after `seq`, in order. */
export function listAuditEntriesAfter(sql: Sql, hub: number, seq: number, limit: number): AuditEntryRow[] {
  const text = `SELECT ${auditEntryColumns} FROM entries e LEFT JOIN arguments a ON a.entry = e.id
    WHERE e.hub = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`;
  return readAuditEntries(sql, text, hub, seq, limit);
}

/** Entries up to `untilSeq` from a time on, in the order of time; `after` is the last one of the page before. */
export function listAuditEntriesByTime(sql: Sql, { hub, untilSeq, after, limit }: AuditTimePage): AuditEntryRow[] {
  const text = `SELECT ${auditEntryColumns} FROM entries e LEFT JOIN arguments a ON a.entry = e.id
    WHERE e.hub = ? AND e.at_ms >= ? AND (e.at_ms > ? OR e.id > ?) AND e.seq <= ? ORDER BY e.at_ms, e.id LIMIT ?`;
  return readAuditEntries(sql, text, hub, after.atMs, after.atMs, after.id, untilSeq, limit);
}

export type AuditTimePage = {
  readonly hub: number;
  readonly untilSeq: number;
  readonly after: { readonly atMs: number; readonly id: number };
  readonly limit: number;
};

export function findAuditEntryMac(sql: Sql, hub: number, seq: number): Uint8Array | undefined {
  return seqReader.first(sql, 'SELECT seq, mac FROM entries WHERE hub = ? AND seq = ?', hub, seq)?.mac;
}

/** The number of entries of a chain up to `seq`, those included that stand before its beginning or twice. */
export function countAuditEntriesUpTo(sql: Sql, hub: number, seq: number): number {
  return (
    countReader.first(sql, 'SELECT count(*) AS entries FROM entries WHERE hub = ? AND seq <= ?', hub, seq)?.entries ?? 0
  );
}

/**
 * The last of the oldest entries that are all older than `beforeMs`, among the first `limit` entries after `afterSeq`. One
 * entry with a wrong time, from a moment of wrong clock, says nothing about the age of those before it.
 */
export function findLastExpiredAuditEntry(sql: Sql, hub: number, afterSeq: number, beforeMs: number, limit: number) {
  const text = `SELECT seq, mac FROM entries WHERE hub = ? AND seq > ? AND seq <= ? AND seq < coalesce(
    (SELECT min(seq) FROM entries WHERE hub = ? AND seq > ? AND seq <= ? AND at_ms >= ?), ?) ORDER BY seq DESC LIMIT 1`;
  const lastSeq = afterSeq + limit;
  return seqReader.first(sql, text, hub, afterSeq, lastSeq, hub, afterSeq, lastSeq, beforeMs, lastSeq + 1);
}

/** The last of the first `limit` entries after `afterSeq`. */
export function findLastAuditEntryWithin(sql: Sql, hub: number, afterSeq: number, limit: number) {
  const text = 'SELECT seq, mac FROM entries WHERE hub = ? AND seq > ? AND seq <= ? ORDER BY seq DESC LIMIT 1';
  return seqReader.first(sql, text, hub, afterSeq, afterSeq + limit);
}

/** The first of the calls up to `seq`, in the order of the chain, whose outcome comes later. */
export function findSplitAuditCall(sql: Sql, hub: number, seq: number): number | undefined {
  const text = `SELECT min(started) AS started FROM (
    SELECT min(intent) AS started FROM entries INDEXED BY entries_by_intent WHERE hub = ? AND intent <= ? AND seq > ?
    UNION ALL SELECT min(seq) FROM open_intents WHERE hub = ? AND seq <= ?) AS halves`;
  return splitReader.first(sql, text, hub, seq, seq, hub, seq)?.started ?? undefined;
}

/** Deletes the entries of a chain up to `seq` with their arguments; returns how many. */
export function deleteAuditEntriesUpTo(sql: Sql, hub: number, seq: number): number {
  const old = 'SELECT id FROM entries WHERE hub = ? AND seq <= ?';
  sql.execute(`DELETE FROM arguments WHERE entry IN (${old})`, hub, seq);
  sql.execute('DELETE FROM open_intents WHERE hub = ? AND seq <= ?', hub, seq);
  return sql.run('DELETE FROM entries WHERE hub = ? AND seq <= ?', hub, seq);
}

const boundReader = createRowReader(Type.Object({ bound: Type.Union([Type.Integer(), Type.Null()]) }));
const erasureReader = createRowReader(Type.Object({ hub: Type.Integer(), seq: Type.Integer() }));

/**
 * Erases arguments and salts of the oldest entries that are all older than `beforeMs`, among the first `limit`; returns how
 * many, and the last entry of each hub.
 */
export function eraseAuditArguments(sql: Sql, beforeMs: number, limit: number) {
  const first = '(SELECT min(entry) FROM arguments)';
  const text = `SELECT min(${first} + ?, coalesce((SELECT min(a.entry) FROM arguments a
    JOIN entries e ON e.id = a.entry WHERE a.entry < ${first} + ? AND e.at_ms >= ?), ${Number.MAX_SAFE_INTEGER})) AS bound`;
  const bound = boundReader.first(sql, text, limit, limit, beforeMs)?.bound ?? 0;
  const lastText = `SELECT e.hub, max(e.seq) AS seq FROM arguments a JOIN entries e ON e.id = a.entry
    WHERE a.entry < ? GROUP BY e.hub`;
  const last = erasureReader.all(sql, lastText, bound);
  return { erased: sql.run('DELETE FROM arguments WHERE entry < ?', bound), last };
}

/** The last entry of a chain that has no arguments: those before it were erased, too. */
export function findLastErasedAuditEntry(sql: Sql, hub: number): number | undefined {
  const text = `SELECT e.seq, e.mac FROM entries e WHERE e.hub = ?
    AND NOT EXISTS (SELECT 1 FROM arguments a WHERE a.entry = e.id) ORDER BY e.seq DESC LIMIT 1`;
  return seqReader.first(sql, text, hub)?.seq;
}

/** The number of the hub with the most entries: it loses entries first, so that no hub displaces those of another. */
export function findLargestAuditChain(sql: Sql): number | undefined {
  const text = 'SELECT hub FROM chains WHERE head_seq > before_seq ORDER BY head_seq - before_seq DESC LIMIT 1';
  return hubReader.first(sql, text)?.hub;
}
