/** Remembers for people: partitioned by hub and person, or shared within a hub; nothing crosses from one to another. */
import { join } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { type Database, openDatabase } from '../store/database.ts';
import {
  changeMemory,
  countMatches,
  deleteMemory,
  insertMemory,
  listMemories,
  type MemoryRange,
  type MemoryRow,
  makePartition,
  matchMemories,
  memoryOf,
  type PartitionRow,
  partitionOf,
} from '../store/memory/memories.ts';
import { memoryStoreKind } from '../store/memory/schema.ts';
import type { Sql } from '../store/sql.ts';
import { bodyOf, type Draft, draftOf, invalid, type MemoryInput, tagText } from './draft.ts';
import { quotedWord, ranked, rarityOf, wordsOfQuestion } from './ranking.ts';
import { type Memory, type MemoryPrincipal, type MemoryScope, memoryBounds } from './words.ts';

/** Which memories are wanted. */
export type MemoryWanted = {
  readonly scope?: MemoryScope | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly limit?: number | undefined;
};

/** A page of memories, newest first. */
export type MemoryPage = { readonly memories: Memory[]; readonly next: string | undefined };

/** The memory of all hubs. Everything is of the principal's own partitions. */
export type MemoryService = {
  /** Throws MEMORY_FULL, MEMORY_READ_ONLY, MEMORY_INPUT_INVALID. */
  remember(who: MemoryPrincipal, scope: MemoryScope, input: MemoryInput): Promise<Memory>;
  /** The best first; both scopes unless one is named. */
  recall(who: MemoryPrincipal, question: string, wanted: MemoryWanted): Promise<Memory[]>;
  /** Of one scope. */
  list(who: MemoryPrincipal, scope: MemoryScope, wanted: MemoryWanted, cursor?: string): Promise<MemoryPage>;
  /** Throws MEMORY_UNKNOWN, MEMORY_NOT_YOURS, MEMORY_FULL. */
  update(who: MemoryPrincipal, id: string, change: Partial<MemoryInput>): Promise<Memory>;
  /** Throws MEMORY_UNKNOWN, MEMORY_NOT_YOURS. */
  forget(who: MemoryPrincipal, id: string): Promise<void>;
  /** All or nothing; gives how many are new. What is there already, by text and tags, is left as it is. */
  import(who: MemoryPrincipal, scope: MemoryScope, inputs: readonly MemoryInput[]): Promise<number>;
  close(): Promise<void>;
};

/** What it is made of. */
export type MemoryOptions = { readonly folder: string; readonly clock: Pick<Clock, 'nowMs'>; readonly random: Random };

const { items, examined, queryWords } = memoryBounds;

/** Opens the memory in its data folder. Throws STORE_*. */
export function openMemory({ folder, clock, random }: MemoryOptions): MemoryService {
  const database = openDatabase({ file: join(folder, 'memory.db'), kind: memoryStoreKind });
  return memoryOn({ database, clock, random });
}

type Parts = { readonly database: Database; readonly clock: Pick<Clock, 'nowMs'>; readonly random: Random };

function memoryOn({ database, clock, random }: Parts): MemoryService {
  const writer = (who: MemoryPrincipal, nowMs: number): Writer => ({ who, nowMs, newKey: () => random.token(9) });
  return {
    async remember(who, scope, input) {
      const draft = draftOf(input);
      return database.write((sql) => add(sql, writer(who, clock.nowMs()), scope, draft));
    },
    recall: (who, question, wanted) => database.read((sql) => recall(sql, who, question, wanted)),
    list: (who, scope, wanted, cursor) => database.read((sql) => page(sql, who, scope, wanted, cursor)),
    update(who, id, change) {
      return database.write((sql) => update(sql, writer(who, clock.nowMs()), id, change));
    },
    async forget(who, id) {
      await database.write((sql) => {
        const { partition, row } = own(sql, who, id);
        deleteMemory(sql, partition.id, row);
      });
    },
    async import(who, scope, inputs) {
      const drafts = inputs.map(draftOf);
      return database.write((sql) => {
        const known = new Set(all(sql, who, scope).map(({ body, tags }) => `${tags}\n${body}`));
        const fresh = drafts.filter(({ body, tags }) => !known.has(`${tags}\n${body}`));
        for (const draft of fresh) add(sql, writer(who, clock.nowMs()), scope, draft);
        return fresh.length;
      });
    },
    close: () => database.close(),
  };
}

type Writer = { readonly who: MemoryPrincipal; readonly nowMs: number; readonly newKey: () => string };

function personOf({ person }: MemoryPrincipal, scope: MemoryScope): string {
  return scope === 'user' ? person.personId : '';
}

/** Keys say which scope they are of, so that a person cannot name one of somebody else's. */
function scopeOf(id: string): MemoryScope {
  return id.startsWith('h_') ? 'hub' : 'user';
}

function demandWriting({ role }: MemoryPrincipal, scope: MemoryScope): void {
  if (scope === 'hub' && role === 'viewer') throw vpError('MEMORY_READ_ONLY', {});
}

function demandRoom({ memories, bytes }: PartitionRow, added: number, addedBytes: number): void {
  const { memories: most, bytes: mostBytes } = memoryBounds;
  if (memories + added > most) throw vpError('MEMORY_FULL', { most: `${most} memories` });
  if (bytes + addedBytes > mostBytes) throw vpError('MEMORY_FULL', { most: `${mostBytes} bytes` });
}

function add(sql: Sql, { who, nowMs, newKey }: Writer, scope: MemoryScope, draft: Draft): Memory {
  demandWriting(who, scope);
  const partition = makePartition(sql, who.hub.id, personOf(who, scope));
  demandRoom(partition, 1, Buffer.byteLength(draft.body) + Buffer.byteLength(draft.tags));
  const { personId, name } = who.person;
  const row = {
    key: `${scope === 'hub' ? 'h' : 'u'}_${newKey()}`,
    body: draft.body,
    tags: draft.tags,
    author_id: personId,
    author: name,
    created_at_ms: Math.min(draft.createdAtMs ?? nowMs, nowMs),
    updated_at_ms: nowMs,
  };
  insertMemory(sql, partition.id, row);
  return told(row, scope);
}

function own(sql: Sql, who: MemoryPrincipal, id: string): { partition: PartitionRow; row: MemoryRow } {
  const scope = scopeOf(id);
  demandWriting(who, scope);
  const partition = partitionOf(sql, who.hub.id, personOf(who, scope));
  const row = partition && memoryOf(sql, partition.id, id);
  if (!partition || !row) throw vpError('MEMORY_UNKNOWN', { id: id.slice(0, 100) });
  if (row.author_id !== who.person.personId && who.role !== 'owner')
    throw vpError('MEMORY_NOT_YOURS', { author: row.author });
  return { partition, row };
}

function update(sql: Sql, { who, nowMs }: Writer, id: string, { text, tags }: Partial<MemoryInput>): Memory {
  const { partition, row } = own(sql, who, id);
  const body = text === undefined ? row.body : bodyOf(text);
  const after = { ...row, body, tags: tags === undefined ? row.tags : tagText(tags), updated_at_ms: nowMs };
  demandRoom(partition, 0, Buffer.byteLength(after.body) - Buffer.byteLength(row.body));
  changeMemory(sql, partition.id, row, after);
  return told(after, scopeOf(id));
}

function told(row: Omit<MemoryRow, 'id'>, scope: MemoryScope): Memory {
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

function rangeOf({ tags = [], sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER }: MemoryWanted): MemoryRange {
  return { tags: tags.map((tag) => tag.trim().toLowerCase()).slice(0, memoryBounds.tags), sinceMs, untilMs };
}

function limitOf({ limit = 10 }: MemoryWanted): number {
  return Math.max(1, Math.min(limit, items));
}

function all(sql: Sql, who: MemoryPrincipal, scope: MemoryScope): MemoryRow[] {
  const partition = partitionOf(sql, who.hub.id, personOf(who, scope));
  return partition ? listMemories(sql, partition.id, rangeOf({}), memoryBounds.memories) : [];
}

type Found = { readonly memory: Memory; readonly marked: string; readonly updatedAtMs: number };

/** Both partitions are ranked by themselves and then told in turns: their numbers do not compare. */
function recall(sql: Sql, who: MemoryPrincipal, question: string, wanted: MemoryWanted): Memory[] {
  const scopes: readonly MemoryScope[] = wanted.scope ? [wanted.scope] : ['user', 'hub'];
  const words = wordsOfQuestion(question.slice(0, memoryBounds.queryLength), queryWords);
  const lists = scopes.map((scope) => found(sql, who, scope, words, wanted));
  const longest = Math.max(...lists.map(({ length }) => length));
  const mixed = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
  return mixed.slice(0, limitOf(wanted)).map(({ memory }) => memory);
}

function found(
  sql: Sql,
  who: MemoryPrincipal,
  scope: MemoryScope,
  words: readonly string[],
  wanted: MemoryWanted,
): Found[] {
  const partition = partitionOf(sql, who.hub.id, personOf(who, scope));
  if (!partition || words.length === 0) return [];
  const quoted = words.map(quotedWord);
  const rows = matchMemories(sql, partition.id, quoted, rangeOf(wanted), examined);
  const counts = words.map((word, at) => [word, countMatches(sql, partition.id, quoted[at] ?? '""')] as const);
  const rarity = new Map(counts.map(([word, count]) => [word, rarityOf(partition.memories, count)]));
  const averageLength = partition.bytes / Math.max(1, partition.memories);
  const candidates = rows.map((row) => ({
    memory: told(row, scope),
    marked: row.marked,
    updatedAtMs: row.updated_at_ms,
  }));
  return ranked(candidates, { memories: partition.memories, averageLength, rarity });
}

function placeOf(cursor: string | undefined): MemoryRange['before'] {
  if (cursor === undefined) return undefined;
  const [, atMs, key] = /^(\d{1,16})\.([\w-]{1,40})$/.exec(cursor) ?? [];
  return atMs === undefined || key === undefined
    ? invalid('the cursor is not one of this list')
    : { atMs: Number(atMs), key };
}

function page(
  sql: Sql,
  who: MemoryPrincipal,
  scope: MemoryScope,
  wanted: MemoryWanted,
  cursor: string | undefined,
): MemoryPage {
  const before = placeOf(cursor);
  const partition = partitionOf(sql, who.hub.id, personOf(who, scope));
  if (!partition) return { memories: [], next: undefined };
  const limit = limitOf(wanted);
  const rows = listMemories(sql, partition.id, { ...rangeOf(wanted), before }, limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last ? `${last.updated_at_ms}.${last.key}` : undefined;
  return { memories: shown.map((row) => told(row, scope)), next };
}
