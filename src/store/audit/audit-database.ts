import type { Database } from '../database.ts';
import type { Sql } from '../sql.ts';

/**
 * The audit's file. `write` commits without waiting for the disk, which survives the end of the process but not a power cut;
 * `writeDurably` waits for the disk, and makes everything before it safe too. The file never exceeds its maximum size.
 */
export type AuditDatabase = Pick<Database, 'file' | 'write' | 'read' | 'close'> & {
  /** Resolves when the transaction is on the disk; this process is not blocked while the disk works. Rejects with STORE_*. */
  writeDurably<T>(operation: (sql: Sql) => T): Promise<T>;
  /** Notes how many commits the control plane's store has: a file of it that has fewer later is an older copy. */
  noteControlCommits(commits: number): Promise<void>;
  /** Bytes of the rows that are there, with their indexes; on a database it may be some seconds old. */
  getUsedBytes(): Promise<number>;
  /** Measures the bytes that {@link getUsedBytes} may have from some seconds ago. */
  measureUsedBytes(): Promise<number>;
  /** Empties the log of recent writes, where erased rows still stand. */
  truncateLog(): Promise<void>;
  /** Returns some unused pages to the disk when there are many. */
  shrink(): void;
  getFreeDiskBytes(): Promise<number>;
};

/** The file for reading alone, also while another process writes it. Each read sees one moment. */
export type AuditReader = { read<T>(operation: (sql: Sql) => T): T; close(): void };
