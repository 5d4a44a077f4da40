/** Scenario files named on the command line. */
import { isUtf8 } from 'node:buffer';
import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { vpError } from '../errors/vp-error.ts';

/** A file as it was named, or below a folder that was, and its text. */
export type ScenarioFile = { readonly file: string; readonly text: string };

/** UTF-8 needs at most three bytes for a UTF-16 unit, and a scenario has 262,144 of these at most. */
const mostBytes = 3 * 262_144;

/**
 * The scenarios of files and of folders with everything below them (`*.md`, by name), each once. Throws SCENARIO_FILE_MISSING,
 * SCENARIO_FILE_UNREADABLE, SCENARIO_FILE_NOT_UTF8, SCENARIO_FILE_TOO_LARGE, SCENARIO_FOLDER_EMPTY.
 */
export function readScenarioFiles(paths: readonly string[], cwd: string): ScenarioFile[] {
  const named = new Map<string, string>();
  for (const path of paths) {
    for (const file of filesAt(path, cwd)) if (!named.has(resolve(cwd, file))) named.set(resolve(cwd, file), file);
  }
  return [...named].map(([absolute, file]) => ({ file, text: readText(absolute, file) }));
}

/** True when something has that name. */
export function exists(path: string, cwd: string): boolean {
  return statSync(resolve(cwd, path), { throwIfNoEntry: false }) !== undefined;
}

function filesAt(path: string, cwd: string): string[] {
  const found = statOf(path, cwd);
  if (!found) throw vpError('SCENARIO_FILE_MISSING', { path });
  if (!found.isDirectory()) return [path];
  const below = namesBelow(resolve(cwd, path), path).map((name) => join(path, name));
  if (below.length === 0) throw vpError('SCENARIO_FOLDER_EMPTY', { path });
  return below;
}

function statOf(path: string, cwd: string): Stats | undefined {
  try {
    return statSync(resolve(cwd, path), { throwIfNoEntry: false });
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Folders that begin with a dot hold tools' files, not scenarios. */
function namesBelow(folder: string, path: string): string[] {
  return entriesOf(folder, path).flatMap((entry) => {
    const { name } = entry;
    if (name.startsWith('.') || name === 'node_modules') return [];
    if (!entry.isDirectory()) return /\.md$/i.test(name) ? [name] : [];
    return namesBelow(join(folder, name), join(path, name)).map((below) => join(name, below));
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
