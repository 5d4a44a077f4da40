/** Takes a kit away: its files, its folders as they become empty, and the kit's folder when nothing else lies in it. */
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { manifestFile } from './kit-files.ts';
import { stateOf } from './manifest.ts';

/** `isGone`: the folder, too. */
export type KitRemoved = { readonly files: readonly string[]; readonly isGone: boolean };

/** For a folder that is no kit nothing is done. Can be repeated: the list of the files goes last. */
export async function removeKit(folder: string): Promise<KitRemoved> {
  const state = await stateOf(folder);
  if (state.kind !== 'kit') return { files: [], isGone: state.kind === 'empty' && (await isRemoved(folder)) };
  const files = [...state.manifest.files.filter((name) => name !== manifestFile), manifestFile];
  for (const name of files) {
    await rm(join(folder, name), { force: true });
    await removeEmpty(folder, dirname(name));
  }
  return { files, isGone: await isRemoved(folder) };
}

/** A folder below the kit's, and those around it, as far as nothing lies in them. */
async function removeEmpty(kit: string, below: string): Promise<void> {
  if (below === '.' || !(await isRemoved(join(kit, below)))) return;
  await removeEmpty(kit, dirname(below));
}

/** True when the folder was empty, or is not there. */
async function isRemoved(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
