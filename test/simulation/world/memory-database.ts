/**
 * One opening of a store in memory, as the store's code sees it. All openings of a file have the same connection, which nobody
 * opens or closes; what only matters between connections and to the system (locks, logs, syncs) is left out.
 */
import Sqlite from 'better-sqlite3';
import type { MemoryFiles } from './memory-files.ts';
import type { StoreGuard } from './sqlite.ts';
import type { WarmConnection } from './warm-connection.ts';

const ignoredSettings = new Set([
  ...['auto_vacuum', 'busy_timeout', 'fullfsync', 'journal_mode'],
  ...['journal_size_limit', 'locking_mode', 'wal_autocheckpoint'],
]);

class MemoryDatabase {
  readonly name: string;
  open = true;
  readonly #connection: WarmConnection;
  readonly #guard: StoreGuard;

  constructor(name: string, connection: WarmConnection, guard: StoreGuard) {
    this.name = name;
    this.#connection = connection;
    this.#guard = guard;
    connection.guard = guard;
  }

  get inTransaction(): boolean {
    return this.#connection.sqlite.inTransaction;
  }

  prepare(text: string): Sqlite.Statement {
    return this.#connection.prepare(text);
  }

  transaction(work: (...values: unknown[]) => unknown): unknown {
    return this.#guard.guardTransaction(this.#connection.sqlite.transaction(work));
  }

  exec(text: string): this {
    this.#connection.sqlite.exec(text);
    return this;
  }

  /** Sets, or reads one value. */
  pragma(text: string): unknown {
    const [, name = '', value = ''] = /^(\w+) = (\S+)$/.exec(text) ?? [];
    if (text.startsWith('wal_checkpoint') || ignoredSettings.has(name)) return undefined;
    if (name === 'synchronous') this.#guard.isSynchronous = value === 'FULL';
    else if (name !== '') this.#connection.set(name, value);
    else return this.#connection.prepare(`PRAGMA ${text}`).pluck().get();
    return undefined;
  }

  /** A transaction that is open is rolled back: so is the lock of a folder. */
  close(): this {
    if (this.#guard.process?.isAlive === false) return this;
    if (this.open) this.#connection.rollBack();
    this.open = false;
    return this;
  }
}

/** A file that is absent or empty cannot become a store here (simulate.ts). */
export function openMemoryDatabase(
  file: string,
  files: MemoryFiles,
  guard: StoreGuard,
  options?: Sqlite.Options,
): MemoryDatabase {
  const stored = files.find(file);
  if (!stored && options?.fileMustExist)
    throw new Sqlite.SqliteError('unable to open database file', 'SQLITE_CANTOPEN');
  if (!stored || (stored.size === 0 && !file.endsWith('.lock'))) throw new Error(`${file} is not a store`);
  return new MemoryDatabase(file, stored.connect(), guard);
}
