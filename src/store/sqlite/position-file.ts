/**
 * How far a store has come, beside the store: `control.position` for `control.db`. The store counts its commits itself, so a
 * count in the file that is higher than the store's shows that commits are gone: a lost or damaged write-ahead log, or an older
 * copy of the store. The count is written after each commit, without waiting for the disk: it survives the end of the process.
 * A power cut may take its newest values, which hides a loss of the same moment and never invents one; `syncIntervalMs` bounds that.
 */
import { closeSync, constants, fdatasync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { PositionRecord, parseRecord, recordBytes, type StorePosition } from './position-record.ts';

const syncIntervalMs = 1000;
/** Created when absent, never truncated. */
const openFlags = constants.O_RDWR | constants.O_CREAT;

export function getPositionFile(storeFile: string): string {
  return `${storeFile.replace(/\.db$/, '')}.position`;
}

/** Differs when the file was changed, or exchanged, since. */
export function readFileStamp(storeFile: string): string {
  const stats = statSync(storeFile, { throwIfNoEntry: false });
  return stats ? `${stats.size}:${Math.trunc(stats.mtimeMs)}` : '-';
}

/** Undefined when there is none, or when a power cut has torn it. */
export function readPosition(storeFile: string): StorePosition | undefined {
  try {
    const descriptor = openSync(getPositionFile(storeFile), 'r');
    try {
      const buffer = Buffer.alloc(recordBytes);
      return readSync(descriptor, buffer, 0, recordBytes, 0) === recordBytes
        ? parseRecord(buffer.toString('latin1'))
        : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** The process that has the store open, or was killed while it had. */
export function readSqliteOwner(storeFile: string): number | undefined {
  const position = readPosition(storeFile);
  return position?.state === 'open' ? position.pid : undefined;
}

/** Writes the position of one store. Errors are not reported: a position that is behind misses a loss and never invents one. */
export class PositionWriter {
  readonly #descriptor: number | undefined;
  readonly #record = new PositionRecord();
  #syncedAtMs = 0;
  #isSyncing = false;
  #isClosed = false;

  constructor(storeFile: string) {
    try {
      this.#descriptor = openSync(getPositionFile(storeFile), openFlags, 0o600);
    } catch {
      this.#descriptor = undefined;
    }
  }

  write(position: StorePosition): void {
    if (this.#descriptor === undefined || this.#isClosed) return;
    this.#record.set(position);
    try {
      writeSync(this.#descriptor, this.#record.bytes, 0, recordBytes, 0);
    } catch {
      return;
    }
    const nowMs = performance.now();
    if (this.#isSyncing || nowMs - this.#syncedAtMs < syncIntervalMs) return;
    this.#syncedAtMs = nowMs;
    this.#isSyncing = true;
    fdatasync(this.#descriptor, () => {
      this.#isSyncing = false;
      if (this.#isClosed) this.#release();
    });
  }

  /** Writes the last position, and waits until it is on the disk. */
  close(position: StorePosition): void {
    if (this.#descriptor === undefined || this.#isClosed) return;
    this.#syncedAtMs = Number.POSITIVE_INFINITY;
    this.write(position);
    this.#isClosed = true;
    try {
      fdatasyncSync(this.#descriptor);
    } catch {
      // The next start checks the store as after a kill.
    }
    if (!this.#isSyncing) this.#release();
  }

  #release(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}
