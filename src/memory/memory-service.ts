/** Stores memories, partitioned by hub and person, or shared within a hub. Partitions are isolated from each other. */
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Database } from '../store/database.ts';
import {
  deleteMemory,
  ensurePartition,
  findMemory,
  findPartition,
  insertMemory,
  type MemoryPartitionRow,
  type MemoryRow,
  updateMemory,
} from '../store/memory/memories.ts';
import { openMemoryStore } from '../store/memory/memory-store.ts';
import type { Sql } from '../store/sql.ts';
import { type MemoryDraft, type MemoryInput, toMemoryDraft, toMemoryText, toTagText } from './memory-draft.ts';
import {
  getPartitionPerson,
  listAllMemories,
  listMemoryPage,
  type MemoryFilter,
  type MemoryPage,
  recallMemories,
  toMemory,
} from './memory-queries.ts';
import { type Memory, type MemoryPrincipal, type MemoryScope, memoryBounds } from './types.ts';

/** Every method uses only the principal's own partitions. */
export type MemoryService = {
  /** Throws MEMORY_FULL, MEMORY_READ_ONLY, MEMORY_INPUT_INVALID. */
  remember(principal: MemoryPrincipal, scope: MemoryScope, input: MemoryInput): Promise<Memory>;
  /** Best match first, in both scopes unless one is named. */
  recall(principal: MemoryPrincipal, query: string, filter: MemoryFilter): Promise<Memory[]>;
  list(principal: MemoryPrincipal, scope: MemoryScope, filter: MemoryFilter, cursor?: string): Promise<MemoryPage>;
  /** Throws MEMORY_UNKNOWN, MEMORY_NOT_YOURS, MEMORY_FULL. */
  update(principal: MemoryPrincipal, id: string, change: Partial<MemoryInput>): Promise<Memory>;
  /** Throws MEMORY_UNKNOWN, MEMORY_NOT_YOURS. */
  forget(principal: MemoryPrincipal, id: string): Promise<void>;
  /** All or none; returns how many are new. Memories with the same text and tags are skipped. */
  import(principal: MemoryPrincipal, scope: MemoryScope, inputs: readonly MemoryInput[]): Promise<number>;
  close(): Promise<void>;
};

/** `pid`: of the process that has the lock of `folder`; without it, lost commits are not noticed. */
export type MemoryOptions = {
  readonly folder: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly pid?: number | undefined;
  /** On PostgreSQL; by default `memory.db` of the folder. */
  readonly database?: Database | undefined;
};

/** Throws STORE_*. */
export function openMemory({ folder, clock, random, pid, ...options }: MemoryOptions): MemoryService {
  const database = options.database ?? openMemoryStore(folder, pid === undefined ? undefined : { role: 'owner', pid });
  return createMemoryService({ database, clock, random });
}

type MemoryDependencies = {
  readonly database: Database;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
};

function createMemoryService({ database, clock, random }: MemoryDependencies): MemoryService {
  const createWriteContext = (principal: MemoryPrincipal, nowMs: number): WriteContext => ({
    principal,
    nowMs,
    newKey: () => random.token(9),
  });
  return {
    async remember(principal, scope, input) {
      const draft = toMemoryDraft(input);
      return database.write((sql) => {
        const partition = openPartition(sql, principal, scope, [draft]);
        return addMemory(sql, createWriteContext(principal, clock.nowMs()), scope, partition, draft);
      });
    },
    recall: (principal, query, filter) => database.read((sql) => recallMemories(sql, principal, query, filter)),
    list: (principal, scope, filter, cursor) =>
      database.read((sql) => listMemoryPage(sql, principal, scope, filter, cursor)),
    update(principal, id, change) {
      return database.write((sql) => changeMemory(sql, createWriteContext(principal, clock.nowMs()), id, change));
    },
    async forget(principal, id) {
      await database.write((sql) => {
        const { partition, row } = requireOwn(sql, principal, id);
        deleteMemory(sql, partition.id, row);
      });
    },
    async import(principal, scope, inputs) {
      const drafts = inputs.map(toMemoryDraft);
      return database.write((sql) => {
        const existing = new Set(listAllMemories(sql, principal, scope).map(({ body, tags }) => `${tags}\n${body}`));
        const newDrafts = drafts.filter(({ body, tags }) => !existing.has(`${tags}\n${body}`));
        if (newDrafts.length === 0) return 0;
        const partition = openPartition(sql, principal, scope, newDrafts);
        const context = createWriteContext(principal, clock.nowMs());
        for (const draft of newDrafts) addMemory(sql, context, scope, partition, draft);
        return newDrafts.length;
      });
    },
    close: () => database.close(),
  };
}

type WriteContext = { readonly principal: MemoryPrincipal; readonly nowMs: number; readonly newKey: () => string };

/** Keys contain their scope, so that nobody can name another person's memory. */
function getScope(id: string): MemoryScope {
  return id.startsWith('h_') ? 'hub' : 'user';
}

function assertMayWrite({ role }: MemoryPrincipal, scope: MemoryScope): void {
  if (scope === 'hub' && role === 'viewer') throw vpError('MEMORY_READ_ONLY', {});
}

function assertRoom({ memories, bytes }: MemoryPartitionRow, addedCount: number, addedBytes: number): void {
  const { memories: max, bytes: maxBytes } = memoryBounds;
  if (memories + addedCount > max) throw vpError('MEMORY_FULL', { max: `${max} memories` });
  if (bytes + addedBytes > maxBytes) throw vpError('MEMORY_FULL', { max: `${maxBytes} bytes` });
}

/** With room for all `drafts`. Read once for them: on PostgreSQL each read runs the operation again from its start. */
function openPartition(
  sql: Sql,
  principal: MemoryPrincipal,
  scope: MemoryScope,
  drafts: readonly MemoryDraft[],
): MemoryPartitionRow {
  assertMayWrite(principal, scope);
  const partition = ensurePartition(sql, principal.hub.id, getPartitionPerson(principal, scope));
  const bytes = drafts.reduce((sum, { body, tags }) => sum + Buffer.byteLength(body) + Buffer.byteLength(tags), 0);
  assertRoom(partition, drafts.length, bytes);
  return partition;
}

function addMemory(
  sql: Sql,
  { principal, nowMs, newKey }: WriteContext,
  scope: MemoryScope,
  partition: MemoryPartitionRow,
  draft: MemoryDraft,
): Memory {
  const { personId, name } = principal.person;
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
  return toMemory(row, scope);
}

function requireOwn(
  sql: Sql,
  principal: MemoryPrincipal,
  id: string,
): { partition: MemoryPartitionRow; row: MemoryRow } {
  const scope = getScope(id);
  assertMayWrite(principal, scope);
  const partition = findPartition(sql, principal.hub.id, getPartitionPerson(principal, scope));
  const row = partition && findMemory(sql, partition.id, id);
  if (!partition || !row) throw vpError('MEMORY_UNKNOWN', { id: id.slice(0, 100) });
  if (row.author_id !== principal.person.personId && principal.role !== 'owner')
    throw vpError('MEMORY_NOT_YOURS', { author: row.author });
  return { partition, row };
}

function changeMemory(
  sql: Sql,
  { principal, nowMs }: WriteContext,
  id: string,
  { text, tags }: Partial<MemoryInput>,
): Memory {
  const { partition, row } = requireOwn(sql, principal, id);
  const body = text === undefined ? row.body : toMemoryText(text);
  const after = { ...row, body, tags: tags === undefined ? row.tags : toTagText(tags), updated_at_ms: nowMs };
  assertRoom(partition, 0, Buffer.byteLength(after.body) - Buffer.byteLength(row.body));
  updateMemory(sql, partition.id, row, after);
  return toMemory(after, getScope(id));
}
