/** Named filters of pages. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import { createRowInserter, formatColumns } from '../../row-writer.ts';
import type { Sql } from '../../sql.ts';

const SavedViewShape = Type.Object({
  instance_id: Type.String(),
  id: Type.String(),
  page: Type.String(),
  name: Type.String(),
  filters: Type.String(),
  person_id: Type.Union([Type.String(), Type.Null()]),
  created_by: Type.String(),
  created_at_ms: Type.Integer(),
  updated_by: Type.String(),
  updated_at_ms: Type.Integer(),
});
/** `filters` is JSON; `person_id` is null for a view that everyone sees. */
export type SavedViewRow = Static<typeof SavedViewShape>;

const reader = createRowReader(SavedViewShape);

/** Those that everyone sees, then the personal ones of `person`, each in the order of their creation. */
export function listSavedViews(sql: Sql, instance: string, person: string | undefined): SavedViewRow[] {
  const statement = `SELECT ${formatColumns(SavedViewShape)} FROM saved_views
    WHERE instance_id = ? AND (person_id IS NULL OR person_id = ?)
    ORDER BY CASE WHEN person_id IS NULL THEN 0 ELSE 1 END, created_at_ms, name, id`;
  // No account has an empty id.
  return reader.all(sql, statement, instance, person ?? '');
}

export const insertSavedView = createRowInserter('saved_views', SavedViewShape);

/** Its name and filters, and by whom and when. */
export function updateSavedView(sql: Sql, row: SavedViewRow): void {
  sql.execute(
    `UPDATE saved_views SET name = ?, filters = ?, updated_by = ?, updated_at_ms = ? WHERE instance_id = ? AND id = ?`,
    ...[row.name, row.filters, row.updated_by, row.updated_at_ms, row.instance_id, row.id],
  );
}

export function deleteSavedView(sql: Sql, instance: string, id: string): void {
  sql.execute('DELETE FROM saved_views WHERE instance_id = ? AND id = ?', instance, id);
}

/** What only a person who leaves can see. */
export function deletePersonalViews(sql: Sql, person: string): void {
  sql.execute('DELETE FROM saved_views WHERE person_id = ?', person);
}
