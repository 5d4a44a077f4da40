/**
 * The disk of a simulation. A folder belongs to one process; when that ends, the next start gets a copy of the folder as it is in
 * that moment: what was not committed is gone, and nothing was closed in order. Here stores are real SQLite files in folders,
 * in a file system in memory where the system has one. Most schedules have a faster one (memory-disk.ts).
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { createMemoryFolder } from '../../memory-folder.ts';
import type { MemoryFiles } from './memory-files.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Locks and shared memory end with their process. */
export const volatileFile = /\.(lock|pid)$|-shm$|\.lock-/;

/** Why nothing can be written, as SQLite names it. */
export type DiskFault = 'SQLITE_FULL' | 'SQLITE_IOERR_WRITE';

/** `identity`: as of its store's file, which a crash leaves and a clone does not have. `syncedLogBytes`: how much of each write-ahead log survives a power cut. */
export type DiskFolder = {
  readonly path: string;
  readonly identity: string;
  fault: DiskFault | undefined;
  readonly syncedLogBytes: Map<string, number>;
};

export type Disk = {
  /** Where it is in memory only. */
  readonly files?: MemoryFiles;
  /** With copies of the files in `source`. */
  createFolder(source?: string, identity?: string): DiskFolder;
  /** The folder that `file` is in. */
  find(file: string): DiskFolder | undefined;
  /** Nothing is started again: what ends from now on leaves its folder as it is. */
  stopCopying(): void;
  /** A copy of `source` as it is now, with its faults: the same folder at another moment. */
  copyFolder(source: DiskFolder): DiskFolder;
  /** The folder of a process that has ended, for its next start. */
  continueFolder(source: DiskFolder): DiskFolder;
  /** A folder of its own with what `source` has in it now. */
  cloneFolder(source: DiskFolder): DiskFolder;
  /** Makes the copy of the database `file` one file, as a backup is. */
  completeCopy(file: string): void;
  /** Cuts the ends of write-ahead logs that nobody synced, at a random byte. */
  loseUnsynced(folder: DiskFolder, random: SeededRandom): void;
  /** The database `file` is synced to the disk as it is now. */
  recordSync(file: string): void;
  /** Nothing needs what is in the database `file` any more, so closing it need not move its log into it. */
  discardLog(file: string): void;
  remove(): void;
};

export class FileDisk implements Disk {
  readonly #root: string;
  readonly #folders = new Map<string, DiskFolder>();
  #count = 0;
  #isCopying = true;

  constructor() {
    this.#root = createMemoryFolder('vp-simulation-');
  }

  createFolder(source?: string, identity?: string): DiskFolder {
    this.#count += 1;
    const folder: DiskFolder = {
      path: join(this.#root, String(this.#count)),
      identity: identity ?? String(this.#count),
      fault: undefined,
      syncedLogBytes: new Map(),
    };
    mkdirSync(folder.path, { mode: 0o700 });
    this.#folders.set(folder.path, folder);
    if (source !== undefined) copyFiles(source, folder.path);
    return folder;
  }

  find(file: string): DiskFolder | undefined {
    return this.#folders.get(file.slice(0, file.lastIndexOf('/')));
  }

  stopCopying(): void {
    this.#isCopying = false;
  }

  copyFolder(source: DiskFolder): DiskFolder {
    if (!this.#isCopying) return source;
    const copy = this.createFolder(source.path, source.identity);
    copy.fault = source.fault;
    for (const [name, bytes] of source.syncedLogBytes) copy.syncedLogBytes.set(name, bytes);
    return copy;
  }

  continueFolder(source: DiskFolder): DiskFolder {
    return this.copyFolder(source);
  }

  cloneFolder(source: DiskFolder): DiskFolder {
    return this.createFolder(source.path);
  }

  /** The last connection that closes brings the write-ahead log into the file, if it has read from it. */
  completeCopy(file: string): void {
    const sqlite = new Sqlite(file);
    sqlite.prepare('SELECT 1 FROM sqlite_schema').get();
    sqlite.close();
  }

  loseUnsynced(folder: DiskFolder, random: SeededRandom): void {
    for (const name of readdirSync(folder.path).filter((file) => file.endsWith('-wal'))) {
      const file = join(folder.path, name);
      const { size } = statSync(file);
      const synced = folder.syncedLogBytes.get(name) ?? 0;
      if (size > synced) truncateSync(file, random.integer(synced, size));
    }
    // Nobody ever syncs recorded calls.
    for (const name of readdirSync(folder.path).filter((file) => file.endsWith('.recent'))) {
      const file = join(folder.path, name);
      truncateSync(file, random.integer(0, statSync(file).size));
    }
  }

  recordSync(file: string): void {
    const log = `${file}-wal`;
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    this.find(file)?.syncedLogBytes.set(basename(log), size);
  }

  discardLog(file: string): void {
    const log = `${file}-wal`;
    if (existsSync(log)) truncateSync(log, 0);
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function copyFiles(from: string, to: string): void {
  for (const name of readdirSync(from)) if (!volatileFile.test(name)) copyFileSync(join(from, name), join(to, name));
}
