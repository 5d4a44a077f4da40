/**
 * Settles a restored copy. Executors continued after the copy was taken, so their leases, epochs and reports are unknown to
 * it. Every lease ends; epochs and fences jump ahead of all numbers given since; queued runs are cancelled, because they may
 * have run since and nothing may run twice. Sessions, grants and links end too: otherwise those that were revoked or used
 * since the copy would be valid again.
 */
import type { Sql } from '../sql.ts';
import type { Counters } from './counters.ts';
import { newestFence } from './runs/lease-steps.ts';

/** Further than any executor comes between two copies of a store. */
export const epochLeap = 1_000_000;

/** True from a restore to the next start: a restored store has a multiple of the leap, which no start has. */
export function isRestoredEpoch(epoch: number): boolean {
  return epoch > 0 && epoch % epochLeap === 0;
}

/** Returns how many runs were ended and cancelled. `message` and `cure` are stored with the ended ones. */
export function settleRestoredStore(
  sql: Sql,
  counters: Counters,
  nowMs: number,
  failure: { readonly message: string; readonly cure: string },
): { ended: number; cancelled: number } {
  // Streams that saw later numbers than the copy has must get what follows.
  counters.leapSeq();
  const ended = sql.run(
    `UPDATE runs SET state = 'failed', finished_at_ms = ?, failure_kind = 'executor_lost', failure_message = ?,
         failure_summary = ?, seq = ? WHERE state = 'in_progress'`,
    nowMs,
    failure.message,
    failure.cure,
    counters.nextSeq(),
  );
  const cancelled = sql.run(
    "UPDATE runs SET state = 'cancelled', finished_at_ms = ?, seq = ? WHERE state = 'queued'",
    nowMs,
    counters.nextSeq(),
  );
  // Sessions ended since the copy must not be valid again, and used refresh tokens would pass for new ones.
  for (const table of ['sessions', 'setup_links', 'password_links', 'invitations']) sql.execute(`DELETE FROM ${table}`);
  // OAuth clients stay registered, which gives no access by itself: most cannot be made to register again.
  sql.execute("DELETE FROM oauth_records WHERE kind <> 'Client'");
  // Ticks since the copy may have been requested: schedules go on from the present.
  sql.execute('UPDATE schedules SET tick_at_ms = NULL, due_at_ms = NULL');
  // The runs that are ended here are no news. Messages that wait are sent: their ids are those of the first time.
  sql.execute('DELETE FROM notification_position');
  // Further than after an earlier restore of the same copy: an executor that greeted since then has an epoch behind that one.
  sql.execute(
    `UPDATE instances SET epoch = max(CAST(epoch / ? AS INTEGER) + 2, ?) * ?, fence = ${newestFence('instances')} + ?, seq = ?`,
    ...[epochLeap, Math.floor(nowMs / 1000), epochLeap, epochLeap],
    counters.nextSeq(),
  );
  sql.execute(
    "INSERT INTO meta VALUES ('last_run_ms', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    String(counters.getNextRunTimeMs(nowMs)),
  );
  return { ended, cancelled };
}
