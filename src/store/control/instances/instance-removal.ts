/** Removal of an instance with all its data, in bounded steps so that no other operation waits long. */
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';
import { deleteStatusPages } from '../status-pages/status-pages.ts';
import { deleteAgentTokens } from './agent-tokens.ts';

const rowsPerStep = 2000;

/** First step: its executor, its agents and the readers of its status pages lose access, and nothing runs by itself any more. */
export function revokeInstanceKeys(sql: Sql, counters: Counters, id: string): boolean {
  deleteAgentTokens(sql, id);
  sql.execute('DELETE FROM schedules WHERE instance_id = ?', id);
  deleteStatusPages(sql, id);
  const statement = "UPDATE instances SET key_hash = 'ended:' || id, epoch = epoch + 1, seq = ? WHERE id = ?";
  return sql.run(statement, counters.nextSeq(), id) === 1;
}

/** Deletes up to 2,000 runs with their reports; false when none were left. */
export function deleteRunBatch(sql: Sql, counters: Counters, id: string): boolean {
  sql.execute(
    "INSERT INTO meta VALUES ('last_run_ms', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    String(counters.lastRunMs()),
  );
  counters.saveLastSeq(sql);
  const selectBatch = 'SELECT id FROM runs WHERE instance_id = ? ORDER BY id LIMIT ?';
  for (const table of ['reports', 'bodies'])
    sql.execute(`DELETE FROM ${table} WHERE run_id IN (${selectBatch})`, id, rowsPerStep);
  return sql.run(`DELETE FROM runs WHERE id IN (${selectBatch})`, id, rowsPerStep) > 0;
}

/**
 * Last step: deletes catalogue, late reports, request keys and the registration with its tokens; records the removal for
 * streams.
 */
export function deleteInstance(sql: Sql, counters: Counters, id: string): void {
  const catalogueTables = ['scenarios', 'scenario_quarantines', 'scenario_imports', 'revisions', 'saved_views'];
  const scheduleTables = ['schedules', 'schedule_ticks'];
  const runTables = ['suites', 'late_reports', 'request_keys', 'run_totals', 'failure_groups', 'ungrouped_failures'];
  const stepTables = ['run_total_steps', 'lease_steps', 'journal_steps'];
  for (const table of [...catalogueTables, ...scheduleTables, ...runTables, ...stepTables])
    sql.execute(`DELETE FROM ${table} WHERE instance_id = ?`, id);
  deleteStatusPages(sql, id);
  sql.execute('DELETE FROM instances WHERE id = ?', id);
  sql.execute('INSERT INTO gone_instances (seq, id) VALUES (?, ?)', counters.nextSeq(), id);
}
