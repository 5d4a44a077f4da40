/** Adds to the tables what a process had recorded in `audit.recent` when it was killed. */
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import { readRecentLines } from '../../store/audit/recent-file.ts';
import type { Sql } from '../../store/sql.ts';
import type { ChainKeys } from './append-calls.ts';
import { insertRecentRows, listMissingRows } from './recent-rows.ts';
import { deleteOldestEntries } from './retention.ts';

/**
 * Returns the number of calls that do not continue their chains; without them the file can be removed. `database` is a file that
 * nobody else writes. An audit beyond `maxBytes`, the limit of retention, may have no room for more rows before its oldest are
 * deleted. Rejects with STORE_*.
 */
export async function addRecentCalls(
  database: Pick<AuditDatabase, 'file' | 'writeDurably' | 'measureUsedBytes' | 'truncateLog'>,
  keys: ChainKeys,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<number> {
  const lines = readRecentLines(database.file);
  if (lines.length === 0) return 0;
  const isLarge = (await database.measureUsedBytes()) > maxBytes;
  const count = await database.writeDurably((sql) => {
    const { rows, unusable } = listMissingRows(sql, lines, keys);
    if (isLarge && rows.length > 0) deleteOldestEntries(sql, keys);
    insertRecentRows(sql, rows, keys);
    return unusable;
  });
  if (isLarge) await database.truncateLog();
  return count;
}

/** How many calls {@link addRecentCalls} would add, and how many do not continue their chains. Changes nothing. Throws STORE_*. */
export function countRecentCalls(
  sql: Sql,
  auditFile: string,
  keys: ChainKeys,
): { readonly missing: number; readonly unusable: number } {
  const { rows, unusable } = listMissingRows(sql, readRecentLines(auditFile), keys);
  return { missing: rows.length, unusable };
}
