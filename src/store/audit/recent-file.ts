/**
 * The file of recorded calls whose rows are not in the audit's tables yet, beside the audit: `audit.recent`. A line is written
 * without waiting for the disk, like a commit of the audit: it survives the end of the process, and a power cut may take it.
 * The writer decides what a line contains; after a power cut a file may end with anything.
 */
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';

/** Created when absent, never truncated. */
const openFlags = constants.O_RDWR | constants.O_CREAT;

export function getRecentFile(auditFile: string): string {
  return `${auditFile.replace(/\.db$/, '')}.recent`;
}

/** The complete lines; none where there is no file. Throws STORE_UNWRITABLE. */
export function readRecentLines(auditFile: string): string[] {
  const file = getRecentFile(auditFile);
  if (!existsSync(file)) return [];
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    throw toFileError(file, error);
  }
}

/** Renames the file, where there is one; returns the new name. */
export function retainRecentFile(auditFile: string, suffix: string): string {
  const file = getRecentFile(auditFile);
  const retained = `${file}.${suffix}`;
  if (existsSync(file)) renameSync(file, retained);
  return retained;
}

export function removeRecentFile(auditFile: string): void {
  rmSync(getRecentFile(auditFile), { force: true });
}

export class RecentFile {
  readonly #file: string;
  readonly #descriptor: number;
  #bytes = 0;
  #isClosed = false;

  /** Empties it: its lines were read before. Throws STORE_UNWRITABLE. */
  constructor(auditFile: string) {
    this.#file = getRecentFile(auditFile);
    try {
      this.#descriptor = openSync(this.#file, openFlags, 0o600);
      ftruncateSync(this.#descriptor, 0);
    } catch (error) {
      throw toFileError(this.#file, error);
    }
  }

  /** Appends lines, or leaves the file as it was. Throws STORE_DISK_FULL, STORE_UNWRITABLE, STORE_CLOSED. */
  append(lines: string): void {
    // The system gives the number of a closed descriptor to the next file.
    if (this.#isClosed) throw vpError('STORE_CLOSED', {});
    const bytes = Buffer.from(lines);
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(this.#descriptor, bytes, written, bytes.length - written, this.#bytes + written);
      this.#bytes += bytes.length;
    } catch (error) {
      this.#truncate(this.#bytes);
      throw toFileError(this.#file, error);
    }
  }

  /** Its lines are in the tables. Where it fails, they stay, and are recognised as such. */
  clear(): void {
    if (!this.#isClosed && this.#bytes > 0 && this.#truncate(0)) this.#bytes = 0;
  }

  #truncate(bytes: number): boolean {
    try {
      ftruncateSync(this.#descriptor, bytes);
      return true;
    } catch {
      return false;
    }
  }

  /** A file without lines is removed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#descriptor);
    if (this.#bytes === 0) rmSync(this.#file, { force: true });
  }
}

function toFileError(file: string, error: unknown): VpError {
  const code = getSystemErrorCode(error) === 'ENOSPC' ? 'STORE_DISK_FULL' : 'STORE_UNWRITABLE';
  return vpError(code, { file }, { cause: error, detail: String(error) });
}
