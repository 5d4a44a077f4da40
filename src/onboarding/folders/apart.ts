/** Whether two agents are kept apart: each in a folder of its own. */
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';

/** The real path of a folder. Throws FOLDER_ABSENT. */
export async function folderAt(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw vpError('FOLDER_ABSENT', { folder: path });
  return realpath(path);
}

/**
 * Compares what the file system says of each folder and of those around it, and not names: links and the case of letters
 * cannot hide that two are one. Throws FOLDERS_NOT_APART, FOLDER_ABSENT.
 */
export async function demandApart(one: string, other: string): Promise<void> {
  const [first, second] = [await folderAt(one), await folderAt(other)];
  const [around, aroundOther] = [await identities(first), await identities(second)];
  const values = { one: first, other: second };
  if (around[0] === aroundOther[0]) throw vpError('FOLDERS_NOT_APART', { ...values, problem: 'are the same' });
  if (around.includes(aroundOther[0] ?? '') || aroundOther.includes(around[0] ?? '')) {
    throw vpError('FOLDERS_NOT_APART', { ...values, problem: 'lie one inside the other' });
  }
}

/** The folder and all around it, innermost first, as device and file number. */
async function identities(folder: string): Promise<string[]> {
  const { dev, ino } = await stat(folder, { bigint: true });
  const outer = dirname(folder);
  return [`${dev}:${ino}`, ...(outer === folder ? [] : await identities(outer))];
}
