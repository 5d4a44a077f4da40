/** Removing an instance with everything that is its own, in bounded steps so that nothing else waits for long. */
import type { Sql } from '../sql.ts';
import { deleteAgentTokensOf } from './agent-tokens.ts';
import type { Counters } from './counters.ts';

const stepRows = 2000;

/** First step: the keys end, so that its executor and its agents can do nothing more. */
export function disarmInstance(sql: Sql, counters: Counters, id: string): boolean {
  deleteAgentTokensOf(sql, id);
  const statement = sql.prepare(
    "UPDATE instances SET key_hash = 'ended:' || id, epoch = epoch + 1, seq = ? WHERE id = ?",
  );
  return statement.run(counters.seq(), id).changes === 1;
}

/** Deletes up to 2,000 of its runs with their reports; false when none were left. */
export function deleteSomeRuns(sql: Sql, counters: Counters, id: string): boolean {
  sql
    .prepare("INSERT INTO meta VALUES ('last_run_ms', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    .run(String(counters.lastRunMs()));
  const some = 'SELECT id FROM runs WHERE instance_id = ? ORDER BY id LIMIT ?';
  for (const table of ['reports', 'bodies'])
    sql.prepare(`DELETE FROM ${table} WHERE run_id IN (${some})`).run(id, stepRows);
  return sql.prepare(`DELETE FROM runs WHERE id IN (${some})`).run(id, stepRows).changes > 0;
}

/** Last step: catalogue, kept-apart reports, request keys, the registration with tokens made meanwhile; leaves word for streams. */
export function deleteInstance(sql: Sql, counters: Counters, id: string): void {
  for (const table of ['scenarios', 'revisions', 'late_reports', 'request_keys'])
    sql.prepare(`DELETE FROM ${table} WHERE instance_id = ?`).run(id);
  sql.prepare('DELETE FROM instances WHERE id = ?').run(id);
  sql.prepare('INSERT INTO gone_instances (seq, id) VALUES (?, ?)').run(counters.seq(), id);
}
