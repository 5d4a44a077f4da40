/** Memories of one partition. Nothing here reads or writes across partitions. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

const PartitionShape = Type.Object({ id: Type.Integer(), memories: Type.Integer(), bytes: Type.Integer() });
/** A partition with its size. */
export type MemoryPartitionRow = Static<typeof PartitionShape>;

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
/** `tags` has a space before and after each tag. */
export type MemoryRow = Static<typeof MemoryShape>;

const MatchShape = Type.Composite([MemoryShape, Type.Object({ marked: Type.String() })]);
/** A match of a search; `marked` is its text and tags with each matched word between \uE000 and \uE001. */
export type MemoryMatchRow = Static<typeof MatchShape>;

const partitionReader = createRowReader(PartitionShape);
const memoryReader = createRowReader(MemoryShape);
const matchReader = createRowReader(MatchShape);
const countReader = createRowReader(Type.Object({ count: Type.Integer() }));

const columns = 'm.id, m.key, m.body, m.tags, m.author_id, m.author, m.created_at_ms, m.updated_at_ms';

/** The partition of a person in a hub, or the hub's shared one (empty `personId`). */
export function findPartition(sql: Sql, hubId: string, personId: string): MemoryPartitionRow | undefined {
  const text = 'SELECT id, memories, bytes FROM partitions WHERE hub_id = ? AND person_id = ?';
  return partitionReader.first(sql, text, hubId, personId);
}

/** Creates the partition when it does not exist. */
export function ensurePartition(sql: Sql, hubId: string, personId: string): MemoryPartitionRow {
  const existing = findPartition(sql, hubId, personId);
  if (existing) return existing;
  const text = 'INSERT INTO partitions (hub_id, person_id) VALUES (?, ?)';
  return { id: sql.insert(text, hubId, personId), memories: 0, bytes: 0 };
}

/** The search term of a partition in the full-text index. */
function formatPartitionTerm(partition: number): string {
  return `part${partition}part`;
}

function addToPartitionSize(sql: Sql, partition: number, memories: number, bytes: number): void {
  const text = 'UPDATE partitions SET memories = memories + ?, bytes = bytes + ? WHERE id = ?';
  sql.execute(text, memories, bytes, partition);
}

function countBytes({ body, tags }: Pick<MemoryRow, 'body' | 'tags'>): number {
  return Buffer.byteLength(body) + Buffer.byteLength(tags);
}

export function insertMemory(sql: Sql, partition: number, row: Omit<MemoryRow, 'id'>): void {
  const { key, body, tags, author_id, author, created_at_ms, updated_at_ms } = row;
  sql.execute(
    `INSERT INTO memories (partition, part, key, body, tags, author_id, author, created_at_ms, updated_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    partition,
    formatPartitionTerm(partition),
    key,
    body,
    tags,
    author_id,
    author,
    created_at_ms,
    updated_at_ms,
  );
  addToPartitionSize(sql, partition, 1, countBytes(row));
}

export function findMemory(sql: Sql, partition: number, key: string): MemoryRow | undefined {
  const text = `SELECT ${columns} FROM memories m WHERE m.partition = ? AND m.key = ?`;
  return memoryReader.first(sql, text, partition, key);
}

export function updateMemory(sql: Sql, partition: number, before: MemoryRow, after: MemoryRow): void {
  sql.execute(
    'UPDATE memories SET body = ?, tags = ?, updated_at_ms = ? WHERE partition = ? AND id = ?',
    after.body,
    after.tags,
    after.updated_at_ms,
    partition,
    before.id,
  );
  addToPartitionSize(sql, partition, 0, countBytes(after) - countBytes(before));
}

export function deleteMemory(sql: Sql, partition: number, row: MemoryRow): void {
  sql.execute('DELETE FROM memories WHERE partition = ? AND id = ?', partition, row.id);
  addToPartitionSize(sql, partition, -1, -countBytes(row));
}

export type MemoryRange = {
  readonly tags: readonly string[];
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Where an earlier page ended. */
  readonly before?: { readonly atMs: number; readonly key: string } | undefined;
};

function buildConditions({ tags, sinceMs, untilMs, before }: MemoryRange): {
  text: string;
  values: (string | number)[];
} {
  const tagConditions = tags.map(() => 'AND instr(m.tags, ?) > 0').join(' ');
  const positionCondition = before ? 'AND (m.updated_at_ms, m.key) < (?, ?)' : '';
  return {
    text: `AND m.updated_at_ms >= ? AND m.updated_at_ms <= ? ${tagConditions} ${positionCondition}`,
    values: [sinceMs, untilMs, ...tags.map((tag) => ` ${tag} `), ...(before ? [before.atMs, before.key] : [])],
  };
}

/** Newest first. */
export function listMemories(sql: Sql, partition: number, range: MemoryRange, limit: number): MemoryRow[] {
  const { text, values } = buildConditions(range);
  return memoryReader.all(
    sql,
    `SELECT ${columns} FROM memories m WHERE m.partition = ? ${text}
       ORDER BY m.updated_at_ms DESC, m.key DESC LIMIT ?`,
    partition,
    ...values,
    limit,
  );
}

/** Words in the query language of FTS5; longer ones also match as a prefix. */
function toFtsQuery(partition: number, words: readonly string[]): string {
  const terms = words.map((word) => {
    const quoted = `"${word.replaceAll('"', '""')}"`;
    return word.length >= prefixLength ? `${quoted} OR ${quoted}*` : quoted;
  });
  return `part : "${formatPartitionTerm(partition)}" AND {body tags} : (${terms.join(' OR ')})`;
}

/** The same for to_tsquery: a word reduced to its stem, or its beginning. */
function toTsQuery(words: readonly string[]): string {
  const terms = words.map((word) => {
    const quoted = `'${word.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
    return word.length >= prefixLength ? `${quoted} | ${quoted}:*` : quoted;
  });
  return terms.join(' | ');
}

const prefixLength = 3;

/** The statements of a search. `find`: the query, the partition and the values of `conditions`, then a limit. */
type SearchStatements = {
  find(conditions: string): string;
  readonly count: string;
  toQuery(partition: number, words: readonly string[]): string;
};

const searchStatements: Readonly<Record<Sql['dialect'], SearchStatements>> = {
  sqlite: {
    find: (conditions) => `SELECT ${columns}, highlight(memories_text, 1, char(57344), char(57345)) || ' ' ||
         highlight(memories_text, 2, char(57344), char(57345)) AS marked
       FROM memories_text CROSS JOIN memories m ON m.id = memories_text.rowid
       WHERE memories_text MATCH ? AND m.partition = ? ${conditions}
       ORDER BY memories_text.rowid DESC LIMIT ?`,
    // The index alone: the partition is in the query, and the second parameter always holds.
    count: 'SELECT count(*) AS count FROM memories_text WHERE memories_text MATCH ? AND ? > 0',
    toQuery: toFtsQuery,
  },
  postgres: {
    find: (conditions) => `SELECT ${columns}, ts_headline('vp_memory.words', plain(m.body || ' ' || m.tags), query,
         'HighlightAll=true, StartSel="\uE000", StopSel="\uE001"') AS marked
       FROM memories m, to_tsquery('vp_memory.words', plain(?)) query
       WHERE m.found_by @@ query AND m.partition = ? ${conditions}
       ORDER BY m.id DESC LIMIT ?`,
    count: `SELECT count(*) AS count FROM memories m
      WHERE m.found_by @@ to_tsquery('vp_memory.words', plain(?)) AND m.partition = ?`,
    toQuery: (_, words) => toTsQuery(words),
  },
};

/** Memories with any of the words, newest first. Words of three letters or more also match as a prefix. */
export function searchMemories(
  sql: Sql,
  partition: number,
  words: readonly string[],
  range: MemoryRange,
  limit: number,
): MemoryMatchRow[] {
  const { text, values } = buildConditions(range);
  const { find, toQuery } = searchStatements[sql.dialect];
  return matchReader.all(sql, find(text), toQuery(partition, words), partition, ...values, limit);
}

/** The number of memories of the partition that contain a word. */
export function countMemoryMatches(sql: Sql, partition: number, word: string): number {
  const { count, toQuery } = searchStatements[sql.dialect];
  return countReader.first(sql, count, toQuery(partition, [word]), partition)?.count ?? 0;
}
