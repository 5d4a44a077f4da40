/**
 * Files that imported requests send: copied from beside the source into the folder of the scenarios. A source of somebody else must not
 * bring other files of this machine into a test, so only those below its own folder are read, as with scenarios.
 */
import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import type { ImportedUpload } from '../../import/imported.ts';
import { maxUploadBytes } from '../../scenario/uploads.ts';
import { isBelowFolder } from '../scenarios/used-files.ts';
import type { ImportedFile } from './plan-import.ts';
import type { ReadSource } from './read-source.ts';

/** `copied`: from `from`, or with the recorded content. `missing`: with the reason. */
export type PlannedUpload = {
  readonly file: string;
  readonly path: string;
  readonly state: 'copied' | 'unchanged' | 'missing';
  readonly from: string | undefined;
  readonly content: string | undefined;
  readonly reason: string | undefined;
};

export function planUploads(
  uploads: readonly ImportedUpload[],
  sources: readonly ReadSource[],
  scenarios: readonly ImportedFile[],
  { cwd }: Pick<Environment, 'cwd'>,
): readonly PlannedUpload[] {
  return uploads.flatMap((upload) =>
    listFolders(upload, scenarios).map((folder): PlannedUpload => {
      const { path, content } = upload;
      const base = { file: join(folder, upload.name), path, content, from: undefined, reason: undefined };
      if (existsSync(resolve(cwd, base.file))) return { ...base, state: 'unchanged' };
      if (content !== undefined) return { ...base, state: 'copied' };
      const match = findFile(upload, sources);
      return 'reason' in match ? { ...base, ...match, state: 'missing' } : { ...base, ...match, state: 'copied' };
    }),
  );
}

/** Of the scenarios that send it: they name it relative to themselves. */
function listFolders({ name }: ImportedUpload, scenarios: readonly ImportedFile[]): readonly string[] {
  const users = scenarios.filter(({ planned }) =>
    planned.text.split('\n').some((line) => line.split(' = ')[1]?.split(';', 1)[0] === `@${name}`),
  );
  return [...new Set(users.map(({ file }) => dirname(file)))];
}

function findFile({ path, source }: ImportedUpload, sources: readonly ReadSource[]) {
  if (path === '' || path.includes('${')) return { reason: 'the source does not say which file it is' };
  const origin = sources.find(({ name }) => name === source);
  if (origin?.folder === undefined) return { reason: `\`${path}\` is not beside the source` };
  const candidates = [resolve(origin.folder, dirname(source), path), resolve(origin.folder, path)];
  for (const candidate of candidates) {
    const stats = isBelowFolder(origin.folder, candidate) ? statSync(candidate) : undefined;
    if (!stats?.isFile()) continue;
    if (stats.size > maxUploadBytes)
      return { reason: `\`${path}\` has ${stats.size} bytes, and a scenario sends files of at most ${maxUploadBytes}` };
    return { from: candidate };
  }
  return { reason: `\`${path}\` is not in the folder of the source` };
}

/** Throws NEW_FILE_UNWRITABLE. */
export function writeUploads(uploads: readonly PlannedUpload[], { cwd }: Pick<Environment, 'cwd'>): void {
  for (const { file, state, from, content } of uploads) {
    if (state !== 'copied') continue;
    const path = resolve(cwd, file);
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (from === undefined) writeFileSync(path, content ?? '', { flag: 'wx' });
      else copyFileSync(from, path);
    } catch (error) {
      const reason = getSystemErrorCode(error) ?? String(error);
      throw vpError('NEW_FILE_UNWRITABLE', { file, reason }, { cause: error });
    }
  }
}
