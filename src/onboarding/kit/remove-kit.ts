/** Removes a kit: its files, its folders that become empty, and the kit's folder if nothing else is in it. */
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { manifestFile } from './kit-files.ts';
import { inspectKitFolder } from './manifest.ts';

export type KitRemoval = { readonly files: readonly string[]; readonly isFolderRemoved: boolean };

/** Does nothing for a folder that is not a kit. Safe to repeat: the manifest is removed last. */
export async function removeKit(folder: string): Promise<KitRemoval> {
  const state = await inspectKitFolder(folder);
  if (state.kind !== 'kit')
    return { files: [], isFolderRemoved: state.kind === 'empty' && (await tryRemoveFolder(folder)) };
  const files = [...state.manifest.files.filter((name) => name !== manifestFile), manifestFile];
  for (const name of files) {
    await rm(join(folder, name), { force: true });
    await removeEmptyFolders(folder, dirname(name));
  }
  return { files, isFolderRemoved: await tryRemoveFolder(folder) };
}

/** Removes a folder of the kit and its parents up to the first that is not empty. */
async function removeEmptyFolders(kit: string, below: string): Promise<void> {
  if (below === '.' || !(await tryRemoveFolder(join(kit, below)))) return;
  await removeEmptyFolders(kit, dirname(below));
}

/** True when the folder no longer exists. */
async function tryRemoveFolder(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
