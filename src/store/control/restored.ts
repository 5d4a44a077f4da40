/**
 * What a restore makes of a copy. Executors went on after the copy was taken: their leases, epochs and reports belong to
 * a time that this store never saw. So every lease ends, epochs and fences leap ahead of whatever was given out since, and
 * what was queued is cancelled, because it may have run since and nothing runs twice. Sign-ins, grants and links end too:
 * whatever was ended or used up since the copy would be good again.
 */
import type { Sql } from '../sql.ts';
import type { Counters } from './counters.ts';

const leap = 1_000_000;

/** How many runs were ended and cancelled. `message` and `cure` are kept with the ended ones. */
export function settleRestored(
  sql: Sql,
  counters: Counters,
  nowMs: number,
  words: { readonly message: string; readonly cure: string },
): { ended: number; cancelled: number } {
  const ended = sql
    .prepare(
      `UPDATE runs SET state = 'failed', finished_at_ms = ?, failure_kind = 'executor_lost', failure_message = ?,
         failure_summary = ?, seq = ? WHERE state = 'in_progress'`,
    )
    .run(nowMs, words.message, words.cure, counters.seq()).changes;
  const cancelled = sql
    .prepare("UPDATE runs SET state = 'cancelled', finished_at_ms = ?, seq = ? WHERE state = 'queued'")
    .run(nowMs, counters.seq()).changes;
  // Whoever signed out or was refused since must not be let in again, and old refresh tokens would pass for new ones.
  for (const table of ['sessions', 'setup_links', 'password_links', 'invitations'])
    sql.prepare(`DELETE FROM ${table}`).run();
  // Programs stay registered, which by itself opens nothing: most could not be told to register again.
  sql.prepare("DELETE FROM oauth_records WHERE kind <> 'Client'").run();
  sql.prepare('UPDATE instances SET epoch = epoch + ?, fence = fence + ?, seq = ?').run(leap, leap, counters.seq());
  sql
    .prepare("INSERT INTO meta VALUES ('last_run_ms', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    .run(String(counters.runMs(nowMs)));
  return { ended, cancelled };
}
