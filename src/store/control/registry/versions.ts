/** Published versions of MCP servers. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const VersionShape = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  version: Type.String(),
  document: Type.String(),
  status: Type.Union([Type.Literal('active'), Type.Literal('deprecated'), Type.Literal('deleted')]),
  status_message: Type.Union([Type.String(), Type.Null()]),
  is_latest: Type.Integer(),
  published_by: Type.String(),
  published_at_ms: Type.Integer(),
  updated_at_ms: Type.Integer(),
});
export type RegistryVersionRow = Static<typeof VersionShape>;

const HeadShape = Type.Omit(VersionShape, ['document', 'published_by', 'updated_at_ms']);
export type RegistryVersionHeadRow = Static<typeof HeadShape>;

const versionReader = createRowReader(VersionShape);
const headReader = createRowReader(HeadShape);
const countReader = createRowReader(Type.Object({ count: Type.Integer() }));
const nameReader = createRowReader(Type.Object({ name: Type.String() }));
const urlReader = createRowReader(Type.Object({ url: Type.String() }));
const columns =
  'id, name, version, document, status, status_message, is_latest, published_by, published_at_ms, updated_at_ms';

/** `after` is where an earlier page ended. */
export type RegistryVersionFilter = {
  readonly search?: string | undefined;
  readonly version?: string | undefined;
  readonly latestOnly: boolean;
  readonly includeDeleted: boolean;
  readonly updatedAfterMs?: number | undefined;
  readonly after?: { readonly name: string; readonly id: number } | undefined;
};

function buildConditions(range: RegistryVersionFilter): { text: string; values: (string | number)[] } {
  const conditions: [string, ...(string | number)[]][] = [['1 = 1']];
  if (range.search) conditions.push(['instr(lower(name), ?) > 0', range.search.toLowerCase()]);
  if (range.version !== undefined) conditions.push(['version = ?', range.version]);
  if (range.latestOnly) conditions.push(['is_latest = 1']);
  if (!range.includeDeleted) conditions.push(["status <> 'deleted'"]);
  if (range.updatedAfterMs !== undefined) conditions.push(['updated_at_ms > ?', range.updatedAfterMs]);
  if (range.after) conditions.push(['(name, id) > (?, ?)', range.after.name, range.after.id]);
  return {
    text: conditions.map(([text]) => text).join(' AND '),
    values: conditions.flatMap(([, ...values]) => values),
  };
}

/** By name, then in the order of publication. */
export function listRegistryVersions(sql: Sql, range: RegistryVersionFilter, limit: number): RegistryVersionRow[] {
  const { text, values } = buildConditions(range);
  const statement = `SELECT ${columns} FROM registry_versions WHERE ${text} ORDER BY name, id LIMIT ?`;
  return versionReader.all(sql, statement, ...values, limit);
}

/** Newest first. */
export function listServerVersions(sql: Sql, name: string): RegistryVersionRow[] {
  const text = `SELECT ${columns} FROM registry_versions WHERE name = ? ORDER BY published_at_ms DESC, id DESC`;
  return versionReader.all(sql, text, name);
}

/** Newest first, without documents. */
export function listServerVersionHeads(sql: Sql, name: string): RegistryVersionHeadRow[] {
  const text = `SELECT id, name, version, status, status_message, is_latest, published_at_ms FROM registry_versions
    WHERE name = ? ORDER BY published_at_ms DESC, id DESC`;
  return headReader.all(sql, text, name);
}

export function findRegistryVersion(sql: Sql, name: string, version: string): RegistryVersionRow | undefined {
  const text = `SELECT ${columns} FROM registry_versions WHERE name = ? AND version = ?`;
  return versionReader.first(sql, text, name, version);
}

export function findLatestRegistryVersion(sql: Sql, name: string): RegistryVersionRow | undefined {
  const text = `SELECT ${columns} FROM registry_versions WHERE name = ? AND is_latest = 1`;
  return versionReader.first(sql, text, name);
}

export function countRegistryVersions(sql: Sql): number {
  return countReader.first(sql, 'SELECT count(*) AS count FROM registry_versions')?.count ?? 0;
}

/** The name of another server with a version, not deleted, at this URL. */
export function findOtherServerByUrl(sql: Sql, url: string, name: string): string | undefined {
  const text = `SELECT v.name FROM registry_addresses a JOIN registry_versions v ON v.id = a.version_id
    WHERE a.url = ? AND v.name <> ? AND v.status <> 'deleted' LIMIT 1`;
  return nameReader.first(sql, text, url, name)?.name;
}

export function listVersionUrls(sql: Sql, id: number): string[] {
  const statement = 'SELECT url FROM registry_addresses WHERE version_id = ?';
  return urlReader.all(sql, statement, id).map(({ url }) => url);
}

/** The new version is not marked as the latest yet. */
export function insertRegistryVersion(
  sql: Sql,
  row: Pick<RegistryVersionRow, 'name' | 'version' | 'document' | 'published_by'>,
  { urls, nowMs }: { readonly urls: readonly string[]; readonly nowMs: number },
): void {
  const { name, version, document, published_by } = row;
  const id = sql.insert(
    `INSERT INTO registry_versions
         (name, version, document, status, is_latest, published_by, published_at_ms, updated_at_ms)
       VALUES (?, ?, ?, 'active', 0, ?, ?, ?)`,
    name,
    version,
    document,
    published_by,
    nowMs,
    nowMs,
  );
  const address = 'INSERT INTO registry_addresses (url, version_id) VALUES (?, ?)';
  for (const url of new Set(urls)) sql.execute(address, url, id);
}

export function updateRegistryStatus(
  sql: Sql,
  id: number,
  { status, message, nowMs }: { status: RegistryVersionRow['status']; message: string | null; nowMs: number },
): void {
  sql.execute(
    'UPDATE registry_versions SET status = ?, status_message = ?, updated_at_ms = ? WHERE id = ?',
    status,
    message,
    nowMs,
    id,
  );
}

export function markRegistryLatest(sql: Sql, name: string, id: number): void {
  sql.execute('UPDATE registry_versions SET is_latest = CASE WHEN id = ? THEN 1 ELSE 0 END WHERE name = ?', id, name);
}
