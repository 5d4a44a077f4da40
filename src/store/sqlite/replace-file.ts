/** Replaces a SQLite store that nothing has open, and keeps the replaced one. */
import { chmodSync, constants, copyFileSync, existsSync, linkSync, rmSync } from 'node:fs';
import { moveIntoPlace, syncFile } from '../../files/atomic-write.ts';
import { createPrivateFile } from '../private-files.ts';

/** Files that SQLite keeps beside a store. */
const companionSuffixes = ['-wal', '-shm'];

/** Creates a private copy of `copy` beside `file`, ready to replace it; returns its path. */
export function prepareReplacementFile(copy: string, file: string): string {
  const part = `${file}.part`;
  removeSqliteFile(part);
  createPrivateFile(part);
  copyFileSync(copy, part, constants.COPYFILE_FICLONE);
  chmodSync(part, 0o600);
  syncFile(part);
  return part;
}

/**
 * Replaces `file` by `part`. The old store stays as `<file>.replaced-<mark>` with its companion files; returns that path,
 * undefined when there was none. The old store is in place until the rename, so a kill in between leaves one of the two.
 */
export function replaceSqliteFile(part: string, file: string, mark: string): string | undefined {
  for (const suffix of companionSuffixes) rmSync(part + suffix, { force: true });
  const replaced = existsSync(file) ? `${file}.replaced-${mark}` : undefined;
  if (replaced !== undefined)
    for (const suffix of ['', ...companionSuffixes])
      if (existsSync(file + suffix)) linkOrCopy(file + suffix, replaced + suffix);
  for (const suffix of companionSuffixes) rmSync(file + suffix, { force: true });
  moveIntoPlace(part, file);
  return replaced;
}

/** A hard link costs nothing, however large the file is; not every file system has them. */
function linkOrCopy(file: string, as: string): void {
  try {
    linkSync(file, as);
  } catch {
    copyFileSync(file, as);
  }
}

/** Removes a file with its companion files. */
export function removeSqliteFile(file: string): void {
  for (const suffix of ['', ...companionSuffixes]) rmSync(file + suffix, { force: true });
}
