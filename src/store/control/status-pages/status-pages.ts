/** Pages that people without an account read. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import { createRowInserter, formatColumns } from '../../row-writer.ts';
import type { Sql } from '../../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);

const StatusPageShape = Type.Object({
  id: Type.String(),
  instance_id: Type.String(),
  title: Type.String(),
  tags: Type.String(),
  suite: nullableText,
  branch: nullableText,
  stale_after_s: nullableInteger,
  until_ms: Type.Integer(),
  created_by: Type.String(),
  created_at_ms: Type.Integer(),
  last_viewed_at_ms: nullableInteger,
});
/** Without the hash of its secret; `tags` is a JSON array. */
export type StatusPageRow = Static<typeof StatusPageShape>;

const reader = createRowReader(StatusPageShape);
const columns = formatColumns(StatusPageShape);
const insertHashedPage = createRowInserter(
  'status_pages',
  Type.Object({ hash: Type.String(), ...StatusPageShape.properties }),
);

/** Newest first, with those that have ended. */
export function listStatusPages(sql: Sql, instance: string): StatusPageRow[] {
  const statement = `SELECT ${columns} FROM status_pages WHERE instance_id = ? ORDER BY created_at_ms DESC, id`;
  return reader.all(sql, statement, instance);
}

export function findStatusPage(sql: Sql, instance: string, id: string): StatusPageRow | undefined {
  return reader.first(sql, `SELECT ${columns} FROM status_pages WHERE instance_id = ? AND id = ?`, instance, id);
}

/** Undefined when it was revoked or has ended. */
export function findStatusPageByHash(sql: Sql, hash: string, nowMs: number): StatusPageRow | undefined {
  return reader.first(sql, `SELECT ${columns} FROM status_pages WHERE hash = ? AND until_ms > ?`, hash, nowMs);
}

export function insertStatusPage(sql: Sql, row: StatusPageRow, hash: string): void {
  insertHashedPage(sql, { hash, ...row });
}

export function saveStatusPageEnd(sql: Sql, id: string, untilMs: number): void {
  sql.execute('UPDATE status_pages SET until_ms = ? WHERE id = ?', untilMs, id);
}

export function saveStatusPageView(sql: Sql, id: string, viewedAtMs: number): void {
  sql.execute('UPDATE status_pages SET last_viewed_at_ms = ? WHERE id = ?', viewedAtMs, id);
}

export function deleteStatusPage(sql: Sql, id: string): void {
  sql.execute('DELETE FROM status_pages WHERE id = ?', id);
}

/** Those of the instance that ended before a time. */
export function deleteEndedStatusPages(sql: Sql, instance: string, beforeMs: number): void {
  sql.execute('DELETE FROM status_pages WHERE instance_id = ? AND until_ms < ?', instance, beforeMs);
}

export function deleteStatusPages(sql: Sql, instance: string): void {
  sql.execute('DELETE FROM status_pages WHERE instance_id = ?', instance);
}
