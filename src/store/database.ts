/**
 * One SQLite file: opened for a power cut (WAL, synchronous FULL), migrated forward, written in groups.
 *
 * Group commit: operations given to `write` in one tick run in one transaction, each in a savepoint of its own, so that
 * one that throws undoes only itself. The promise settles after the commit. Rejected: one transaction per operation
 * (5.6k/s under FULL here, against 50k rows/s at sixteen a commit).
 */
import Sqlite from 'better-sqlite3';
import { addonOptions } from './addon.ts';
import { commitFault, openFault } from './faults.ts';
import { type Migration, migrate } from './migrate.ts';

/** A prepared statement of better-sqlite3; rows are validated where they are read (see row.ts). */
export type Statement = Sqlite.Statement<unknown[]>;

/** What an operation works with: prepared statements, cached by their text. */
export type Sql = { prepare(text: string): Statement };

/** An open store. */
export type Database = {
  /** Runs `operation` in the transaction of this tick. Rejects with what it throws, or with STORE_* when the commit fails. */
  write<T>(operation: (sql: Sql) => T): Promise<T>;
  /** Reads what is committed. */
  read<T>(operation: (sql: Sql) => T): Promise<T>;
  /** Called after each commit. */
  onCommit(listener: () => void): () => void;
  /** Copies the store, while it is in use, into a new file. */
  backup(file: string): Promise<void>;
  /** Commits what is pending and closes; later calls reject with STORE_CLOSED. */
  close(): Promise<void>;
};
