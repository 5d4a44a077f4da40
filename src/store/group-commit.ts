/**
 * Group commit: operations given in one tick run in one transaction, each in a savepoint of its own, so that one that
 * throws undoes only itself. A promise settles after the commit it waits for. Where `restMs` is given, commits are at least
 * that far apart: many operations in a hurry share one, a lonely one does not wait.
 *
 * Rejected: one transaction per operation (measured on two cores: 5.6k rows/s under synchronous FULL, against 50k rows/s at
 * sixteen rows a commit).
 */
import type Sqlite from 'better-sqlite3';
import { type VpError, vpError } from '../errors/vp-error.ts';
import { isSqliteError, storeFault } from './faults.ts';
import type { Sql } from './sql.ts';

type Waiting = { run(sql: Sql): unknown; settle(outcome: Outcome): void };
type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A constraint is broken only where our own checks before it are wrong: nothing a caller could mend. */
function brokenConstraint(error: Error): VpError {
  return vpError('INTERNAL', {}, { detail: `a constraint was broken: ${error.message}`, cause: error });
}

/** Gathers operations and commits them together. */
export class GroupCommit {
  readonly #sqlite: Sqlite.Database;
  readonly #sql: Sql;
  readonly #file: string;
  readonly #restMs: number;
  readonly #listeners = new Set<() => void>();
  #waiting: Waiting[] = [];
  #scheduled = false;
  #resting = false;
  #closed = false;

  constructor(sqlite: Sqlite.Database, sql: Sql, file: string, restMs = 0) {
    this.#sqlite = sqlite;
    this.#sql = sql;
    this.#file = file;
    this.#restMs = restMs;
  }

  /** See `Database.write`. */
  write<T>(operation: (sql: Sql) => T): Promise<T> {
    if (this.#closed) return Promise.reject(vpError('STORE_CLOSED', {}));
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const run = (sql: Sql): void => {
        result = operation(sql);
      };
      const settle = (outcome: Outcome): void => ('error' in outcome ? reject(outcome.error) : resolve(result));
      this.#waiting.push({ run, settle });
      this.#schedule();
    });
  }

  /** Calls `listener` after each commit; it must not throw. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Commits what waits; nothing is taken afterwards. */
  close(): void {
    this.#flush();
    this.#closed = true;
  }

  #schedule(): void {
    if (this.#scheduled || this.#resting) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #rest(): void {
    if (this.#restMs === 0) return;
    this.#resting = true;
    setTimeout(() => {
      this.#resting = false;
      this.#flush();
    }, this.#restMs);
  }

  #flush(): void {
    this.#scheduled = false;
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    const outcomes = this.#commit(group);
    group.forEach((waiting, at) => {
      waiting.settle(outcomes[at] ?? { error: vpError('STORE_CLOSED', {}) });
    });
    for (const listener of this.#listeners) listener();
    this.#rest();
  }

  /** One transaction; when it cannot be committed, every operation of the group gets that error. */
  #commit(group: readonly Waiting[]): Outcome[] {
    try {
      this.#sql.prepare('BEGIN IMMEDIATE').run();
      const outcomes = group.map((waiting) => this.#attempt(waiting));
      this.#sql.prepare('COMMIT').run();
      return outcomes;
    } catch (thrown) {
      if (this.#sqlite.inTransaction) this.#sql.prepare('ROLLBACK').run();
      const error = storeFault(thrown, this.#file);
      return group.map(() => ({ error }));
    }
  }

  /** Runs one operation in its savepoint. A fault of SQLite itself (full disk, damaged page) undoes the whole group. */
  #attempt(waiting: Waiting): Outcome {
    this.#sql.prepare('SAVEPOINT operation').run();
    try {
      waiting.run(this.#sql);
      this.#sql.prepare('RELEASE operation').run();
      return { value: undefined };
    } catch (error) {
      if (isSqliteError(error) && !error.code.startsWith('SQLITE_CONSTRAINT')) throw error;
      this.#sql.prepare('ROLLBACK TO operation').run();
      this.#sql.prepare('RELEASE operation').run();
      return { error: isSqliteError(error) ? brokenConstraint(error) : error };
    }
  }
}
