/** Reads the scenario files that the command line names. */
import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { toVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import { embedFiles } from '../../scenario/embedded-files.ts';
import { maxCompleteLength } from '../../scenario/text-limits.ts';
import { looksLikeScenario } from '../../scenario/title.ts';
import { formatPathSuggestion } from './suggest-path.ts';
import { createUploadReader, createUsedDocuments, createUsedFileReader, type UsedDocuments } from './used-files.ts';

/**
 * `file` is the path as given, or below the given folder. `text` has the files that it uses; `written` is on the disk, where that is
 * not the same.
 */
export type ScenarioFile = { readonly file: string; readonly text: string; readonly written?: string };

/** A UTF-16 unit has at most three bytes in UTF-8. */
const maxBytes = 3 * maxCompleteLength;

/** Gets errors with the path in `values.path`. If it returns, reading goes on with the other files. */
type OnError = (error: VpError) => void;

const rethrow: OnError = (error) => {
  throw error;
};

type ReadResult = ScenarioFile | 'refused' | 'no scenario';

/** `readings` is by absolute path, so that each file is read and reported once. */
type ReadContext = {
  readonly cwd: string;
  readonly readings: Map<string, ReadResult>;
  readonly onError: OnError;
  readonly documents: UsedDocuments;
};

/**
 * The text of `file` with the files that it uses. `root`: the folder that it was found in; undefined for a file that was named.
 * `documents` are those that other scenarios used.
 */
export function addUsedFiles(
  text: string,
  file: string,
  root: string | undefined,
  cwd: string,
  documents = createUsedDocuments(),
): string {
  const folder = root === undefined ? undefined : resolve(cwd, root);
  const absolute = resolve(cwd, file);
  const readFile = createUsedFileReader(absolute, folder, cwd, listMarkdownFiles, documents);
  return embedFiles(text, readFile, createUploadReader(absolute, folder, cwd), documents.reduce);
}

type FileContext = Pick<ReadContext, 'cwd' | 'documents'>;

function toScenarioFile(file: string, text: string, root: string | undefined, context: FileContext): ScenarioFile {
  const complete = addUsedFiles(text, file, root, context.cwd, context.documents);
  return complete === text ? { file, text } : { file, text: complete, written: text };
}

/**
 * Reads files, and folders ({@link resolveScenarioFolder}) recursively in the order of names, each file once. In folders,
 * scenarios are the `*.md` files with the title or the sections of one. `onError` gets, or by default the call throws,
 * SCENARIO_FILE_MISSING, SCENARIO_FILE_UNREADABLE, SCENARIO_FILE_NOT_UTF8, SCENARIO_FILE_TOO_LARGE, SCENARIO_FILE_YAML,
 * SCENARIO_FOLDER_EMPTY.
 */
export function readScenarioFiles(paths: readonly string[], cwd: string, onError = rethrow): ScenarioFile[] {
  const context: ReadContext = { cwd, readings: new Map(), onError, documents: createUsedDocuments() };
  for (const path of paths) {
    const stats = attempt(() => statPath(path, cwd) ?? throwError(createMissingError(path, cwd)), onError);
    if (stats?.isDirectory()) addFolder(resolveScenarioFolder(path, cwd), context);
    else if (stats) addFile(path, context);
  }
  return [...context.readings.values()].filter((reading) => typeof reading === 'object');
}

/** The folder `scenarios` in `path` if it exists, else `path` itself. */
export function resolveScenarioFolder(path: string, cwd: string): string {
  const below = join(path, 'scenarios');
  return isFolder(below, cwd) ? below : path;
}

/** A named file is always read as a scenario, whatever its content. */
function addFile(path: string, context: ReadContext): void {
  const { cwd, readings, onError } = context;
  const absolute = resolve(cwd, path);
  const existing = readings.get(absolute);
  if (existing !== undefined && existing !== 'no scenario') return;
  const text = attempt(() => {
    if (/\.ya?ml$/i.test(path)) throw vpError('SCENARIO_FILE_YAML', { path, folder: dirname(path) });
    return readText(absolute, path);
  }, onError);
  readings.set(absolute, text === undefined ? 'refused' : toScenarioFile(path, text, undefined, context));
}

function addFolder(path: string, context: ReadContext): void {
  const { cwd, readings, onError } = context;
  let unreadable = 0;
  const names = listMarkdownFiles(resolve(cwd, path), path, (error) => {
    unreadable += 1;
    onError(error);
  });
  const results = names.map((name) => {
    const file = join(path, name);
    const absolute = resolve(cwd, file);
    const reading = readings.get(absolute) ?? readCandidate(absolute, file, resolve(cwd, path), context);
    readings.set(absolute, reading);
    return reading;
  });
  if (unreadable > 0 || results.some((reading) => reading !== 'no scenario')) return;
  onError(vpError('SCENARIO_FOLDER_EMPTY', { path, others: formatOtherFiles(results.length) }));
}

function readCandidate(absolute: string, file: string, root: string, context: ReadContext): ReadResult {
  const text = attempt(() => readText(absolute, file), context.onError);
  if (text === undefined) return 'refused';
  return looksLikeScenario(text) ? toScenarioFile(file, text, root, context) : 'no scenario';
}

function formatOtherFiles(count: number): string {
  if (count === 0) return '';
  const files = count === 1 ? '1 Markdown file there has' : `${count} Markdown files there have`;
  return `: ${files} no title \`# Scenario: …\``;
}

/** Passes errors of `read` to `onError` and then returns undefined. */
function attempt<T>(read: () => T, onError: OnError): T | undefined {
  try {
    return read();
  } catch (thrown) {
    onError(toVpError(thrown));
    return undefined;
  }
}

function isFolder(path: string, cwd: string): boolean {
  return pathExists(path, cwd) && statSync(resolve(cwd, path)).isDirectory();
}

export function pathExists(path: string, cwd: string): boolean {
  try {
    return statSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Suggests the most similar path that exists. */
export function createMissingError(path: string, cwd: string): VpError {
  return vpError('SCENARIO_FILE_MISSING', { path, hint: formatPathSuggestion(path, cwd) });
}

function throwError(error: VpError): never {
  throw error;
}

function statPath(path: string, cwd: string): Stats | undefined {
  try {
    return statSync(resolve(cwd, path), { throwIfNoEntry: false });
  } catch (cause) {
    throw createUnreadableError(path, cause);
  }
}

/** Skips folders whose names start with a dot: they have files of tools, not scenarios. */
function listMarkdownFiles(folder: string, path: string, onError: OnError): string[] {
  return (attempt(() => listEntries(folder, path), onError) ?? []).flatMap((entry) => {
    const { name } = entry;
    if (name.startsWith('.') || name === 'node_modules') return [];
    if (!entry.isDirectory()) return /\.md$/i.test(name) ? [name] : [];
    return listMarkdownFiles(join(folder, name), join(path, name), onError).map((below) => join(name, below));
  });
}

function listEntries(folder: string, path: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    throw createUnreadableError(path, cause);
  }
}

function readText(absolute: string, path: string): string {
  const stats = statPath(absolute, '.');
  if (!stats?.isFile()) throw vpError('SCENARIO_FILE_UNREADABLE', { path, problem: 'it is not a regular file' });
  if (stats.size > maxBytes) throw vpError('SCENARIO_FILE_TOO_LARGE', { path, bytes: stats.size });
  const bytes = readBytes(absolute, path);
  if (!isUtf8(bytes)) throw vpError('SCENARIO_FILE_NOT_UTF8', { path });
  return bytes.toString('utf8');
}

function readBytes(absolute: string, path: string): Buffer {
  try {
    return readFileSync(absolute);
  } catch (cause) {
    throw createUnreadableError(path, cause);
  }
}

function createUnreadableError(path: string, cause: unknown) {
  const problem = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return vpError('SCENARIO_FILE_UNREADABLE', { path, problem }, { cause });
}
