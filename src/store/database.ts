/** The types that a database engine implements; engine.ts names the engine in use. */
import type { Sql } from './sql.ts';

/** An open store. */
export type Database = {
  readonly file: string;
  /** Runs `operation` in the transaction of this tick. Rejects with what it throws, or with STORE_* when the commit fails. */
  write<T>(operation: (sql: Sql) => T): Promise<T>;
  /** Reads what is committed. */
  read<T>(operation: (sql: Sql) => T): Promise<T>;
  /** Calls `listener` after each commit of this process; the returned function stops that. */
  onCommit(listener: () => void): () => void;
  /** A number that changes when another process has committed. For use within `read`: throws when the store is closed. */
  getForeignVersion(): number;
  /** Resolves when the store answers. Rejects with STORE_*. */
  ping(): Promise<void>;
  /** Commits what is pending and closes; later writes reject with STORE_CLOSED. */
  close(): Promise<void>;
};

/** SQL of one step; step n brings a store from version n-1 to n (counting from 1). Steps never change once released. */
export type Migration = string;

/** `applicationId` marks our files: "vp", then which store. */
export type StoreKind = { readonly applicationId: number; readonly migrations: readonly Migration[] };

/** `file` is created, with its folder (0700), when absent. */
export type DatabaseOptions = { readonly file: string; readonly createKind: StoreKind };

/** Keeps other processes out of a folder until it is released or this process ends. */
export type FolderLock = { release(): void };

/** A store as it is at one moment, while others go on writing it. */
export type StoreSnapshot = {
  /** Copies it into the new file `target`; returns the size in bytes. `onProgress` gets the share that is done. Throws STORE_*. */
  copyTo(target: string, onProgress: (share: number) => void): Promise<number>;
  close(): void;
};
