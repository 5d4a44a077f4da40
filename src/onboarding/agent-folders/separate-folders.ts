/** Two agents must work in separate folders. */
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';

/** The real path of a folder. Throws FOLDER_ABSENT. */
export async function resolveFolder(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats?.isDirectory()) throw vpError('FOLDER_ABSENT', { folder: path });
  return realpath(path);
}

/**
 * Compares device and inode of each folder and its parents instead of names: links and the case of letters cannot hide that
 * two paths are one folder. Throws FOLDERS_NOT_APART, FOLDER_ABSENT.
 */
export async function assertSeparateFolders(firstPath: string, secondPath: string): Promise<void> {
  const [first, second] = [await resolveFolder(firstPath), await resolveFolder(secondPath)];
  const [firstAncestors, secondAncestors] = [await listAncestorIds(first), await listAncestorIds(second)];
  const values = { one: first, other: second };
  if (firstAncestors[0] === secondAncestors[0])
    throw vpError('FOLDERS_NOT_APART', { ...values, problem: 'are the same' });
  if (firstAncestors.includes(secondAncestors[0] ?? '') || secondAncestors.includes(firstAncestors[0] ?? '')) {
    throw vpError('FOLDERS_NOT_APART', { ...values, problem: 'lie one inside the other' });
  }
}

/** Device and inode of the folder and its parents, innermost first. */
async function listAncestorIds(folder: string): Promise<string[]> {
  const { dev, ino } = await stat(folder, { bigint: true });
  const parent = dirname(folder);
  return [`${dev}:${ino}`, ...(parent === folder ? [] : await listAncestorIds(parent))];
}
