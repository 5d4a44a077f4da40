/**
 * SQLite with a disk that can be full, and with a process that can crash before and after each commit. It substitutes
 * better-sqlite3 for the store. Nothing is really synced: what a power cut loses is computed (disk.ts).
 */
import Sqlite from 'better-sqlite3';
import { type ActiveWorld, getActiveWorld } from './active-world.ts';
import type { SimProcess } from './sim-process.ts';

/** The process has ended, so its code has to stop where it is. */
class CrashError extends Error {}

/** One connection, with the process that opened it. */
class InstrumentedConnection {
  readonly #sqlite: Sqlite.Database;
  readonly #world: ActiveWorld;
  readonly #process: SimProcess | undefined;
  #isSynchronous = true;

  constructor(sqlite: Sqlite.Database, world: ActiveWorld) {
    this.#sqlite = sqlite;
    this.#world = world;
    this.#process = world.scheduler.current;
  }

  /** Replaces the methods that write. */
  instrument(): void {
    const sqlite = this.#sqlite;
    const { prepare, transaction, pragma, close } = sqlite;
    const closeNow = (): void => void close.call(sqlite);
    // The files of an ended process do not matter any more: its folder has been copied.
    this.#process?.onEnd(() =>
      this.#world.scheduler.schedule(0, undefined, () => {
        if (sqlite.open) this.#world.disk.discardLog(sqlite.name);
        closeNow();
      }),
    );
    Object.assign(sqlite, {
      prepare: (text: string) => this.#guardStatement(text, prepare.call(sqlite, text)),
      transaction: (work: (...values: unknown[]) => unknown) => this.#guardTransaction(transaction.call(sqlite, work)),
      pragma: (text: string, options?: Sqlite.PragmaOptions) => {
        const [, mode] = /^synchronous = (\w+)$/.exec(text) ?? [];
        if (mode === undefined) return pragma.call(sqlite, text, options);
        this.#isSynchronous = mode === 'FULL';
        return pragma.call(sqlite, 'synchronous = OFF');
      },
      close: () => {
        if (this.#process?.isAlive !== false) closeNow();
        return sqlite;
      },
    });
  }

  #guardStatement(text: string, statement: Sqlite.Statement): Sqlite.Statement {
    const run = statement.run.bind(statement);
    if (text === 'BEGIN IMMEDIATE') return Object.assign(statement, { run: () => this.#begin(run) });
    if (text === 'COMMIT') return Object.assign(statement, { run: () => this.#commit(run) });
    return statement;
  }

  #guardTransaction(transaction: Sqlite.Transaction): unknown {
    const guard =
      (run: (...values: unknown[]) => unknown) =>
      (...values: unknown[]) =>
        this.#commit(() => run(...values));
    const { deferred, immediate, exclusive } = transaction;
    const variants = { deferred: guard(deferred), immediate: guard(immediate), exclusive: guard(exclusive) };
    return Object.assign(guard(transaction), variants);
  }

  #begin<T>(work: () => T): T {
    if (this.#process?.isAlive === false) throw new CrashError();
    return work();
  }

  #commit<T>(work: () => T): T {
    if (this.#process?.mayContinue('before a commit') === false) throw new CrashError();
    const fault = this.#world.disk.find(this.#sqlite.name)?.fault;
    if (fault === 'SQLITE_FULL') throw new Sqlite.SqliteError('database or disk is full', fault);
    if (fault) throw new Sqlite.SqliteError('disk I/O error', fault);
    const result = work();
    if (this.#isSynchronous) this.#world.disk.recordSync(this.#sqlite.name);
    this.#process?.mayContinue('after a commit');
    return result;
  }
}

function openSimulated(file: string, options?: Sqlite.Options): Sqlite.Database {
  const sqlite = new Sqlite(file, options);
  const world = getActiveWorld();
  if (world?.disk.find(file)) new InstrumentedConnection(sqlite, world).instrument();
  return sqlite;
}

/** Called with `new`, it returns the connection. */
export default Object.assign(
  function SimulatedSqlite(file: string, options?: Sqlite.Options) {
    return openSimulated(file, options);
  },
  { SqliteError: Sqlite.SqliteError },
);
