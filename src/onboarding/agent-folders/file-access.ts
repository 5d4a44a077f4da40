/** How files of agents' folders are changed, or only read for a plan. */
import { existsSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import type { Environment } from '../../environment/environment.ts';
import type { Random } from '../../environment/random.ts';
import {
  type FileRewriter,
  type FileText,
  type NewFileMode,
  readUtf8,
  resolveTarget,
  rewriteFile,
} from './user-file.ts';

/** `config` is the user's configuration folder. */
export type FolderContext = {
  readonly config: string;
  readonly random: Pick<Random, 'token'>;
  readonly variables: Readonly<Record<string, string | undefined>>;
};

export function createFolderContext({
  paths,
  random,
  variables,
}: Pick<Environment, 'paths' | 'random' | 'variables'>): FolderContext {
  return { config: paths.config, random, variables };
}

/** Changes files, or only computes what would change: the same code makes a plan and executes it. */
export type FileAccess = {
  /** A new file gets `mode`, 0600 unless given. */
  rewrite(file: string, rewrite: FileRewriter, mode?: NewFileMode): Promise<{ before: FileText; after: FileText }>;
  /** True when the folder was created, or would be. */
  makeFolder(folder: string): Promise<boolean>;
  /** Removes a folder if it is empty. */
  removeFolder(folder: string): Promise<void>;
};

export function createWriteAccess({ random }: Pick<FolderContext, 'random'>): FileAccess {
  return {
    rewrite: (file, rewrite, mode) => rewriteFile(file, rewrite, random, mode),
    makeFolder: async (folder) => (await mkdir(folder, { recursive: true })) !== undefined,
    removeFolder: (folder) => rmdir(folder).catch(() => undefined),
  };
}

/** Reads files, so that errors in them are found, and writes nothing. */
export const readOnlyAccess: FileAccess = {
  async rewrite(file, rewrite) {
    const before = await readUtf8(await resolveTarget(file));
    return { before, after: rewrite(before) };
  },
  makeFolder: async (folder) => !existsSync(folder),
  removeFolder: async () => undefined,
};

/** What happens to a file. */
export type FolderChange = {
  readonly file: string;
  readonly change: 'created' | 'changed' | 'removed' | 'kept';
  readonly what: string;
};

export function toFolderChange(file: string, description: string, before: FileText, after: FileText): FolderChange {
  const change =
    before === after ? 'kept' : before === undefined ? 'created' : after === undefined ? 'removed' : 'changed';
  return { file, change, what: description };
}
