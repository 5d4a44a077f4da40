/**
 * Atomic, durable writes: a reader sees the old file or the new one, never a part, also after a power cut. The content is
 * written to a temporary file in the same folder, because a rename is atomic within one file system only.
 */
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, sep } from 'node:path';
import { type Random, systemRandom } from '../environment/random.ts';
import { getSystemErrorCode } from './system-error.ts';

export type NewFileOptions = {
  /** Mode of the new file, from which the user's umask is removed; 0600 by default: for this user alone. */
  readonly mode?: number | undefined;
  /** Mode that is set whatever the umask is. */
  readonly exactMode?: number | undefined;
  /** Given to the file where permitted. */
  readonly owner?: Pick<Stats, 'uid' | 'gid'> | undefined;
};

type AtomicWriteOptions = NewFileOptions & {
  readonly random?: Pick<Random, 'token'> | undefined;
  /** False where a loss costs nothing: the write does not wait for the disk. */
  readonly isDurable?: boolean;
};

/** Replaces `file`, whose folder must exist. Throws system errors, and then leaves nothing behind. */
export function writeFileAtomically(
  file: string,
  content: string | Uint8Array,
  { random, isDurable = true, ...options }: AtomicWriteOptions = {},
): void {
  const create = (partFile: string): void =>
    isDurable
      ? createSyncedFile(partFile, content, options)
      : writeFileSync(partFile, content, { mode: options.mode ?? 0o600, flag: 'wx' });
  replaceFileUsing(file, create, random, isDurable ? moveIntoPlace : renameSync);
}

/** Replaces `file` by the one that `createFile` creates, and syncs, at the path given to it. Throws like {@link writeFileAtomically}. */
export function replaceFileUsing(
  file: string,
  createFile: (partFile: string) => void,
  random: Pick<Random, 'token'> = systemRandom,
  move: typeof moveIntoPlace = moveIntoPlace,
): void {
  const partFile = `${file}.${random.token(9)}.part`;
  try {
    createFile(partFile);
    move(partFile, file);
  } catch (error) {
    rmSync(partFile, { force: true });
    throw error;
  }
}

/** Creates a file that does not exist yet, and writes it to the disk. Throws EEXIST and other system errors. */
export function createSyncedFile(
  file: string,
  content: string | Uint8Array,
  { mode = 0o600, exactMode, owner }: NewFileOptions = {},
): void {
  const descriptor = openSync(file, 'wx', mode);
  try {
    writeFileSync(descriptor, content);
    if (owner) tryChangeOwner(descriptor, owner);
    if (exactMode !== undefined) fchmodSync(descriptor, exactMode);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function tryChangeOwner(descriptor: number, { uid, gid }: Pick<Stats, 'uid' | 'gid'>): void {
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    // Only root may give a file to another user.
  }
}

/** Writes the content of a file that was created by other means to the disk. */
export function syncFile(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Renames a synced `partFile` to `file` in the same folder. */
export function moveIntoPlace(partFile: string, file: string): void {
  renameSync(partFile, file);
  syncFolder(dirname(file));
}

/** Errors of file systems that cannot sync a folder, and of folders that may be written but not read. */
const unsupportedSync = ['EACCES', 'EPERM', 'EINVAL', 'ENOTSUP'];

/** Makes a rename survive a power cut. Windows journals renames and cannot sync folders. */
export function syncFolder(folder: string): void {
  if (sep !== '/') return;
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!unsupportedSync.includes(getSystemErrorCode(error) ?? '')) throw error;
  }
}
