/** Which files an import writes. A file that differs, or a scenario whose ID another file has, stays unless the call says otherwise. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import type { WrittenScenario } from '../../import/write-scenarios.ts';
import { type PlannedFile, planFile, writeFiles } from '../new/new-files.ts';
import { findScenarioId, parseFile } from '../scenarios/read-scenarios.ts';
import { pathExists, readScenarioFiles } from '../scenarios/scenario-files.ts';

/** `kept`: a file with its ID is there and differs. */
export type ImportState = 'created' | 'unchanged' | 'replaced' | 'kept';

export type ImportedFile = {
  readonly id: string;
  readonly file: string;
  readonly state: ImportState;
  readonly planned: PlannedFile;
};

export function planImport(
  scenarios: readonly WrittenScenario[],
  folder: string,
  force: boolean,
  environment: Pick<Environment, 'cwd'>,
): readonly ImportedFile[] {
  const existing = listExisting(folder, environment);
  return scenarios.map(({ id, text }) => {
    const file = existing.get(id) ?? join(folder, `${id}.md`);
    const planned = planFile(file, text, '', environment);
    const state =
      planned.change === 'create' ? 'created' : planned.change === 'keep' ? 'unchanged' : force ? 'replaced' : 'kept';
    return { id, file, state, planned };
  });
}

/** Files of the folder by the ID of their scenario. */
function listExisting(folder: string, { cwd }: Pick<Environment, 'cwd'>): ReadonlyMap<string, string> {
  if (!pathExists(folder, cwd)) return new Map();
  const files = readScenarioFiles([folder], cwd, () => undefined);
  return new Map(
    files.flatMap((file) => {
      const id = findScenarioId(parseFile(file, { variables: 'any' }));
      return id === undefined ? [] : [[id, file.file] as const];
    }),
  );
}

/**
 * New files are not synced to the disk one by one: an import can be repeated. Throws
 * NEW_FILE_UNWRITABLE; a file that somebody else has just created is not replaced.
 */
export function writeImport(files: readonly ImportedFile[], environment: Pick<Environment, 'cwd' | 'random'>): void {
  const replaced = files.filter(({ state }) => state === 'replaced');
  for (const { file, state, planned } of files) {
    if (state !== 'created') continue;
    const path = resolve(environment.cwd, file);
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, planned.text, { flag: 'wx' });
    } catch (error) {
      const reason = getSystemErrorCode(error) ?? String(error);
      throw vpError('NEW_FILE_UNWRITABLE', { file, reason }, { cause: error });
    }
  }
  writeFiles(
    replaced.map(({ planned }) => planned),
    environment,
  );
}
