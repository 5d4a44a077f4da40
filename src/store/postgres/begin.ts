/** How transactions begin; all functions stand in the schema `vp`. */
import type { BackupStoreName } from '../store-files.ts';
import { storeLocks } from './locks.ts';

/** Tables of each store, and the schema with what they share. */
export function getSearchPath(store: BackupStoreName): string {
  return `vp_${store}, vp`;
}

/** A replica that stands still in a transaction would stop all others: PostgreSQL ends it after this time. */
const maxIdleMs = 4_000;
const maxStatementMs = 8_000;
const maxLockWaitMs = 5_000;

/**
 * Begins a write and waits for the store's lock, so that writes come one after another, as on SQLite: each sees all
 * commits before it, and the numbers of `commits` are in the order of the commits. The last result is the row of
 * `begin_write`. `epoch` is that of the active replica (null without replicas); another one is refused.
 */
export function beginWriteText(store: BackupStoreName, epoch: number | null): string {
  return `BEGIN; SET LOCAL search_path TO ${getSearchPath(store)}; SET LOCAL lock_timeout TO ${maxLockWaitMs};
    SET LOCAL statement_timeout TO ${maxStatementMs}; SET LOCAL idle_in_transaction_session_timeout TO ${maxIdleMs};
    SELECT * FROM begin_write(${storeLocks[store]}, ${epoch ?? 'NULL'})`;
}

/** Begins a read of one moment. */
export function beginReadText(store: BackupStoreName): string {
  return `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL search_path TO ${getSearchPath(store)};
    SET LOCAL statement_timeout TO ${maxStatementMs}; SET LOCAL idle_in_transaction_session_timeout TO ${maxIdleMs}`;
}

/** For statements outside of transactions, until the session ends. */
export function readSessionText(store: BackupStoreName): string {
  return `SET search_path TO ${getSearchPath(store)}; SET statement_timeout TO ${maxStatementMs}`;
}

/** SQLSTATE of a write by a replica that is not the active one. */
export const notActiveState = 'VP001';
