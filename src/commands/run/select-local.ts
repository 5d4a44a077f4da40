/** Which scenarios `vp run --local` runs: files, or scenarios of the test folder by ID or tag. */
import { join, resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { didYouMean } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import { idOf, type ParsedFile, parseFile, type UsableFile, usableFiles } from '../read-scenarios.ts';
import { exists, readScenarioFiles, scenarioFolder } from '../scenario-files.ts';
import type { Selection } from './words.ts';

/** Where to look and how to read. */
export type LocalSelection = Selection & {
  /** Undefined: `scenarios`, or `test/scenarios`, of the current folder. */
  readonly testDir: string | undefined;
  readonly placeholders: ParseOptions;
  readonly json: boolean;
};

/** The named folder, else the usual one. */
function testFolder(testDir: string | undefined, cwd: string): string {
  if (testDir !== undefined) return scenarioFolder(testDir, cwd);
  const usual = ['scenarios', join('test', 'scenarios')];
  return usual.find((folder) => exists(folder, cwd)) ?? 'scenarios';
}

/**
 * The scenarios to run, in the order of the words; all of the test folder when nothing is named. Throws
 * RUN_SCENARIO_MISSING, RUN_TAG_UNKNOWN, SCENARIO_FILE…, SCENARIO_FOLDER_EMPTY.
 */
export async function selectLocal(selection: LocalSelection, environment: Environment): Promise<UsableFile[]> {
  const { paths, ids, tags, placeholders, json } = selection;
  const { cwd } = environment;
  const parse = (names: readonly string[]): ParsedFile[] =>
    readScenarioFiles(names, cwd).map((file) => parseFile(file, placeholders));
  const named = parse(paths);
  const fromFolder = paths.length > 0 && ids.length + tags.length === 0 ? [] : inFolder(selection, cwd, parse);
  const chosen = new Map([...named, ...fromFolder].map((file) => [resolve(cwd, file.file), file]));
  return usableFiles([...chosen.values()], json, environment);
}

function inFolder(
  { ids, tags, testDir }: LocalSelection,
  cwd: string,
  parse: (names: readonly string[]) => ParsedFile[],
) {
  const folder = testFolder(testDir, cwd);
  const files = parse([folder]);
  if (ids.length + tags.length === 0) return files;
  const byId = ids.flatMap((id) => withId(files, id, folder));
  return tags.length === 0 ? byId : [...byId, ...withTag(files, tags, folder)];
}

function withId(files: readonly ParsedFile[], id: string, folder: string): ParsedFile[] {
  const found = files.filter((file) => idOf(file) === id);
  if (found.length > 0) return found;
  const hint = didYouMean(
    id,
    files.map(idOf).filter((known) => known !== undefined),
  );
  throw vpError('RUN_SCENARIO_MISSING', { folder, id, hint });
}

/** A file that cannot be read may have any tag, so it is among them. */
function withTag(files: readonly ParsedFile[], tags: readonly string[], folder: string): ParsedFile[] {
  const found = files.filter(({ scenario }) => !scenario || scenario.tags.some((tag) => tags.includes(tag)));
  if (found.length > 0) return found;
  throw unknownTag(
    tags,
    files.flatMap(({ scenario }) => scenario?.tags ?? []),
    folder,
  );
}

/** RUN_TAG_UNKNOWN with the tags that there are. */
export function unknownTag(tags: readonly string[], known: readonly string[], where: string) {
  const names = [...new Set(known)].sort();
  return vpError('RUN_TAG_UNKNOWN', { where, tags: tags.join(' or '), known: names.join(', ') || 'none' });
}
