/**
 * Search in the audit of one hub, newest first. Each search examines a bounded number of rows, through the index with the
 * fewest matches, and returns where it stopped, so that no search blocks the service.
 */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';
import { type AuditEntryRow, auditEntryColumns, readAuditEntries } from './entries.ts';

/** `*Key` as in the schema. `before` is where an earlier page ended. */
export type AuditEntrySearch = {
  readonly hub: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly before: { readonly atMs: number; readonly id: number } | undefined;
  readonly personKey?: number | undefined;
  readonly viaKey?: number | undefined;
  readonly connectionKey?: number | undefined;
  readonly toolKey?: number | undefined;
  readonly requestKey?: number | undefined;
  readonly outcome?: number | undefined;
  /** The outcome of entries that are left out when a later one has their call's outcome. */
  readonly startedOutcome: number;
  readonly limit: number;
};

/** `stopped` is where the next page continues; undefined when there is none. */
export type AuditEntryPage = {
  readonly rows: AuditEntryRow[];
  readonly stopped: { readonly atMs: number; readonly id: number } | undefined;
};

type SearchTerm = {
  readonly column: string;
  readonly index: string;
  readonly value: number;
  readonly partial?: string;
};

const countReader = createRowReader(Type.Object({ count: Type.Integer() }));
const positionReader = createRowReader(Type.Object({ id: Type.Integer(), at_ms: Type.Integer() }));

/** Rows that one search may examine. */
const maxExaminedRows = 5000;

function toTerms(search: AuditEntrySearch): SearchTerm[] {
  const { personKey, viaKey, connectionKey, toolKey, requestKey, outcome } = search;
  const all: (Omit<SearchTerm, 'value'> & { value: number | undefined })[] = [
    { column: 'request_key', index: 'entries_by_request', value: requestKey, partial: 'request_key <> 0' },
    { column: 'via_key', index: 'entries_by_via', value: viaKey },
    { column: 'person_key', index: 'entries_by_person', value: personKey },
    { column: 'tool_key', index: 'entries_by_tool', value: toolKey },
    { column: 'outcome', index: 'entries_by_outcome', value: outcome, partial: 'outcome <> 0' },
    { column: 'connection_key', index: 'entries_by_time', value: connectionKey },
  ];
  return all.flatMap(({ value, ...term }) => (value === undefined ? [] : [{ ...term, value }]));
}

function isIndexed({ index, partial, value }: SearchTerm): boolean {
  return index !== 'entries_by_time' && (partial === undefined || value !== 0);
}

/** The rows of one index within the time range. */
function buildRange(
  { hub, fromMs, toMs, before }: AuditEntrySearch,
  term: SearchTerm | undefined,
): { text: string; values: number[] } {
  const condition = term ? `AND ${term.column} = ? ${term.partial ? `AND ${term.partial}` : ''}` : '';
  const index = term?.index ?? 'entries_by_time';
  const until = before ? Math.min(before.atMs, toMs) : toMs;
  const positionCondition = before ? 'AND (at_ms < ? OR id < ?)' : '';
  return {
    text: `FROM entries INDEXED BY ${index} WHERE hub = ? ${condition} AND at_ms >= ? AND at_ms <= ? ${positionCondition}`,
    values: [hub, ...(term ? [term.value] : []), fromMs, until, ...(before ? [before.atMs, before.id] : [])],
  };
}

/** The term with the fewest rows, counted up to the maximum examined. */
function findNarrowestTerm(sql: Sql, search: AuditEntrySearch, terms: readonly SearchTerm[]): SearchTerm | undefined {
  const indexed = terms.filter(isIndexed);
  if (indexed.length < 2) return indexed[0];
  const counts = indexed.map((term) => {
    const { text, values } = buildRange(search, term);
    const counting = `SELECT count(*) AS count FROM (SELECT 1 ${text} LIMIT ${maxExaminedRows}) AS examined`;
    return { term, rowCount: countReader.first(sql, counting, ...values)?.count ?? 0 };
  });
  return counts.reduce((least, candidate) => (candidate.rowCount < least.rowCount ? candidate : least)).term;
}

export function searchAuditEntries(sql: Sql, search: AuditEntrySearch): AuditEntryPage {
  const terms = toTerms(search);
  const leading = findNarrowestTerm(sql, search, terms);
  const range = buildRange(search, leading);
  const remainingTerms = terms.filter((term) => term !== leading);
  const filter = remainingTerms.map(({ column }) => `AND e.${column} = ?`).join(' ');
  const inner = `SELECT id, at_ms ${range.text} ORDER BY at_ms DESC, id DESC LIMIT ${maxExaminedRows}`;
  // SQLite joins in the order of the rows, and need not sort; PostgreSQL joins in any order.
  const order = sql.dialect === 'postgres' ? 'ORDER BY i.at_ms DESC, i.id DESC' : '';
  const rows = readAuditEntries(
    sql,
    `SELECT ${auditEntryColumns} FROM (${inner}) i CROSS JOIN entries e ON e.id = i.id
     LEFT JOIN arguments a ON a.entry = e.id WHERE (e.outcome <> ? OR NOT EXISTS
       (SELECT 1 FROM entries o WHERE o.hub = e.hub AND o.intent = e.seq)) ${filter} ${order} LIMIT ?`,
    ...range.values,
    search.startedOutcome,
    ...remainingTerms.map(({ value }) => value),
    search.limit,
  );
  return { rows, stopped: findStopPosition(sql, range, rows, search.limit) };
}

function findStopPosition(
  sql: Sql,
  range: { text: string; values: readonly number[] },
  rows: readonly AuditEntryRow[],
  limit: number,
): AuditEntryPage['stopped'] {
  const last = rows.at(-1);
  if (last && rows.length === limit) return { atMs: last.at_ms, id: last.id };
  const text = `SELECT id, at_ms ${range.text} ORDER BY at_ms DESC, id DESC LIMIT 1 OFFSET ${maxExaminedRows - 1}`;
  const end = positionReader.first(sql, text, ...range.values);
  return end && { atMs: end.at_ms, id: end.id };
}
