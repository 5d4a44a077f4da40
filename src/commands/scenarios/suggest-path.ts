/** Did you mean, for paths of scenarios. */
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { findSuggestion } from '../../errors/suggestion.ts';

/** Where scenarios usually are: a name alone, or an id, may be meant there. */
const folders = ['.', 'test', 'scenarios', join('test', 'scenarios')];

/** For the `{{hint}}` of a fix: `` did you mean `x`?  `` followed by a space, or an empty string. `path` does not exist. */
export function formatPathSuggestion(path: string, cwd: string): string {
  const suggestion = suggestPath(path, cwd);
  return suggestion === undefined ? '' : `did you mean \`${suggestion}\`? `;
}

function suggestPath(path: string, cwd: string): string | undefined {
  const names = /\.md$/i.test(path) ? [path] : [path, `${path}.md`];
  for (const folder of isAbsolute(path) ? ['.'] : folders)
    for (const name of names) {
      const corrected = correctPath(isAbsolute(path) ? path : join(folder, name), cwd);
      if (corrected !== undefined) return corrected;
    }
  return undefined;
}

/** The path with each part replaced by the most similar one that exists; undefined where a part has none. */
function correctPath(path: string, cwd: string): string | undefined {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  let corrected = isAbsolute(path) ? '/' : '';
  for (const [index, part] of parts.entries()) {
    const names = listNames(resolve(cwd, corrected), index === parts.length - 1);
    const name = existsSync(resolve(cwd, corrected, part)) ? part : findSuggestion(part, names);
    if (name === undefined) return undefined;
    corrected = join(corrected, name);
  }
  return corrected;
}

/** Folders, and Markdown files for the last part of a path. */
function listNames(folder: string, withFiles: boolean): string[] {
  const isCandidate = (entry: Dirent): boolean => entry.isDirectory() || (withFiles && /\.md$/i.test(entry.name));
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && entry.name !== 'node_modules' && isCandidate(entry))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
