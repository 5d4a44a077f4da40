/** Adds to the tables what a process had recorded in `audit.recent` when it was killed. */
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { AuditDatabase } from '../../store/audit/audit-database.ts';
import { getRecentFile, readRecentLines } from '../../store/audit/recent-file.ts';
import type { ChainKeys } from './append-calls.ts';
import { insertRecentRows, listMissingRows } from './recent-rows.ts';
import { deleteOldestEntries } from './retention.ts';

export type AddRecentCallsOptions = {
  readonly keys: ChainKeys;
  /** Gets AUDIT_CALLS_UNUSABLE. */
  readonly onError: (error: VpError) => void;
  /** The limit of retention: an audit beyond it may have no room for more rows before its oldest are deleted. */
  readonly maxBytes?: number;
};

/**
 * Returns whether all calls of the file could be used, so that it can be removed. `database` is a file that nobody else writes.
 * Rejects with STORE_*.
 */
export async function addRecentCalls(
  database: Pick<AuditDatabase, 'file' | 'writeDurably' | 'measureUsedBytes' | 'truncateLog'>,
  { keys, onError, maxBytes = Number.POSITIVE_INFINITY }: AddRecentCallsOptions,
): Promise<boolean> {
  const lines = readRecentLines(database.file);
  if (lines.length === 0) return true;
  const isLarge = (await database.measureUsedBytes()) > maxBytes;
  const count = await database.writeDurably((sql) => {
    const { rows, unusable } = listMissingRows(sql, lines, keys);
    if (isLarge && rows.length > 0) deleteOldestEntries(sql, keys);
    insertRecentRows(sql, rows, keys);
    return unusable;
  });
  if (isLarge) await database.truncateLog();
  if (count > 0) onError(vpError('AUDIT_CALLS_UNUSABLE', { count, file: getRecentFile(database.file) }));
  return count === 0;
}
