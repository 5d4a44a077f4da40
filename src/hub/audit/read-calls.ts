/** Reads calls from the audit: found by a search, or all of a time range. */
import type { AuditCall } from '../../contract/hubs/audit-api.ts';
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import { findAuditChain } from '../../store/audit/chains.ts';
import { type AuditEntryRow, listAuditEntriesAfter, listAuditEntriesByTime } from '../../store/audit/entries.ts';
import { searchAuditEntries } from '../../store/audit/search.ts';
import { requireAttested } from './attested-call.ts';
import { type AuditSearch, matchesAuditSearch, toEntrySearch } from './audit-search.ts';

/**
 * A page of calls, newest first. It may be short although more calls match: calls before `searchedUntilMs` were not
 * searched.
 */
export type AuditSearchPage = {
  readonly items: AuditCall[];
  readonly next: string | undefined;
  readonly searchedUntilMs?: number | undefined;
};

function toAuditCall(row: AuditEntryRow): AuditCall {
  return { ...requireAttested(row), arguments: row.arguments };
}

export async function searchCalls(
  database: AuditDatabase,
  hubId: string,
  query: AuditSearch,
): Promise<AuditSearchPage> {
  const chain = await database.read((sql) => findAuditChain(sql, hubId));
  if (!chain) return { items: [], next: undefined };
  const { rows, stopped } = await database.read((sql) => searchAuditEntries(sql, toEntrySearch(chain.hub, query)));
  // Different names may share a search key.
  const items = rows.map(toAuditCall).filter((call) => matchesAuditSearch(call, query));
  return { items, next: stopped && `${stopped.atMs}.${stopped.id}`, searchedUntilMs: stopped?.atMs };
}

const pageSize = 500;

export type CallRange = { readonly fromMs: number; readonly toMs: number; readonly afterSeq?: number };

export async function* readCalls(
  database: AuditDatabase,
  hubId: string,
  { fromMs, toMs, afterSeq: firstSeq = 0 }: CallRange,
): AsyncIterable<readonly AuditCall[]> {
  const chain = await database.read((sql) => findAuditChain(sql, hubId));
  if (!chain) return;
  let afterSeq = Math.max(chain.before_seq, firstSeq);
  while (afterSeq < chain.head_seq) {
    const rows = await database.read((sql) => listAuditEntriesAfter(sql, chain.hub, afterSeq, pageSize));
    const last = rows.at(-1);
    if (!last) return;
    afterSeq = last.seq;
    const matching = rows.filter(({ at_ms, seq }) => at_ms >= fromMs && at_ms <= toMs && seq <= chain.head_seq);
    if (matching.length > 0) yield matching.map(toAuditCall);
    // Yield between pages so that other work can run.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** All calls since `fromMs` up to the entry `untilSeq`, in the order of time, whatever older entries there are. */
export async function* readCallsByTime(
  database: AuditDatabase,
  hubId: string,
  { fromMs, untilSeq }: { readonly fromMs: number; readonly untilSeq: number },
): AsyncIterable<readonly AuditCall[]> {
  const chain = await database.read((sql) => findAuditChain(sql, hubId));
  if (!chain) return;
  let after = { atMs: fromMs, id: 0 };
  for (;;) {
    const page = { hub: chain.hub, untilSeq, after, limit: pageSize };
    const rows = await database.read((sql) => listAuditEntriesByTime(sql, page));
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(toAuditCall);
    after = { atMs: last.at_ms, id: last.id };
    await new Promise((resolve) => setImmediate(resolve));
  }
}
