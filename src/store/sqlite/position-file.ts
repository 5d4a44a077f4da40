/**
 * How far a store has come, beside the store: `control.position` for `control.db`. The store counts its commits itself, so a
 * count in the file that is higher than the store's shows that commits are gone: a lost or damaged write-ahead log, or an older
 * copy of the store. The count is written after each commit, without waiting for the disk: it survives the end of the process.
 * A power cut may take its newest values, which hides a loss of the same moment and never invents one; `syncIntervalMs` bounds that.
 */
import { closeSync, constants, fdatasync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

export type StorePosition = {
  /** `closed`: the store was closed in order, and `fileStamp` is its state then. */
  readonly state: 'open' | 'closed';
  readonly commits: number;
  /** The process that has, or had, the store open. */
  readonly pid: number;
  /** Size and time of change of the store's file. */
  readonly fileStamp: string;
};

/** Records have a constant length, so that a newer value overwrites an older one. */
const recordBytes = 96;
const recordPattern = /^vp1 (open|closed) (\d{1,15}) (\d{1,10}) ([\d.:-]{1,40}) *$/;
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

function format({ state, commits, pid, fileStamp }: StorePosition): string {
  const text = `vp1 ${state} ${commits} ${pid} ${fileStamp}`.padEnd(recordBytes - 10);
  return `${text} ${crc32(text).toString(16).padStart(8, '0')}\n`;
}

function parse(record: string): StorePosition | undefined {
  const text = record.slice(0, recordBytes - 10);
  const [, state, commits, pid, fileStamp = ''] = recordPattern.exec(text) ?? [];
  if (record.slice(recordBytes - 9, -1) !== crc32(text).toString(16).padStart(8, '0')) return undefined;
  if (state !== 'open' && state !== 'closed') return undefined;
  return { state, commits: Number(commits), pid: Number(pid), fileStamp };
}

/** Undefined when there is none, or when a power cut has torn it. */
export function readPosition(storeFile: string): StorePosition | undefined {
  try {
    const descriptor = openSync(getPositionFile(storeFile), 'r');
    try {
      const buffer = Buffer.alloc(recordBytes);
      return readSync(descriptor, buffer, 0, recordBytes, 0) === recordBytes
        ? parse(buffer.toString('latin1'))
        : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** Writes the position of one store. Errors are not reported: a position that is behind misses a loss and never invents one. */
export class PositionWriter {
  readonly #descriptor: number | undefined;
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
    try {
      writeSync(this.#descriptor, format(position), 0, 'latin1');
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
