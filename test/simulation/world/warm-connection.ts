/**
 * SQLite connections that outlive schedules, with everything they have prepared. A connection has its file to itself, so that
 * the file can be exchanged beneath it: a connection that has given up its lock notices another change counter, drops its
 * pages, and keeps its statements as long as the schema is the same. Opening, reading the schema and preparing took a third of
 * a schedule. There is no write-ahead log: a commit writes to the file, which is in memory.
 */
import { fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { createMemoryFolder } from '../../memory-folder.ts';

/** Of the header: journal mode, twice, and where the change counter is, twice. */
const headerBytes = 100;
const journalModeOffsets = [18, 19];
const changeCounterOffsets = [24, 92];
const rollbackJournal = 1;
/** SQLite counts its own changes too, far fewer in one schedule. */
const changeCounterStep = 10_007;

/** What statements that begin and commit go through. */
export type EffectGuard = {
  begin<T>(work: () => T): T;
  commit<T>(work: () => T): T;
};

export class WarmConnection {
  readonly sqlite: Sqlite.Database;
  /** Of the process that uses it. */
  guard: EffectGuard | undefined;
  readonly #descriptor: number;
  readonly #statements = new Map<string, Sqlite.Statement>();
  readonly #pluckedStatements = new Map<string, Sqlite.Statement>();
  readonly #settings = new Map<string, string>();
  #changeCounter = 1;

  constructor(content: Uint8Array) {
    const folder = createMemoryFolder('vp-simulation-connection-');
    const file = join(folder, 'store.db');
    this.#descriptor = openSync(file, 'w+', 0o600);
    this.#write(content);
    this.sqlite = new Sqlite(file);
    for (const pragma of ['journal_mode = MEMORY', 'synchronous = OFF', 'locking_mode = EXCLUSIVE'])
      this.sqlite.pragma(pragma);
    this.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    // Both have it open, and nobody else needs it.
    rmSync(folder, { recursive: true });
  }

  /** Exchanges the file; its schema must be the same. */
  load(content: Uint8Array): void {
    this.rollBack();
    this.sqlite.pragma('locking_mode = NORMAL');
    this.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    this.#write(content);
    this.sqlite.pragma('locking_mode = EXCLUSIVE');
  }

  /** What is committed. */
  read(): Buffer {
    if (this.sqlite.inTransaction) throw new Error('the file cannot be read during a transaction');
    const content = Buffer.allocUnsafe(fstatSync(this.#descriptor).size);
    readSync(this.#descriptor, content, 0, content.length, 0);
    return content;
  }

  rollBack(): void {
    if (this.sqlite.inTransaction) this.sqlite.exec('ROLLBACK');
  }

  /** The same statement for the same text. */
  prepare(text: string): Sqlite.Statement {
    const cached = this.#statements.get(text);
    if (cached) return cached;
    const statement = this.#guardStatement(text, this.sqlite.prepare(text));
    Object.assign(statement, { pluck: () => this.#preparePlucked(text) });
    this.#statements.set(text, statement);
    return statement;
  }

  /** Sets what belongs to the connection, unless it is set already. */
  set(name: string, value: string): void {
    if (this.#settings.get(name) === value) return;
    this.sqlite.pragma(`${name} = ${value}`);
    this.#settings.set(name, value);
  }

  #preparePlucked(text: string): Sqlite.Statement {
    const cached = this.#pluckedStatements.get(text);
    if (cached) return cached;
    const statement = this.sqlite.prepare(text).pluck();
    this.#pluckedStatements.set(text, statement);
    return statement;
  }

  #guardStatement(text: string, statement: Sqlite.Statement): Sqlite.Statement {
    const run = statement.run.bind(statement);
    const guarded = {
      'BEGIN IMMEDIATE': () => this.guard?.begin(run) ?? run(),
      COMMIT: () => this.guard?.commit(run) ?? run(),
    }[text];
    return guarded ? Object.assign(statement, { run: guarded }) : statement;
  }

  #write(content: Uint8Array): void {
    // That of a lock, which stays empty.
    if (content.length === 0) return;
    const header = Buffer.from(content.subarray(0, headerBytes));
    this.#changeCounter = (this.#changeCounter + changeCounterStep) % 2 ** 32;
    for (const offset of journalModeOffsets) header[offset] = rollbackJournal;
    for (const offset of changeCounterOffsets) header.writeUInt32BE(this.#changeCounter, offset);
    writeSync(this.#descriptor, content, 0, content.length, 0);
    writeSync(this.#descriptor, header, 0, header.length, 0);
    ftruncateSync(this.#descriptor, content.length);
  }
}

const free = new Map<string, WarmConnection[]>();

/** `kind`: connections of one kind have the same schema. */
export function takeConnection(kind: string, content: Uint8Array): WarmConnection {
  const connection = free.get(kind)?.pop();
  if (!connection) return new WarmConnection(content);
  connection.load(content);
  return connection;
}

export function returnConnection(kind: string, connection: WarmConnection): void {
  connection.rollBack();
  connection.guard = undefined;
  const others = free.get(kind);
  if (others) others.push(connection);
  else free.set(kind, [connection]);
}
