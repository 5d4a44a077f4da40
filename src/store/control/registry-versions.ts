/** Published versions of MCP servers. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

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
/** See the schema. */
export type RegistryVersionRow = Static<typeof VersionShape>;

const HeadShape = Type.Omit(VersionShape, ['document', 'published_by', 'updated_at_ms']);
/** A version without its document. */
export type RegistryHeadRow = Static<typeof HeadShape>;

const versions = rowReader(VersionShape);
const heads = rowReader(HeadShape);
const counts = rowReader(Type.Object({ found: Type.Integer() }));
const names = rowReader(Type.Object({ name: Type.String() }));
const addresses = rowReader(Type.Object({ url: Type.String() }));
const columns =
  'id, name, version, document, status, status_message, is_latest, published_by, published_at_ms, updated_at_ms';

/** Which versions are looked at; `after` is where an earlier page ended. */
export type RegistryRange = {
  readonly search?: string | undefined;
  readonly version?: string | undefined;
  readonly latestOnly: boolean;
  readonly withDeleted: boolean;
  readonly updatedAfterMs?: number | undefined;
  readonly after?: { readonly name: string; readonly id: number } | undefined;
};

function conditions(range: RegistryRange): { text: string; values: (string | number)[] } {
  const parts: [string, ...(string | number)[]][] = [['1 = 1']];
  if (range.search) parts.push(['instr(lower(name), ?) > 0', range.search.toLowerCase()]);
  if (range.version !== undefined) parts.push(['version = ?', range.version]);
  if (range.latestOnly) parts.push(['is_latest = 1']);
  if (!range.withDeleted) parts.push(["status <> 'deleted'"]);
  if (range.updatedAfterMs !== undefined) parts.push(['updated_at_ms > ?', range.updatedAfterMs]);
  if (range.after) parts.push(['(name, id) > (?, ?)', range.after.name, range.after.id]);
  return { text: parts.map(([text]) => text).join(' AND '), values: parts.flatMap(([, ...values]) => values) };
}

/** By name, then as they were published. */
export function listRegistryVersions(sql: Sql, range: RegistryRange, limit: number): RegistryVersionRow[] {
  const { text, values } = conditions(range);
  const statement = sql.prepare(`SELECT ${columns} FROM registry_versions WHERE ${text} ORDER BY name, id LIMIT ?`);
  return versions.all(statement, ...values, limit);
}

/** All versions of a server, newest first. */
export function versionsOfServer(sql: Sql, name: string): RegistryVersionRow[] {
  const text = `SELECT ${columns} FROM registry_versions WHERE name = ? ORDER BY published_at_ms DESC, id DESC`;
  return versions.all(sql.prepare(text), name);
}

/** The same without their documents. */
export function versionHeadsOfServer(sql: Sql, name: string): RegistryHeadRow[] {
  const text = `SELECT id, name, version, status, status_message, is_latest, published_at_ms FROM registry_versions
    WHERE name = ? ORDER BY published_at_ms DESC, id DESC`;
  return heads.all(sql.prepare(text), name);
}

/** One version. */
export function registryVersion(sql: Sql, name: string, version: string): RegistryVersionRow | undefined {
  const text = `SELECT ${columns} FROM registry_versions WHERE name = ? AND version = ?`;
  return versions.one(sql.prepare(text), name, version);
}

/** The one that is marked as the latest. */
export function latestRegistryVersion(sql: Sql, name: string): RegistryVersionRow | undefined {
  const text = `SELECT ${columns} FROM registry_versions WHERE name = ? AND is_latest = 1`;
  return versions.one(sql.prepare(text), name);
}

/** How many versions there are of all servers. */
export function countRegistryVersions(sql: Sql): number {
  return counts.one(sql.prepare('SELECT count(*) AS found FROM registry_versions'))?.found ?? 0;
}

/** Which other server has a version, not deleted, at this address. */
export function otherServerAt(sql: Sql, url: string, name: string): string | undefined {
  const text = `SELECT v.name FROM registry_addresses a JOIN registry_versions v ON v.id = a.version_id
    WHERE a.url = ? AND v.name <> ? AND v.status <> 'deleted' LIMIT 1`;
  return names.one(sql.prepare(text), url, name)?.name;
}

/** The addresses of a version. */
export function addressesOfVersion(sql: Sql, id: number): string[] {
  const statement = sql.prepare('SELECT url FROM registry_addresses WHERE version_id = ?');
  return addresses.all(statement, id).map(({ url }) => url);
}

/** Adds a version, which is not the latest yet. */
export function insertRegistryVersion(
  sql: Sql,
  row: Pick<RegistryVersionRow, 'name' | 'version' | 'document' | 'published_by'>,
  { urls, nowMs }: { readonly urls: readonly string[]; readonly nowMs: number },
): void {
  const { name, version, document, published_by } = row;
  const { lastInsertRowid } = sql
    .prepare(
      `INSERT INTO registry_versions
         (name, version, document, status, is_latest, published_by, published_at_ms, updated_at_ms)
       VALUES (?, ?, ?, 'active', 0, ?, ?, ?)`,
    )
    .run(name, version, document, published_by, nowMs, nowMs);
  const address = sql.prepare('INSERT INTO registry_addresses (url, version_id) VALUES (?, ?)');
  for (const url of new Set(urls)) address.run(url, lastInsertRowid);
}

/** Says of a version what has become of it. */
export function setRegistryStatus(
  sql: Sql,
  id: number,
  { status, message, nowMs }: { status: RegistryVersionRow['status']; message: string | null; nowMs: number },
): void {
  sql
    .prepare('UPDATE registry_versions SET status = ?, status_message = ?, updated_at_ms = ? WHERE id = ?')
    .run(status, message, nowMs, id);
}

/** Marks one version of a server as the latest, and no other. */
export function markRegistryLatest(sql: Sql, name: string, id: number): void {
  sql.prepare('UPDATE registry_versions SET is_latest = (id = ?) WHERE name = ?').run(id, name);
}
