/**
 * Files of a backup while it is written: `<file>.<pid>.part`. When all parts are complete, each gets its name by a hard link,
 * the most important one last, and then loses the part's name. So a kill leaves parts of a process that is gone; a file that is
 * the same as such a part was named by an unfinished backup.
 */
import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isProcessAlive } from '../environment/process-id.ts';
import { vpError } from '../errors/vp-error.ts';
import { syncFolder } from '../files/atomic-write.ts';
import { getSystemErrorCode } from '../files/system-error.ts';

type PlacedPart = { readonly part: string; readonly file: string };

export function formatPartName(file: string, pid: number): string {
  return `${file}.${pid}.part`;
}

/** Gives the parts their names; the set is complete when the last one has its name. Throws BACKUP_EXISTS and system errors. */
export function nameBackupParts(parts: readonly PlacedPart[]): void {
  const named: string[] = [];
  try {
    for (const { part, file } of parts) {
      moveWithoutOverwriting(part, file);
      named.push(file);
    }
    for (const folder of new Set(named.map(dirname))) syncFolder(folder);
  } catch (error) {
    for (const file of named) rmSync(file, { force: true });
    throw error;
  }
}

/** Not every file system has hard links. */
function moveWithoutOverwriting(part: string, file: string): void {
  try {
    linkSync(part, file);
  } catch (error) {
    if (existsSync(file)) throw vpError('BACKUP_EXISTS', { file });
    if (getSystemErrorCode(error) === 'ENOSPC') throw error;
    renameSync(part, file);
  }
}

/**
 * Removes what killed backups to `files` left: parts, and named files of a set that is not complete. The last of `files` is
 * the one that completes a set.
 */
export function removeUnfinishedBackups(files: readonly string[], ownPid: number): void {
  const leftovers = files.map((file) => ({ file, parts: listAbandonedParts(file, ownPid) }));
  const isComplete = leftovers.at(-1)?.parts.some((part) => isSameFile(part, files.at(-1) ?? '')) ?? false;
  for (const { file, parts } of leftovers) {
    if (!isComplete && parts.some((part) => isSameFile(part, file))) rmSync(file, { force: true });
    for (const part of parts)
      for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(part + suffix, { force: true });
  }
}

/** A process in a container may have the id that the killed one had. */
function listAbandonedParts(file: string, ownPid: number): string[] {
  const folder = dirname(file);
  if (!existsSync(folder)) return [];
  const prefix = `${basename(file)}.`;
  return readdirSync(folder).flatMap((name) => {
    const match = name.startsWith(prefix) ? /^(\d{1,10})\.part$/.exec(name.slice(prefix.length)) : null;
    const pid = Number(match?.[1]);
    return match && (pid === ownPid || !isProcessAlive(pid)) ? [join(folder, name)] : [];
  });
}

/**
 * Parts in a folder without the file that completes a set: what is there is not all of it. Throws STORE_COPY_INCOMPLETE.
 * `files` as in {@link removeUnfinishedBackups}.
 */
export function assertNoUnfinishedCopy(folder: string, files: readonly string[]): void {
  const last = files.at(-1);
  if (last === undefined || existsSync(last)) return;
  const isPartOf = (name: string, file: string): boolean =>
    name.startsWith(`${basename(file)}.`) && /^\.\d{1,10}\.part$/.test(name.slice(basename(file).length));
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.some((name) => files.some((file) => isPartOf(name, file))))
    throw vpError('STORE_COPY_INCOMPLETE', { target: `the data folder ${folder}` });
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}
