/** Memories of one partition. Nothing here reads or writes across partitions. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const PartitionShape = Type.Object({ id: Type.Integer(), memories: Type.Integer(), bytes: Type.Integer() });
/** A partition with how much it holds. */
export type PartitionRow = Static<typeof PartitionShape>;

const MemoryShape = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  body: Type.String(),
  tags: Type.String(),
  author_id: Type.String(),
  author: Type.String(),
  created_at_ms: Type.Integer(),
  updated_at_ms: Type.Integer(),
});
/** A memory; `tags` is each tag between spaces. */
export type MemoryRow = Static<typeof MemoryShape>;

const MatchShape = Type.Composite([MemoryShape, Type.Object({ marked: Type.String() })]);
/** A memory that was found, with what was found put between \uE000 and \uE001. */
export type MatchRow = Static<typeof MatchShape>;

const partitionReader = rowReader(PartitionShape);
const memoryReader = rowReader(MemoryShape);
const matchReader = rowReader(MatchShape);
const countReader = rowReader(Type.Object({ found: Type.Integer() }));

const columns = 'm.id, m.key, m.body, m.tags, m.author_id, m.author, m.created_at_ms, m.updated_at_ms';

/** The partition of a person in a hub, or the hub's own (empty `personId`). */
export function partitionOf(sql: Sql, hubId: string, personId: string): PartitionRow | undefined {
  const text = 'SELECT id, memories, bytes FROM partitions WHERE hub_id = ? AND person_id = ?';
  return partitionReader.one(sql.prepare(text), hubId, personId);
}

/** The same, made where it is not there. */
export function makePartition(sql: Sql, hubId: string, personId: string): PartitionRow {
  const known = partitionOf(sql, hubId, personId);
  if (known) return known;
  const text = 'INSERT INTO partitions (hub_id, person_id) VALUES (?, ?)';
  const { lastInsertRowid } = sql.prepare(text).run(hubId, personId);
  return { id: Number(lastInsertRowid), memories: 0, bytes: 0 };
}

/** The word of a partition in the full text; letters alone, so that no part of a text is ever taken for one. */
export function partWord(partition: number): string {
  return `part${partition}part`;
}

function count(sql: Sql, partition: number, memories: number, bytes: number): void {
  const text = 'UPDATE partitions SET memories = memories + ?, bytes = bytes + ? WHERE id = ?';
  sql.prepare(text).run(memories, bytes, partition);
}

function bytesOf({ body, tags }: Pick<MemoryRow, 'body' | 'tags'>): number {
  return Buffer.byteLength(body) + Buffer.byteLength(tags);
}

/** Adds one. */
export function insertMemory(sql: Sql, partition: number, row: Omit<MemoryRow, 'id'>): void {
  const { key, body, tags, author_id, author, created_at_ms, updated_at_ms } = row;
  sql
    .prepare(
      `INSERT INTO memories (partition, part, key, body, tags, author_id, author, created_at_ms, updated_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(partition, partWord(partition), key, body, tags, author_id, author, created_at_ms, updated_at_ms);
  count(sql, partition, 1, bytesOf(row));
}

/** One by its key. */
export function memoryOf(sql: Sql, partition: number, key: string): MemoryRow | undefined {
  const text = `SELECT ${columns} FROM memories m WHERE m.partition = ? AND m.key = ?`;
  return memoryReader.one(sql.prepare(text), partition, key);
}

/** Writes text and tags anew. */
export function changeMemory(sql: Sql, partition: number, before: MemoryRow, after: MemoryRow): void {
  sql
    .prepare('UPDATE memories SET body = ?, tags = ?, updated_at_ms = ? WHERE partition = ? AND id = ?')
    .run(after.body, after.tags, after.updated_at_ms, partition, before.id);
  count(sql, partition, 0, bytesOf(after) - bytesOf(before));
}

/** Deletes one. */
export function deleteMemory(sql: Sql, partition: number, row: MemoryRow): void {
  sql.prepare('DELETE FROM memories WHERE partition = ? AND id = ?').run(partition, row.id);
  count(sql, partition, -1, -bytesOf(row));
}

/** Which memories are looked at. */
export type MemoryRange = {
  readonly tags: readonly string[];
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Where an earlier page ended. */
  readonly before?: { readonly atMs: number; readonly key: string } | undefined;
};

function conditions({ tags, sinceMs, untilMs, before }: MemoryRange): { text: string; values: (string | number)[] } {
  const tagged = tags.map(() => 'AND instr(m.tags, ?) > 0').join(' ');
  const behind = before ? 'AND (m.updated_at_ms, m.key) < (?, ?)' : '';
  return {
    text: `AND m.updated_at_ms >= ? AND m.updated_at_ms <= ? ${tagged} ${behind}`,
    values: [sinceMs, untilMs, ...tags.map((tag) => ` ${tag} `), ...(before ? [before.atMs, before.key] : [])],
  };
}

/** Newest first. */
export function listMemories(sql: Sql, partition: number, range: MemoryRange, limit: number): MemoryRow[] {
  const { text, values } = conditions(range);
  return memoryReader.all(
    sql.prepare(
      `SELECT ${columns} FROM memories m WHERE m.partition = ? ${text}
       ORDER BY m.updated_at_ms DESC, m.key DESC LIMIT ?`,
    ),
    partition,
    ...values,
    limit,
  );
}

function matching(partition: number, words: readonly string[]): string {
  return `part : "${partWord(partition)}" AND {body tags} : (${words.join(' OR ')})`;
}

/** Memories with any of the words (quoted for FTS5), newest first, at most `limit`. */
export function matchMemories(
  sql: Sql,
  partition: number,
  words: readonly string[],
  range: MemoryRange,
  limit: number,
): MatchRow[] {
  const { text, values } = conditions(range);
  return matchReader.all(
    sql.prepare(
      `SELECT ${columns}, highlight(memories_text, 1, char(57344), char(57345)) || ' ' || highlight(memories_text, 2, char(57344), char(57345)) AS marked
       FROM memories_text JOIN memories m ON m.id = memories_text.rowid
       WHERE memories_text MATCH ? AND m.partition = ? ${text}
       ORDER BY memories_text.rowid DESC LIMIT ?`,
    ),
    matching(partition, words),
    partition,
    ...values,
    limit,
  );
}

/** In how many memories of the partition a word stands. */
export function countMatches(sql: Sql, partition: number, word: string): number {
  const text = 'SELECT count(*) AS found FROM memories_text WHERE memories_text MATCH ?';
  return countReader.one(sql.prepare(text), matching(partition, [word]))?.found ?? 0;
}
