/**
 * SQLite with a disk that can be full, and with a process that can crash before and after each commit. It substitutes
 * better-sqlite3 for the store. Nothing is really synced: what a power cut loses is computed (disk.ts).
 */
import Sqlite from 'better-sqlite3';
import { type ActiveWorld, getActiveWorld } from './active-world.ts';
import { openMemoryDatabase } from './memory-database.ts';
import { CrashError, type SimProcess } from './sim-process.ts';
import type { EffectGuard } from './warm-connection.ts';

/** Of one connection, with the process that opened it. */
export class StoreGuard implements EffectGuard {
  isSynchronous = true;
  readonly process: SimProcess | undefined;
  readonly #file: string;
  readonly #world: ActiveWorld;

  constructor(file: string, world: ActiveWorld) {
    this.#file = file;
    this.#world = world;
    this.process = world.scheduler.current;
  }

  begin<T>(work: () => T): T {
    if (this.process?.isAlive === false) throw new CrashError();
    return work();
  }

  commit<T>(work: () => T): T {
    const { disk } = this.#world;
    if (this.process?.mayContinue('before a commit') === false) throw new CrashError();
    const fault = disk.find(this.#file)?.fault;
    if (fault === 'SQLITE_FULL') throw new Sqlite.SqliteError('database or disk is full', fault);
    if (fault) throw new Sqlite.SqliteError('disk I/O error', fault);
    const result = work();
    disk.files?.find(this.#file)?.recordChange();
    if (this.isSynchronous) disk.recordSync(this.#file);
    this.process?.mayContinue('after a commit');
    return result;
  }

  guardTransaction(transaction: Sqlite.Transaction): unknown {
    const guard =
      (run: (...values: unknown[]) => unknown) =>
      (...values: unknown[]) =>
        this.commit(() => run(...values));
    const { deferred, immediate, exclusive } = transaction;
    const variants = { deferred: guard(deferred), immediate: guard(immediate), exclusive: guard(exclusive) };
    return Object.assign(guard(transaction), variants);
  }
}

/** Replaces the methods that write. */
function instrument(sqlite: Sqlite.Database, guard: StoreGuard, { scheduler, disk }: ActiveWorld): void {
  const { prepare, transaction, pragma, close } = sqlite;
  const closeNow = (): void => void close.call(sqlite);
  // The files of an ended process do not matter any more: its folder has been copied.
  guard.process?.onEnd(() =>
    scheduler.schedule(0, undefined, () => {
      if (sqlite.open) disk.discardLog(sqlite.name);
      closeNow();
    }),
  );
  Object.assign(sqlite, {
    prepare: (text: string) => guardStatement(text, prepare.call(sqlite, text), guard),
    transaction: (work: (...values: unknown[]) => unknown) => guard.guardTransaction(transaction.call(sqlite, work)),
    pragma: (text: string, options?: Sqlite.PragmaOptions) => {
      const [, mode] = /^synchronous = (\w+)$/.exec(text) ?? [];
      if (mode === undefined) return pragma.call(sqlite, text, options);
      guard.isSynchronous = mode === 'FULL';
      return pragma.call(sqlite, 'synchronous = OFF');
    },
    close: () => {
      if (guard.process?.isAlive !== false) closeNow();
      return sqlite;
    },
  });
}

function guardStatement(text: string, statement: Sqlite.Statement, guard: StoreGuard): Sqlite.Statement {
  const run = statement.run.bind(statement);
  if (text === 'BEGIN IMMEDIATE') return Object.assign(statement, { run: () => guard.begin(run) });
  if (text === 'COMMIT') return Object.assign(statement, { run: () => guard.commit(run) });
  return statement;
}

function openSimulated(file: string, options?: Sqlite.Options): unknown {
  const world = getActiveWorld();
  if (!world?.disk.find(file)) return new Sqlite(file, options);
  const guard = new StoreGuard(file, world);
  if (world.disk.files) return openMemoryDatabase(file, world.disk.files, guard, options);
  const sqlite = new Sqlite(file, options);
  instrument(sqlite, guard, world);
  return sqlite;
}

/** Called with `new`, it returns the connection. */
export default Object.assign(
  function SimulatedSqlite(file: string, options?: Sqlite.Options) {
    return openSimulated(file, options);
  },
  { SqliteError: Sqlite.SqliteError },
);
