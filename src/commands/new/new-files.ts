/** The files of a new project: planned against what exists, shown where they would change it, then written. */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import { runProcess } from '../../process/run-process.ts';
import { parseEnvFile } from '../../project/env/env-file.ts';
import { paintFor } from '../../terminal/paint.ts';
import { unifiedDiff } from '../scenarios/unified-diff.ts';

/** `create` and `extend` lose nothing; `replace` needs consent. */
export type FileChange = 'create' | 'keep' | 'extend' | 'replace';

export type PlannedFile = {
  /** As people see it: relative to the current folder. */
  readonly path: string;
  readonly text: string;
  readonly before: string | undefined;
  readonly change: FileChange;
  readonly isSecret: boolean;
  /** For people: what is in it. */
  readonly note: string;
};

type Folder = Pick<Environment, 'cwd'>;
export type EnvVariable = { readonly name: string; readonly value: string };

/** A file that belongs to vp as a whole. */
export function planFile(path: string, text: string, note: string, { cwd }: Folder): PlannedFile {
  const before = readExisting(resolve(cwd, path), path);
  const change = before === undefined ? 'create' : before === text ? 'keep' : 'replace';
  return { path, text, before, change, isSecret: false, note };
}

/** `.env` keeps its other lines. Undefined without variables. */
export function planEnv(
  productDir: string,
  variables: readonly EnvVariable[],
  folder: Folder,
): PlannedFile | undefined {
  if (variables.length === 0) return undefined;
  const path = join(productDir, '.env');
  const before = readExisting(resolve(folder.cwd, path), path);
  const entries = parseEnvFile(before ?? '', path, () => undefined);
  const isChanged = ({ name, value }: EnvVariable): boolean => entries.has(name) && entries.get(name)?.value !== value;
  const missing = variables.filter(({ name }) => !entries.has(name));
  const changed = variables.filter(isChanged);
  const text = appendLines(
    replaceVariables(before ?? '', changed),
    missing.map(({ name, value }) => `${name}=${formatEnvValue(value)}`),
  );
  const change =
    before === undefined ? 'create' : changed.length > 0 ? 'replace' : missing.length > 0 ? 'extend' : 'keep';
  const note = `${variables.map(({ name }) => name).join(', ')}; readable by you alone`;
  return { path, text, before, change, isSecret: true, note };
}

const ignoringLines: ReadonlySet<string> = new Set(['.env', '/.env', '.env*', '*.env', '**/.env']);

/** Also where there is no repository yet: `git init && git add -A` would otherwise track the secrets. */
export function planGitignore(productDir: string, { cwd }: Folder): PlannedFile {
  const path = join(productDir, '.gitignore');
  const before = readExisting(resolve(cwd, path), path);
  const isIgnored = (before ?? '').split(/\r?\n/).some((line) => ignoringLines.has(line.trim()));
  const text = isIgnored ? (before ?? '') : appendLines(before ?? '', ['/.env']);
  const change = before === undefined ? 'create' : isIgnored ? 'keep' : 'extend';
  return { path, text, before, change, isSecret: false, note: '.env stays out of git' };
}

/** Throws NEW_ENV_TRACKED where git would publish the secrets. */
export async function assertEnvUntracked(productDir: string, { cwd, variables }: Environment): Promise<void> {
  const file = join(productDir, '.env');
  const args = ['ls-files', '--error-unmatch', '--', file];
  const { exitCode } = await runProcess('git', args, { variables, cwd, timeoutMs: 10_000 });
  if (exitCode === 0) throw vpError('NEW_ENV_TRACKED', { file });
}

/** Prints how existing files would change, and throws NEW_FILES_DIFFER. Does nothing where none would. */
export function assertNothingReplaced(files: readonly PlannedFile[], { streams, variables }: Environment): void {
  const replaced = files.filter(({ change }) => change === 'replace');
  if (replaced.length === 0) return;
  const paint = paintFor(streams.stderr, variables);
  for (const file of replaced) streams.stderr.write(`${formatDiff(file, paint)}\n`);
  throw vpError('NEW_FILES_DIFFER', { files: replaced.map(({ path }) => path).join(' and ') });
}

/** Values of a `.env` are not shown. */
export function formatDiff(file: PlannedFile, paint: ReturnType<typeof paintFor>): string {
  const { path, text, before = '', isSecret } = file;
  if (isSecret) return `${path}: a value would change (not shown)\n`;
  return unifiedDiff({ name: path, text: before }, { name: `${path} (new)`, text }, paint);
}

/** Writes what differs; `.env` with mode 0600. Throws NEW_FILE_UNWRITABLE. */
export function writeFiles(files: readonly PlannedFile[], { cwd, random }: Pick<Environment, 'cwd' | 'random'>): void {
  for (const { path, text, change, isSecret } of files) {
    if (change === 'keep') continue;
    const file = resolve(cwd, path);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileAtomically(file, text, isSecret ? { exactMode: 0o600, random } : { mode: 0o666, random });
    } catch (error) {
      throw createUnwritableError(path, error);
    }
  }
}

function readExisting(file: string, path: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return undefined;
    throw createUnwritableError(path, error);
  }
}

function createUnwritableError(file: string, error: unknown) {
  return vpError('NEW_FILE_UNWRITABLE', { file, reason: getSystemErrorCode(error) ?? String(error) }, { cause: error });
}

function appendLines(text: string, lines: readonly string[]): string {
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  return lines.length === 0 ? text : `${text}${separator}${lines.join('\n')}\n`;
}

function replaceVariables(text: string, variables: readonly EnvVariable[]): string {
  const lines = text.split('\n').map((line) => {
    const variable = variables.find(({ name }) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`).test(line));
    return variable ? `${variable.name}=${formatEnvValue(variable.value)}` : line;
  });
  return lines.join('\n');
}

/** A value as `.env` reads it back: plain, in single quotes, or in double quotes with escapes. */
export function formatEnvValue(value: string): string {
  if (/^[A-Za-z0-9_.~+/=:@%-]+$/.test(value)) return value;
  return value.includes("'") ? `"${value.replaceAll(/["\\$]/g, '\\$&')}"` : `'${value}'`;
}
