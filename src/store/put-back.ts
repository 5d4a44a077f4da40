/** Puts a whole file in the place of a store that nobody has open, and keeps the one that was there. */
import { chmodSync, constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { preparePrivateFile } from './private-file.ts';

/** What SQLite keeps beside a store. */
const companions = ['-wal', '-shm'];

/** A private copy of `copy` beside `file`, ready to be put in its place. */
export function preparePart(copy: string, file: string): string {
  const part = `${file}.part`;
  removeWhole(part);
  preparePrivateFile(part);
  copyFileSync(copy, part, constants.COPYFILE_FICLONE);
  chmodSync(part, 0o600);
  return part;
}

/**
 * Puts `part` in the place of `file`, which then stands as `<file>.replaced-<mark>` with what SQLite kept beside it; gives
 * that name, undefined where nothing was there. The store stays in its place until the new one takes it, so that a kill in
 * between leaves one of the two.
 */
export function putBack(part: string, file: string, mark: string): string | undefined {
  for (const suffix of companions) rmSync(part + suffix, { force: true });
  const replaced = existsSync(file) ? `${file}.replaced-${mark}` : undefined;
  if (replaced !== undefined)
    for (const suffix of ['', ...companions]) if (existsSync(file + suffix)) keep(file + suffix, replaced + suffix);
  for (const suffix of companions) rmSync(file + suffix, { force: true });
  renameSync(part, file);
  return replaced;
}

/** A second name costs nothing, however large the file is; not every disk has them. */
function keep(file: string, as: string): void {
  try {
    linkSync(file, as);
  } catch {
    copyFileSync(file, as);
  }
}

/** Removes a file with what SQLite kept beside it. */
export function removeWhole(file: string): void {
  for (const suffix of ['', ...companions]) rmSync(file + suffix, { force: true });
}
