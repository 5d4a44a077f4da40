/**
 * Search in the audit of one hub, newest first. Each question examines a bounded number of rows by the index that has the
 * fewest of them, and says where it stopped, so that no question holds the service up.
 */
import { Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';
import { type EntryRow, entryColumns, readEntries } from './entries.ts';

/** What is looked for; `*Key` as in the schema. `before` is where an earlier page ended. */
export type EntrySearch = {
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
  readonly limit: number;
};

/** `stopped` is where the next page goes on; undefined when there is nothing behind. */
export type EntriesFound = {
  readonly rows: EntryRow[];
  readonly stopped: { readonly atMs: number; readonly id: number } | undefined;
};

type Term = { readonly column: string; readonly index: string; readonly value: number; readonly partial?: string };

const countReader = rowReader(Type.Object({ found: Type.Integer() }));
const placeReader = rowReader(Type.Object({ id: Type.Integer(), at_ms: Type.Integer() }));

/** Rows that one question may look at. */
const examined = 5000;

function termsOf(search: EntrySearch): Term[] {
  const { personKey, viaKey, connectionKey, toolKey, requestKey, outcome } = search;
  const all: (Omit<Term, 'value'> & { value: number | undefined })[] = [
    { column: 'request_key', index: 'entries_by_request', value: requestKey, partial: 'request_key <> 0' },
    { column: 'via_key', index: 'entries_by_via', value: viaKey },
    { column: 'person_key', index: 'entries_by_person', value: personKey },
    { column: 'tool_key', index: 'entries_by_tool', value: toolKey },
    { column: 'outcome', index: 'entries_by_outcome', value: outcome, partial: 'outcome <> 0' },
    { column: 'connection_key', index: 'entries_by_time', value: connectionKey },
  ];
  return all.flatMap(({ value, ...term }) => (value === undefined ? [] : [{ ...term, value }]));
}

function isIndexed({ index, partial, value }: Term): boolean {
  return index !== 'entries_by_time' && (partial === undefined || value !== 0);
}

/** The rows of one index in the wanted time, newest first. */
function rangeOf(
  { hub, fromMs, toMs, before }: EntrySearch,
  term: Term | undefined,
): { text: string; values: number[] } {
  const own = term ? `AND ${term.column} = ? ${term.partial ? `AND ${term.partial}` : ''}` : '';
  const index = term?.index ?? 'entries_by_time';
  const until = before ? Math.min(before.atMs, toMs) : toMs;
  const behind = before ? 'AND (at_ms < ? OR id < ?)' : '';
  return {
    text: `FROM entries INDEXED BY ${index} WHERE hub = ? ${own} AND at_ms >= ? AND at_ms <= ? ${behind}`,
    values: [hub, ...(term ? [term.value] : []), fromMs, until, ...(before ? [before.atMs, before.id] : [])],
  };
}

/** The term with the fewest rows, as far as one would look. */
function narrowest(sql: Sql, search: EntrySearch, terms: readonly Term[]): Term | undefined {
  const indexed = terms.filter(isIndexed);
  if (indexed.length < 2) return indexed[0];
  const counted = indexed.map((term) => {
    const { text, values } = rangeOf(search, term);
    const counting = `SELECT count(*) AS found FROM (SELECT 1 ${text} LIMIT ${examined})`;
    return { term, found: countReader.one(sql.prepare(counting), ...values)?.found ?? 0 };
  });
  return counted.reduce((least, one) => (one.found < least.found ? one : least)).term;
}

/** One page. */
export function searchEntries(sql: Sql, search: EntrySearch): EntriesFound {
  const terms = termsOf(search);
  const leading = narrowest(sql, search, terms);
  const range = rangeOf(search, leading);
  const others = terms.filter((term) => term !== leading);
  const filter = others.map(({ column }) => `AND e.${column} = ?`).join(' ');
  const inner = `SELECT id ${range.text} ORDER BY at_ms DESC, id DESC LIMIT ${examined}`;
  const rows = readEntries(
    sql,
    `SELECT ${entryColumns} FROM (${inner}) i CROSS JOIN entries e ON e.id = i.id
     LEFT JOIN arguments a ON a.entry = e.id WHERE 1 ${filter} LIMIT ?`,
    ...range.values,
    ...others.map(({ value }) => value),
    search.limit,
  );
  return { rows, stopped: stoppedAt(sql, range, rows, search.limit) };
}

function stoppedAt(
  sql: Sql,
  range: { text: string; values: readonly number[] },
  rows: readonly EntryRow[],
  limit: number,
): EntriesFound['stopped'] {
  const last = rows.at(-1);
  if (last && rows.length === limit) return { atMs: last.at_ms, id: last.id };
  const text = `SELECT id, at_ms ${range.text} ORDER BY at_ms DESC, id DESC LIMIT 1 OFFSET ${examined - 1}`;
  const end = placeReader.one(sql.prepare(text), ...range.values);
  return end && { atMs: end.at_ms, id: end.id };
}
