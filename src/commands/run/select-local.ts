/** The scenarios of `vp run --local`: files, or scenarios of the test folder by ID or tag. */
import { join, resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { formatSuggestion } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import {
  findScenarioId,
  type ParsedFile,
  parseFile,
  requireUsableFiles,
  type UsableFile,
} from '../scenarios/read-scenarios.ts';
import { pathExists, readScenarioFiles, resolveScenarioFolder } from '../scenarios/scenario-files.ts';
import type { Selection } from './selection.ts';

export type LocalSelection = Selection & {
  /** Undefined: `scenarios` or `test/scenarios` in the current folder. */
  readonly testDir: string | undefined;
  readonly placeholders: ParseOptions;
  readonly json: boolean;
};

/** The given folder, else the default one. */
export function findTestFolder(testDir: string | undefined, cwd: string): string {
  if (testDir !== undefined) return resolveScenarioFolder(testDir, cwd);
  const defaultFolders = ['scenarios', join('test', 'scenarios')];
  return defaultFolders.find((folder) => pathExists(folder, cwd)) ?? 'scenarios';
}

/**
 * The scenarios to run, in the order of the arguments; all of the test folder without arguments. Throws
 * RUN_SCENARIO_MISSING, RUN_TAG_UNKNOWN, SCENARIO_FILE…, SCENARIO_FOLDER_EMPTY.
 */
export async function selectLocal(selection: LocalSelection, environment: Environment): Promise<UsableFile[]> {
  const { paths, ids, tags, placeholders, json } = selection;
  const { cwd } = environment;
  const parse = (names: readonly string[]): ParsedFile[] =>
    readScenarioFiles(names, cwd).map((file) => parseFile(file, placeholders));
  const named = parse(paths);
  const fromFolder = paths.length > 0 && ids.length + tags.length === 0 ? [] : selectInFolder(selection, cwd, parse);
  const selected = new Map([...named, ...fromFolder].map((file) => [resolve(cwd, file.file), file]));
  return requireUsableFiles([...selected.values()], json, environment);
}

function selectInFolder(
  { ids, tags, testDir }: LocalSelection,
  cwd: string,
  parse: (names: readonly string[]) => ParsedFile[],
) {
  const folder = findTestFolder(testDir, cwd);
  const files = parse([folder]);
  if (ids.length + tags.length === 0) return files;
  const byId = ids.flatMap((id) => findById(files, id, folder));
  return tags.length === 0 ? byId : [...byId, ...findByTags(files, tags, folder)];
}

function findById(files: readonly ParsedFile[], id: string, folder: string): ParsedFile[] {
  const matches = files.filter((file) => findScenarioId(file) === id);
  if (matches.length > 0) return matches;
  const hint = formatSuggestion(
    id,
    files.map(findScenarioId).filter((known) => known !== undefined),
  );
  throw vpError('RUN_SCENARIO_MISSING', { folder, id, hint });
}

/** Includes files with errors, because their tags are unknown: these are refused afterwards. */
function findByTags(files: readonly ParsedFile[], tags: readonly string[], folder: string): ParsedFile[] {
  const matches = files.filter(({ scenario }) => !scenario || scenario.tags.some((tag) => tags.includes(tag)));
  if (files.every(({ scenario }) => scenario !== undefined))
    assertKnownTags(
      tags,
      files.flatMap(({ scenario }) => scenario?.tags ?? []),
      folder,
    );
  return matches;
}

/**
 * Throws RUN_TAG_UNKNOWN, with the existing tags, unless some scenario has each of `tags`: one that is mistyped among others would
 * leave its scenarios out of a run that looks complete.
 */
export function assertKnownTags(tags: readonly string[], existing: readonly string[], where: string): void {
  const known = new Set(existing);
  const unknown = tags.filter((tag) => !known.has(tag));
  if (unknown.length === 0) return;
  throw vpError('RUN_TAG_UNKNOWN', {
    where,
    tags: unknown.join(' or '),
    known: [...known].sort().join(', ') || 'none',
  });
}
