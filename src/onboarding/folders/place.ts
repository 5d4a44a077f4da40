/** What connecting folders takes from the process. */
import { mkdir, rmdir } from 'node:fs/promises';
import type { Environment } from '../../environment/environment.ts';
import type { Random } from '../../environment/random.ts';
import { type FileText, type NewFileMode, type Rewrite, readText, rewriteFile, targetOf } from './own-file.ts';

/** `config` is the user's configuration folder. */
export type FolderPlace = {
  readonly config: string;
  readonly random: Pick<Random, 'token'>;
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/** Of a process. */
export function placeOf({ paths, random, variables }: Environment): FolderPlace {
  return { config: paths.config, random, variables };
}

/** Changes files, or only looks what would change: the same steps make a plan and carry it out. */
export type FileAccess = {
  /** A new file gets `mode`, 0600 unless given. */
  rewrite(file: string, rewrite: Rewrite, mode?: NewFileMode): Promise<{ before: FileText; after: FileText }>;
  /** True when the folder was made. */
  makeFolder(folder: string): Promise<boolean>;
  /** Takes a folder away that is empty. */
  removeFolder(folder: string): Promise<void>;
};

/** Writes. */
export function writing({ random }: Pick<FolderPlace, 'random'>): FileAccess {
  return {
    rewrite: (file, rewrite, mode) => rewriteFile(file, rewrite, random, mode),
    makeFolder: async (folder) => (await mkdir(folder, { recursive: true })) !== undefined,
    removeFolder: (folder) => rmdir(folder).catch(() => undefined),
  };
}

/** Only looks; files are read, and faults in them are told. */
export const looking: FileAccess = {
  async rewrite(file, rewrite) {
    const before = await readText(await targetOf(file));
    return { before, after: rewrite(before) };
  },
  makeFolder: async () => false,
  removeFolder: async () => undefined,
};

/** What happens to a file, for people and programs. */
export type FolderChange = {
  readonly file: string;
  readonly change: 'created' | 'changed' | 'removed' | 'kept';
  readonly what: string;
};

/** The change between two texts. */
export function changeOf(file: string, what: string, before: FileText, after: FileText): FolderChange {
  const change =
    before === after ? 'kept' : before === undefined ? 'created' : after === undefined ? 'removed' : 'changed';
  return { file, change, what };
}
