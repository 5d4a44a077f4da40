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

/** Deletes idempotency keys made before `beforeMs`. */
export function expireRequestKeys(sql: Sql, beforeMs: number): number {
  return sql.prepare('DELETE FROM request_keys WHERE created_at_ms < ?').run(beforeMs).changes;
}
