/** Keeps tokens out of repositories. */
import { existsSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';
import { runProgram } from '../../process/run-program.ts';
import { type FileText, readText } from './own-file.ts';
import type { FolderPlace } from './place.ts';
import { lineEndOf, type TextEdit } from './text-edit.ts';

const limitMs = 10_000;

/** The exit code of git in `folder`; undefined where there is none, or no answer. 128: it cannot say. */
async function git(folder: string, words: readonly string[], { variables }: FolderPlace): Promise<number | undefined> {
  // What a hook has set would lead to its own repository.
  const own = Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('GIT_')));
  const options = { variables: { ...own, GIT_OPTIONAL_LOCKS: '0' }, cwd: folder, timeoutMs: limitMs };
  return (await runProgram('git', words, options)).exitCode;
}

/** The folder of the work tree around `folder`; git itself need not be here. */
function repositoryAround(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const outer = dirname(folder);
  return outer === folder ? undefined : repositoryAround(outer);
}

/** Throws FOLDER_TOKEN_TRACKED for a file that git tracks. */
export async function demandUntracked(file: string, place: FolderPlace): Promise<void> {
  const folder = dirname(file);
  if (!repositoryAround(folder)) return;
  const code = await git(folder, ['ls-files', '--error-unmatch', '--', file], place);
  if (code === 0) throw vpError('FOLDER_TOKEN_TRACKED', { file });
}

/** Those of `files` that git would take into a repository: they lie in one, and nothing there ignores them. */
export async function unignored(files: readonly string[], place: FolderPlace): Promise<string[]> {
  const found = await Promise.all(
    files.map(async (file) => {
      if (!repositoryAround(dirname(file))) return [];
      const folder = existsSync(dirname(file)) ? dirname(file) : dirname(dirname(file));
      const code = await git(folder, ['check-ignore', '-q', '--', file], place);
      const isIgnored = code === 0 || (code !== 1 && (await isListed(file)));
      return isIgnored ? [] : [file];
    }),
  );
  return found.flat();
}

/** Where git cannot say: the very line that vp would add. */
async function isListed(file: string): Promise<boolean> {
  const text = (await readText(join(dirname(file), '.gitignore'))) ?? '';
  return text.split(/\r?\n/).includes(`/${relative(dirname(file), file)}`);
}

/** The line of `.gitignore` in `folder` that ignores `file`. */
export function ignoreLine(folder: string, file: string): string {
  return `/${relative(folder, file).replaceAll(sep, '/')}`;
}

/** The edit that adds `lines` at the end. */
export function linesAdded(text: FileText, lines: readonly string[]): TextEdit {
  const end = lineEndOf(text ?? '');
  const before = text === undefined || text === '' || text.endsWith('\n') ? '' : end;
  return { offset: text?.length ?? 0, length: 0, content: before + lines.map((line) => line + end).join('') };
}

/** The text without the first line that reads like each of `lines`. */
export function linesRemoved(text: string, lines: readonly string[]): string {
  return lines.reduce((rest, line) => {
    const all = rest.match(/[^\n]*(?:\n|$)/g) ?? [];
    const at = all.findIndex((found) => found.trimEnd() === line);
    return at < 0 ? rest : all.filter((_, index) => index !== at).join('');
  }, text);
}
