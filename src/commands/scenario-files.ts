/** Scenario files named on the command line. */
import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { asVpError, type VpError, vpError } from '../errors/vp-error.ts';

/** A file as it was named, or below a folder that was, and its text. */
export type ScenarioFile = { readonly file: string; readonly text: string };

/** UTF-8 needs at most three bytes for a UTF-16 unit, and a scenario has 262,144 of these at most. */
const mostBytes = 3 * 262_144;

/** Takes an error with the path it is about in `values.path`; one that returns has the rest read all the same. */
type OnError = (error: VpError) => void;

const rethrow: OnError = (error) => {
  throw error;
};

/**
 * The scenarios of files and of folders with everything below them (`*.md`, by name), each once. `onError` gets, or by
 * default the call throws, SCENARIO_FILE_MISSING, SCENARIO_FILE_UNREADABLE, SCENARIO_FILE_NOT_UTF8, SCENARIO_FILE_TOO_LARGE,
 * SCENARIO_FOLDER_EMPTY.
 */
export function readScenarioFiles(paths: readonly string[], cwd: string, onError = rethrow): ScenarioFile[] {
  const named = new Map<string, string>();
  for (const path of paths) {
    for (const file of filesAt(path, cwd, onError)) {
      if (!named.has(resolve(cwd, file))) named.set(resolve(cwd, file), file);
    }
  }
  return [...named].flatMap(([absolute, file]) => {
    const text = attempt(() => readText(absolute, file), onError);
    return text === undefined ? [] : [{ file, text }];
  });
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

/** True when something has that name. */
export function exists(path: string, cwd: string): boolean {
  try {
    return statSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function filesAt(path: string, cwd: string, onError: OnError): string[] {
  const found = attempt(() => statOf(path, cwd) ?? raise(vpError('SCENARIO_FILE_MISSING', { path })), onError);
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  let unreadable = 0;
  const below = namesBelow(resolve(cwd, path), path, (error) => {
    unreadable += 1;
    onError(error);
  });
  if (below.length + unreadable === 0) onError(vpError('SCENARIO_FOLDER_EMPTY', { path }));
  return below.map((name) => join(path, name));
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
