/**
 * Retention: bodies are deleted first, then reports; the rows of runs stay. Each call deletes few enough to stop near the
 * size limit.
 */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const rowsPerStep = 20;
const totalReader = createRowReader(Type.Object({ bytes: Type.Integer() }));

/** Total size of reports and bodies. */
export function getStoredBytes(sql: Sql): number {
  const statement = 'SELECT bytes FROM stored_byte_steps ORDER BY step DESC LIMIT 1';
  return totalReader.first(sql, statement)?.bytes ?? 0;
}

/** Deletes some bodies of runs requested before `beforeMs`, oldest first; returns how many. */
export function deleteExpiredBodies(sql: Sql, beforeMs: number): number {
  const statement =
    'DELETE FROM bodies WHERE run_id IN (SELECT run_id FROM bodies WHERE run_id < ? ORDER BY run_id LIMIT ?)';
  return sql.run(statement, beforeMs, rowsPerStep);
}

const runIdReader = createRowReader(Type.Object({ run_id: Type.Integer() }));

/** Deletes some reports (and bodies) of runs requested before `beforeMs`, oldest first; returns how many. */
export function expireReports(sql: Sql, beforeMs: number): number {
  const selectBatch = 'SELECT run_id FROM reports WHERE run_id < ? ORDER BY run_id LIMIT ?';
  const expired = runIdReader.all(sql, selectBatch, beforeMs, rowsPerStep);
  for (const { run_id } of expired) {
    sql.execute('DELETE FROM bodies WHERE run_id = ?', run_id);
    sql.execute('DELETE FROM reports WHERE run_id = ?', run_id);
    sql.execute('UPDATE runs SET report_expired = 1 WHERE id = ?', run_id);
  }
  return expired.length;
}

/** Deletes some late reports of runs requested before `beforeMs`, oldest first; returns how many. */
export function expireLateReports(sql: Sql, beforeMs: number): number {
  const statement =
    'DELETE FROM late_reports WHERE run_id IN (SELECT run_id FROM late_reports WHERE run_id < ? ORDER BY run_id LIMIT ?)';
  return sql.run(statement, beforeMs, rowsPerStep);
}

/**
 * Empties some texts outside the catalogue that have not been requested since `beforeMs`; returns how many. Their rows stay,
 * because they hold the titles of runs. Texts of runs that have not ended are kept.
 */
export function clearExpiredScenarioTexts(sql: Sql, beforeMs: number): number {
  // Without INDEXED BY, SQLite would scan every run of the instance.
  const isUsedBy = (state: string, index: string): string =>
    `EXISTS (SELECT 1 FROM runs r INDEXED BY ${index}
      WHERE r.instance_id = v.instance_id AND r.state = '${state}' AND r.revision_id = v.id)`;
  const selectBatch = `SELECT v.id FROM revisions v WHERE v.revision IS NULL AND v.text <> '' AND v.created_at_ms < ?
    AND NOT ${isUsedBy('queued', 'runs_queued')} AND NOT ${isUsedBy('in_progress', 'runs_one_in_progress')}
    ORDER BY v.created_at_ms LIMIT ?`;
  return sql.run(`UPDATE revisions SET text = '' WHERE id IN (${selectBatch})`, beforeMs, rowsPerStep);
}

/** Deletes idempotency keys created before `beforeMs`. */
export function expireRequestKeys(sql: Sql, beforeMs: number): number {
  return sql.run('DELETE FROM request_keys WHERE created_at_ms < ?', beforeMs);
}
