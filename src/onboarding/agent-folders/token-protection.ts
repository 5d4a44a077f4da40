/** Keeps tokens out of repositories, and finds files with a token that other users of this machine may read. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type ErrorText, formatError, VpError, vpError } from '../../errors/vp-error.ts';
import { runProcess } from '../../process/run-process.ts';
import type { FolderContext } from './file-access.ts';
import { mcpFile } from './server-entry.ts';
import { detectLineEnding, type TextEdit } from './text-edit.ts';
import { type FileText, readUtf8, resolveTarget } from './user-file.ts';

const timeoutMs = 10_000;

/** The exit code of git in `folder`; undefined without git or after a timeout. 128 is git's own failure. */
async function runGit(
  folder: string,
  args: readonly string[],
  { variables }: FolderContext,
): Promise<number | undefined> {
  // Variables that a git hook has set would point git to the hook's repository.
  const ownVariables = Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('GIT_')));
  const options = { variables: { ...ownVariables, GIT_OPTIONAL_LOCKS: '0' }, cwd: folder, timeoutMs };
  return (await runProcess('git', args, options)).exitCode;
}

/** Root of the work tree around `folder`. Works without git. */
function findRepository(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findRepository(parent);
}

/** Throws FOLDER_TOKEN_TRACKED for a file that git tracks. */
export async function assertUntracked(file: string, context: FolderContext): Promise<void> {
  const folder = dirname(file);
  if (!findRepository(folder)) return;
  const exitCode = await runGit(folder, ['ls-files', '--error-unmatch', '--', file], context);
  if (exitCode === 0) throw vpError('FOLDER_TOKEN_TRACKED', { file, untrack: formatUntrackCommand(file) });
}

/** A command that works in any folder. */
export function formatUntrackCommand(file: string): string {
  return `git -C ${quoteArgument(dirname(file))} rm --cached ${quoteArgument(basename(file))}`;
}

function quoteArgument(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The `files` that git would add, now or once a repository is created around them. */
export async function listUnignored(files: readonly string[], context: FolderContext): Promise<string[]> {
  const unignoredFiles = await Promise.all(
    files.map(async (file) => {
      if (!findRepository(dirname(file))) return (await hasIgnoreLine(file)) ? [] : [file];
      const folder = existsSync(dirname(file)) ? dirname(file) : dirname(dirname(file));
      const exitCode = await runGit(folder, ['check-ignore', '-q', '--', file], context);
      const isIgnored = exitCode === 0 || (exitCode !== 1 && (await hasIgnoreLine(file)));
      return isIgnored ? [] : [file];
    }),
  );
  return unignoredFiles.flat();
}

/** For when git cannot answer: true if `.gitignore` beside the file, or one folder up, has the line that vp would add. */
async function hasIgnoreLine(file: string): Promise<boolean> {
  const folders = [dirname(file), dirname(dirname(file))];
  const texts = await Promise.all(folders.map((folder) => readUtf8(join(folder, '.gitignore'))));
  return folders.some((folder, index) => (texts[index] ?? '').split(/\r?\n/).includes(toIgnoreLine(folder, file)));
}

/** The line of `.gitignore` in `folder` that ignores `file`. */
export function toIgnoreLine(folder: string, file: string): string {
  return `/${relative(folder, file).replaceAll(sep, '/')}`;
}

export function appendLines(text: FileText, lines: readonly string[]): TextEdit {
  const end = detectLineEnding(text ?? '');
  const before = text === undefined || text === '' || text.endsWith('\n') ? '' : end;
  return { offset: text?.length ?? 0, length: 0, content: before + lines.map((line) => line + end).join('') };
}

/** The text without the first occurrence of each of `lines`. */
export function removeLines(text: string, lines: readonly string[]): string {
  return lines.reduce((rest, line) => {
    const all = rest.match(/[^\n]*(?:\n|$)/g) ?? [];
    const lineIndex = all.findIndex((candidate) => candidate.trimEnd() === line);
    return lineIndex < 0 ? rest : all.filter((_, index) => index !== lineIndex).join('');
  }, text);
}

const readableByOthers = 0o044;

/** A warning if group or others may read the folder's `.mcp.json`: a file that existed before keeps its mode. */
export async function findTokenExposure(folder: string, platform: NodeJS.Platform): Promise<ErrorText | undefined> {
  if (platform === 'win32') return undefined;
  const file = await resolveTarget(join(folder, mcpFile));
  const stats = await stat(file).catch(() => undefined);
  return stats && (stats.mode & readableByOthers) !== 0 ? formatError('FOLDER_TOKEN_READABLE', { file }) : undefined;
}

/** A warning if git tracks the `.env` of a product folder, or would add it; undefined where there is none. */
export async function findEnvExposure(productDir: string, context: FolderContext): Promise<ErrorText | undefined> {
  const file = join(productDir, '.env');
  if (!existsSync(file)) return undefined;
  const values = { file, line: toIgnoreLine(productDir, file) };
  try {
    await assertUntracked(file, context);
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return formatError('CONFIG_ENV_TRACKED', { ...values, untrack: formatUntrackCommand(file) });
  }
  return (await listUnignored([file], context)).length > 0 ? formatError('CONFIG_ENV_UNIGNORED', values) : undefined;
}
