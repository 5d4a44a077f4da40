/** Replaces a SQLite store that nothing has open, and keeps the replaced one. */
import { chmodSync, constants, copyFileSync, existsSync, linkSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { moveIntoPlace, replaceFileUsing, syncFile, syncFolder } from '../../files/atomic-write.ts';
import { createPrivateFile } from '../private-files.ts';
import { getPositionFile } from './position-file.ts';

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

/** The steps of a replacement, each of which may be the last one that runs. */
export type ReplacementStepListener = (step: string) => void;

/**
 * Replaces `file` by `part`, and keeps the old store as `<file>.replaced-<mark>` with its companion files. A call that was
 * interrupted is completed by the same call; in between the store is not usable, so the caller records that it is under way.
 */
export function replaceSqliteFile(part: string, file: string, mark: string, onStep: ReplacementStepListener): void {
  if (!existsSync(part)) return;
  for (const suffix of ['', ...companionSuffixes]) {
    onStep(`retain ${suffix}`);
    if (existsSync(file + suffix)) linkOrCopy(file + suffix, `${file}.replaced-${mark}${suffix}`);
  }
  syncFolder(dirname(file));
  for (const suffix of companionSuffixes) {
    onStep(`remove ${suffix}`);
    rmSync(file + suffix, { force: true });
    rmSync(part + suffix, { force: true });
  }
  onStep('remove the position');
  rmSync(getPositionFile(file), { force: true });
  onStep('rename');
  moveIntoPlace(part, file);
}

/** A hard link costs nothing, however large the file is; not every file system has them. */
function linkOrCopy(file: string, as: string): void {
  if (existsSync(as)) return;
  try {
    linkSync(file, as);
  } catch {
    replaceFileUsing(as, (part) => copyFileSync(file, part));
  }
}

/** Removes a file with its companion files. */
export function removeSqliteFile(file: string): void {
  for (const suffix of ['', ...companionSuffixes]) rmSync(file + suffix, { force: true });
}
