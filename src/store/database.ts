/** The types that a database engine implements; engine.ts names the engine in use. */
import type { VpError } from '../errors/vp-error.ts';
import type { Sql } from './sql.ts';

/** `read` can be called any number of times. */
export type CommittedWrite<T, R> = { readonly value: T; read(): Promise<R> };

/** An open store. */
export type Database = {
  readonly file: string;
  /** Runs `operation` in the transaction of this tick. Rejects with what it throws, or with STORE_* when the commit fails. */
  write<T>(operation: (sql: Sql) => T): Promise<T>;
  /**
   * Writes as `write` does. `read` of the result reads what is committed then, or later. On PostgreSQL `reading` travels with the commit, when
   * it is a single statement.
   */
  writeAndRead<T, R>(operation: (sql: Sql) => T, reading: (sql: Sql) => R): Promise<CommittedWrite<T, R>>;
  /** Reads what is committed. */
  read<T>(operation: (sql: Sql) => T): Promise<T>;
  /** The same while no write is being made: what the operation sees still holds when it notes something in memory. */
  readExclusively<T>(operation: (sql: Sql) => T): Promise<T>;
  /** Calls `listener` after each commit of this process; the returned function stops that. */
  onCommit(listener: () => void): () => void;
  /** The commits that the store has, where it counts them. */
  countCommits(): number | undefined;
  /** A number that changes when another process has committed. For use within `read`: throws when the store is closed. */
  getForeignVersion(): number;
  /** Returns some unused pages to the disk if there are many; false when there was nothing to do. */
  shrink(): boolean;
  /** Resolves when the store answers. Rejects with STORE_*. */
  ping(): Promise<void>;
  /** Commits what is pending and closes; later writes reject with STORE_CLOSED. */
  close(): Promise<void>;
};

/** SQL of one step; step n brings a store from version n-1 to n (counting from 1). Steps never change once released. */
export type Migration = string;

/** What all steps come to, generated from those of this hash. */
export type NewestSchema = { readonly stepsSha256: string; readonly statements: readonly string[] };

/**
 * `applicationId` marks our files: "vp", then which store. `newestSchema` is for new stores. `readerViews` are, by version, the
 * temporary views with which a reader sees an earlier version like the newest one. `countsCommitsInMeta`: its commits are counted in
 * a row of its table `meta`, which most of them change anyway, and not in a table of their own.
 */
export type StoreKind = {
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
  readonly newestSchema?: NewestSchema | undefined;
  readonly countsCommitsInMeta?: boolean;
  readonly readerViews?: readonly (readonly string[])[];
};

/** What is in the schema of a file and not in that of its version, or the other way round. Names may be anything. */
export type SchemaDifference = {
  readonly kind: 'foreign' | 'changed' | 'missing';
  /** Such as `trigger`, as the file says. */
  readonly type: string;
  readonly name: string;
  readonly table: string;
};

/**
 * How the store's commits are counted, so that the next start notices lost ones. `owner` has the lock of the folder; a `guest`
 * is a command beside it. A loss is refused (STORE_WENT_BACK) unless `onLoss` takes it.
 */
export type StorePositionOptions = {
  readonly role: 'owner' | 'guest';
  readonly pid: number;
  readonly onLoss?: ((loss: VpError) => void) | undefined;
  /** Commits that another store knows of. */
  readonly knownCommits?: number | undefined;
};

/** `file` is created, with its folder (0700), when absent. Without `position`, commits are not counted. */
export type DatabaseOptions = {
  readonly file: string;
  readonly createKind: StoreKind;
  readonly position?: StorePositionOptions | undefined;
};

/** Keeps other processes out of a folder until it is released or this process ends. */
export type FolderLock = { release(): void };

/** What a backup is doing with a store. */
export type CopyPhase = 'copying' | 'checking';

/** A store as it is at one moment, while others go on writing it. */
export type StoreSnapshot = {
  /**
   * Copies it into the new file `target`, checks every page of the copy, and returns its size in bytes. `onProgress` gets
   * the share of the phase that is done. Throws STORE_DAMAGED and other STORE_*, and leaves no file then.
   */
  copyTo(target: string, onProgress: (phase: CopyPhase, share: number) => void): Promise<number>;
  close(): void;
};

/** `damaged`: it was a copy. `unusable`: it never was one that this version can read. */
export type CopyProblem = { readonly kind: 'damaged' | 'unusable'; readonly problem: string };
