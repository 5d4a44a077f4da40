/** Scenario files named on the command line. */
import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asVpError, type VpError, vpError } from '../errors/vp-error.ts';
import { looksLikeScenario } from '../scenario/looks-like-scenario.ts';

/** A file as it was named, or below a folder that was, and its text. */
export type ScenarioFile = { readonly file: string; readonly text: string };

/** UTF-8 needs at most three bytes for a UTF-16 unit, and a scenario has 262,144 of these at most. */
const mostBytes = 3 * 262_144;

/** Takes an error with the path it is about in `values.path`; one that returns has the rest read all the same. */
type OnError = (error: VpError) => void;

const rethrow: OnError = (error) => {
  throw error;
};

/** What became of a file that was come across. */
type Reading = ScenarioFile | 'refused' | 'no scenario';

/** Where files go, by absolute path, so that each is read and told once. */
type Shelf = { readonly cwd: string; readonly readings: Map<string, Reading>; readonly onError: OnError };

/**
 * The scenarios of files and of folders ({@link scenarioFolder}) with everything below them, by name, each once. In folders
 * they are the `*.md` with the title or the sections of one. `onError` gets, or by default the call throws,
 * SCENARIO_FILE_MISSING, SCENARIO_FILE_UNREADABLE, SCENARIO_FILE_NOT_UTF8, SCENARIO_FILE_TOO_LARGE, SCENARIO_FILE_YAML,
 * SCENARIO_FOLDER_EMPTY.
 */
export function readScenarioFiles(paths: readonly string[], cwd: string, onError = rethrow): ScenarioFile[] {
  const shelf: Shelf = { cwd, readings: new Map(), onError };
  for (const path of paths) {
    const found = attempt(() => statOf(path, cwd) ?? raise(vpError('SCENARIO_FILE_MISSING', { path })), onError);
    if (found?.isDirectory()) addFolder(scenarioFolder(path, cwd), shelf);
    else if (found) addNamed(path, shelf);
  }
  return [...shelf.readings.values()].filter((reading) => typeof reading === 'object');
}

/** The folder of scenarios: `scenarios` below the named folder where there is one, else that folder itself. */
export function scenarioFolder(path: string, cwd: string): string {
  const below = join(path, 'scenarios');
  return isFolder(below, cwd) ? below : path;
}

/** A file that is named is meant as a scenario, whatever is in it. */
function addNamed(path: string, { cwd, readings, onError }: Shelf): void {
  const absolute = resolve(cwd, path);
  const known = readings.get(absolute);
  if (known !== undefined && known !== 'no scenario') return;
  const text = attempt(() => {
    if (/\.ya?ml$/i.test(path)) throw vpError('SCENARIO_FILE_YAML', { path, folder: dirname(path) });
    return readText(absolute, path);
  }, onError);
  readings.set(absolute, text === undefined ? 'refused' : { file: path, text });
}

function addFolder(path: string, { cwd, readings, onError }: Shelf): void {
  let unreadable = 0;
  const names = namesBelow(resolve(cwd, path), path, (error) => {
    unreadable += 1;
    onError(error);
  });
  const found = names.map((name) => {
    const file = join(path, name);
    const absolute = resolve(cwd, file);
    const reading = readings.get(absolute) ?? readingOf(absolute, file, onError);
    readings.set(absolute, reading);
    return reading;
  });
  if (unreadable > 0 || found.some((reading) => reading !== 'no scenario')) return;
  onError(vpError('SCENARIO_FOLDER_EMPTY', { path, others: othersText(found.length) }));
}

function readingOf(absolute: string, file: string, onError: OnError): Reading {
  const text = attempt(() => readText(absolute, file), onError);
  if (text === undefined) return 'refused';
  return looksLikeScenario(text) ? { file, text } : 'no scenario';
}

function othersText(count: number): string {
  if (count === 0) return '';
  const files = count === 1 ? '1 Markdown file there has' : `${count} Markdown files there have`;
  return `: ${files} no title \`# Scenario: …\``;
}

/** What `act` gives, or undefined after `onError` took what it threw. */
function attempt<T>(act: () => T, onError: OnError): T | undefined {
  try {
    return act();
  } catch (thrown) {
    onError(asVpError(thrown));
    return undefined;
  }
}

function isFolder(path: string, cwd: string): boolean {
  return exists(path, cwd) && statSync(resolve(cwd, path)).isDirectory();
}

/** True when something has that name. */
export function exists(path: string, cwd: string): boolean {
  try {
    return statSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function raise(error: VpError): never {
  throw error;
}

function statOf(path: string, cwd: string): Stats | undefined {
  try {
    return statSync(resolve(cwd, path), { throwIfNoEntry: false });
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Folders that begin with a dot hold tools' files, not scenarios. */
function namesBelow(folder: string, path: string, onError: OnError): string[] {
  return (attempt(() => entriesOf(folder, path), onError) ?? []).flatMap((entry) => {
    const { name } = entry;
    if (name.startsWith('.') || name === 'node_modules') return [];
    if (!entry.isDirectory()) return /\.md$/i.test(name) ? [name] : [];
    return namesBelow(join(folder, name), join(path, name), onError).map((below) => join(name, below));
  });
}

function entriesOf(folder: string, path: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function readText(absolute: string, path: string): string {
  const found = statOf(absolute, '.');
  if (!found?.isFile()) throw vpError('SCENARIO_FILE_UNREADABLE', { path, problem: 'it is no regular file' });
  if (found.size > mostBytes) throw vpError('SCENARIO_FILE_TOO_LARGE', { path, bytes: found.size });
  const bytes = readBytes(absolute, path);
  if (!isUtf8(bytes)) throw vpError('SCENARIO_FILE_NOT_UTF8', { path });
  return bytes.toString('utf8');
}

function readBytes(absolute: string, path: string): Buffer {
  try {
    return readFileSync(absolute);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown) {
  const problem = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return vpError('SCENARIO_FILE_UNREADABLE', { path, problem }, { cause });
}
