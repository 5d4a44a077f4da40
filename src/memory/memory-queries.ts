/** Reads memories: all of a scope, a page, or the best matches of a query. */

import {
  countMemoryMatches,
  findPartition,
  listMemories,
  type MemoryRange,
  type MemoryRow,
  searchMemories,
} from '../store/memory/memories.ts';
import { slicePage } from '../store/page.ts';
import type { Sql } from '../store/sql.ts';
import { throwInvalidMemoryInput } from './memory-draft.ts';
import { computeRarity, rankCandidates, toQueryWords } from './ranking.ts';
import { type Memory, type MemoryPrincipal, type MemoryScope, memoryBounds } from './types.ts';

export type MemoryFilter = {
  readonly scope?: MemoryScope | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly limit?: number | undefined;
};

/** Newest first. */
export type MemoryPage = { readonly memories: Memory[]; readonly next: string | undefined };

const { items, examined, queryTerms } = memoryBounds;

export function getPartitionPerson({ person }: MemoryPrincipal, scope: MemoryScope): string {
  return scope === 'user' ? person.personId : '';
}

export function toMemory(row: Omit<MemoryRow, 'id'>, scope: MemoryScope): Memory {
  return {
    id: row.key,
    scope,
    text: row.body,
    tags: row.tags.split(' ').filter((tag) => tag !== ''),
    author: row.author,
    created_at: new Date(row.created_at_ms).toISOString(),
    updated_at: new Date(row.updated_at_ms).toISOString(),
  };
}

function toRange({ tags = [], sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER }: MemoryFilter): MemoryRange {
  return { tags: tags.map((tag) => tag.trim().toLowerCase()).slice(0, memoryBounds.tags), sinceMs, untilMs };
}

function toLimit({ limit = 10 }: MemoryFilter): number {
  return Math.max(1, Math.min(limit, items));
}

export function listAllMemories(sql: Sql, principal: MemoryPrincipal, scope: MemoryScope): MemoryRow[] {
  const partition = findPartition(sql, principal.hub.id, getPartitionPerson(principal, scope));
  return partition ? listMemories(sql, partition.id, toRange({}), memoryBounds.memories) : [];
}

type RecallCandidate = { readonly memory: Memory; readonly marked: string; readonly updatedAtMs: number };

/** Partitions are ranked separately and interleaved, because their scores are not comparable. */
export function recallMemories(sql: Sql, principal: MemoryPrincipal, query: string, filter: MemoryFilter): Memory[] {
  const scopes: readonly MemoryScope[] = filter.scope ? [filter.scope] : ['user', 'hub'];
  const terms = toQueryWords(query.slice(0, memoryBounds.queryLength), queryTerms);
  const lists = scopes.map((scope) => findCandidates(sql, principal, scope, terms, filter));
  const maxLength = Math.max(...lists.map(({ length }) => length));
  const interleaved = Array.from({ length: maxLength }, (_, index) =>
    lists.flatMap((list) => list[index] ?? []),
  ).flat();
  return interleaved.slice(0, toLimit(filter)).map(({ memory }) => memory);
}

function findCandidates(
  sql: Sql,
  principal: MemoryPrincipal,
  scope: MemoryScope,
  terms: readonly string[],
  filter: MemoryFilter,
): RecallCandidate[] {
  const partition = findPartition(sql, principal.hub.id, getPartitionPerson(principal, scope));
  if (!partition || terms.length === 0) return [];
  const rows = searchMemories(sql, partition.id, terms, toRange(filter), examined);
  const counts = terms.map((term) => [term, countMemoryMatches(sql, partition.id, term)] as const);
  const rarity = new Map(counts.map(([term, count]) => [term, computeRarity(partition.memories, count)]));
  const averageLength = partition.bytes / Math.max(1, partition.memories);
  const candidates = rows.map((row) => ({
    memory: toMemory(row, scope),
    marked: row.marked,
    updatedAtMs: row.updated_at_ms,
  }));
  return rankCandidates(candidates, { memories: partition.memories, averageLength, rarity });
}

function parseCursor(cursor: string | undefined): MemoryRange['before'] {
  if (cursor === undefined) return undefined;
  const [, atMs, key] = /^(\d{1,16})\.([\w-]{1,40})$/.exec(cursor) ?? [];
  return atMs === undefined || key === undefined
    ? throwInvalidMemoryInput('the cursor is not valid for this list')
    : { atMs: Number(atMs), key };
}

export function listMemoryPage(
  sql: Sql,
  principal: MemoryPrincipal,
  scope: MemoryScope,
  filter: MemoryFilter,
  cursor: string | undefined,
): MemoryPage {
  const before = parseCursor(cursor);
  const partition = findPartition(sql, principal.hub.id, getPartitionPerson(principal, scope));
  if (!partition) return { memories: [], next: undefined };
  const limit = toLimit(filter);
  const rows = listMemories(sql, partition.id, { ...toRange(filter), before }, limit + 1);
  const { items, last } = slicePage(rows, limit);
  return { memories: items.map((row) => toMemory(row, scope)), next: last && `${last.updated_at_ms}.${last.key}` };
}
