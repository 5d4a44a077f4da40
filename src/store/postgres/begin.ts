/** How transactions begin; all functions stand in the schema `vp`. */
import type { BackupStoreName } from '../store-files.ts';

/** Tables of each store, and the schema with what they share. */
export function getSearchPath(store: BackupStoreName): string {
  return `vp_${store}, vp`;
}

/** A replica that stands still in a transaction would stop all others: PostgreSQL ends it after this time. */
const maxIdleMs = 4_000;
const maxStatementMs = 8_000;
const maxLockWaitMs = 5_000;

/**
 * A commit waits at least for the disk. `off` as the default of the role, the database or the server would acknowledge what a
 * crash takes back; what waits for standbys stays as it is.
 */
function formatDurability(local: 'LOCAL' | ''): string {
  return `SELECT set_config('synchronous_commit', CASE WHEN level = 'off' THEN 'on' ELSE level END, ${local === 'LOCAL'})
    FROM current_setting('synchronous_commit') AS level`;
}

/** What holds in each transaction of a store. Without `LOCAL` it holds until the session ends. */
function formatSettings(store: BackupStoreName, local: 'LOCAL' | ''): string {
  return `SET ${local} search_path TO ${getSearchPath(store)}; SET ${local} lock_timeout TO ${maxLockWaitMs};
    SET ${local} statement_timeout TO ${maxStatementMs}; SET ${local} idle_in_transaction_session_timeout TO ${maxIdleMs}`;
}

/**
 * Begins a transaction that sees what others have committed before each of its statements, also where the role or the database has
 * another default: with the snapshot of its first statement, it would not see the commits that it waited for behind a lock.
 */
export const beginCommitted = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';

/** For sessions without the settings of a store. */
export const beginCommittedText = `${beginCommitted}; ${formatDurability('LOCAL')}`;

/**
 * For the transactions and statements of a session that no pooler shares. Where a message is a transaction of its own, its statements too
 * must see what was committed before each of them.
 */
export function readSessionText(store: BackupStoreName): string {
  return `${formatSettings(store, '')}; SET default_transaction_isolation TO 'read committed'; ${formatDurability('')}`;
}

/** Begins a read of one moment. */
export const beginSnapshot = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** The same as {@link beginCommitted} and {@link beginSnapshot}, with the settings of a session that a pooler shares. */
export function formatPooledBegin(begin: typeof beginCommitted | typeof beginSnapshot, store: BackupStoreName): string {
  const durability = begin === beginCommitted ? `; ${formatDurability('LOCAL')}` : '';
  return `${begin}; ${formatSettings(store, 'LOCAL')}${durability}`;
}

/** SQLSTATE of a write by a replica that is not the active one. */
export const notActiveState = 'VP001';
