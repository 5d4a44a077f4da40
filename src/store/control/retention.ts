/** Retention: bodies go first, then reports; the rows of runs stay. Each call deletes a bounded number, small enough to stop near the size asked for. */
import { Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const stepRows = 20;
const totals = rowReader(Type.Object({ bytes: Type.Integer() }));

/** Bytes that reports and bodies take. */
export function storedBytes(sql: Sql): number {
  const statement = sql.prepare('SELECT bytes FROM stored_bytes');
  return totals.one(statement)?.bytes ?? 0;
}

/** Deletes some bodies of runs requested before `beforeMs`, oldest first; gives how many. */
export function expireBodies(sql: Sql, beforeMs: number): number {
  const statement = sql.prepare(
    'DELETE FROM bodies WHERE run_id IN (SELECT run_id FROM bodies WHERE run_id < ? ORDER BY run_id LIMIT ?)',
  );
  return statement.run(beforeMs, stepRows).changes;
}

const ids = rowReader(Type.Object({ run_id: Type.Integer() }));

/** Deletes some reports (and bodies) of runs requested before `beforeMs`, oldest first; gives how many. */
export function expireReports(sql: Sql, beforeMs: number): number {
  const some = sql.prepare('SELECT run_id FROM reports WHERE run_id < ? ORDER BY run_id LIMIT ?');
  const expired = ids.all(some, beforeMs, stepRows);
  for (const { run_id } of expired) {
    sql.prepare('DELETE FROM bodies WHERE run_id = ?').run(run_id);
    sql.prepare('DELETE FROM reports WHERE run_id = ?').run(run_id);
    sql.prepare('UPDATE runs SET report_expired = 1 WHERE id = ?').run(run_id);
  }
  return expired.length;
}

/** Deletes some late reports of runs requested before `beforeMs`, oldest first; gives how many. */
export function expireLateReports(sql: Sql, beforeMs: number): number {
  const statement = sql.prepare(
    'DELETE FROM late_reports WHERE run_id IN (SELECT run_id FROM late_reports WHERE run_id < ? ORDER BY run_id LIMIT ?)',
  );
  return statement.run(beforeMs, stepRows).changes;
}

/**
 * Empties some texts outside the catalogue that nobody asked to run since `beforeMs`; gives how many. Their rows stay, with
 * the titles of the runs; no run that is still to come may lose its text.
 */
export function expireTexts(sql: Sql, beforeMs: number): number {
  // Left to itself SQLite would look at every run of the instance.
  const open = (state: string, index: string): string =>
    `EXISTS (SELECT 1 FROM runs r INDEXED BY ${index}
      WHERE r.instance_id = v.instance_id AND r.state = '${state}' AND r.revision_id = v.id)`;
  const some = `SELECT v.id FROM revisions v WHERE v.revision IS NULL AND v.text <> '' AND v.created_at_ms < ?
    AND NOT ${open('queued', 'runs_queued')} AND NOT ${open('in_progress', 'runs_one_in_progress')}
    ORDER BY v.created_at_ms LIMIT ?`;
  return sql.prepare(`UPDATE revisions SET text = '' WHERE id IN (${some})`).run(beforeMs, stepRows).changes;
}

/** Deletes idempotency keys made before `beforeMs`. */
export function expireRequestKeys(sql: Sql, beforeMs: number): number {
  return sql.prepare('DELETE FROM request_keys WHERE created_at_ms < ?').run(beforeMs).changes;
}
