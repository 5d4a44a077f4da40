/** Files that are written whole or not at all, and survive a power cut. */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';

/** Mode of a file that only its user may read, and of one that all may. */
export type FileMode = 0o600 | 0o644 | 0o755;

/** Writes `text`, making the folder. Throws KIT_UNWRITABLE. */
export async function writeWhole(
  file: string,
  text: string,
  random: Pick<Random, 'token'>,
  mode: FileMode = 0o600,
): Promise<void> {
  const part = `${file}.${random.token(6)}.part`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(part, 'wx', mode);
    await handle
      .writeFile(text)
      .then(() => handle.sync())
      .finally(() => handle.close());
    await rename(part, file);
    await syncFolder(dirname(file));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    throw reason === undefined ? error : vpError('KIT_UNWRITABLE', { file, reason }, { cause: error });
  } finally {
    await rm(part, { force: true }).catch(() => undefined);
  }
}

/** Makes a new name survive a power cut; Windows journals renames and syncs no folders. */
async function syncFolder(folder: string): Promise<void> {
  if (sep !== '/') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
