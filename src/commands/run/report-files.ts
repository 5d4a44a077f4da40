/** `--report <format>=<file>`: files are written atomically. Loaded only if the flag is given. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { checkoutFormats, type FormatName, outputFormats } from '../../report/formats.ts';
import type { RunResults } from '../../report/results.ts';
import { formatSystemErrorCode, prepareOutputFile, removeOutputFile, writeOutputFile } from '../output-file.ts';

/** `file` is the absolute path, `givenName` the path as it was given. */
export type ReportFile = { readonly format: FormatName; readonly file: string; readonly givenName: string };

function isFormat(name: string): name is FormatName {
  return Object.hasOwn(outputFormats, name);
}

/** Parses the flag and creates the folders, so that unwritable files are reported before anything runs. */
export function parseReportFiles(values: readonly string[], cwd: string, command: string): ReportFile[] {
  const files = values.map((value) => parseReportFile(value, cwd, command));
  const duplicate = files.find(({ file }, index) => files.findIndex((other) => other.file === file) !== index);
  if (duplicate) throw createFlagError(command, `names ${duplicate.givenName} twice`);
  for (const file of files) prepare(file);
  return files;
}

function parseReportFile(value: string, cwd: string, command: string): ReportFile {
  const separator = value.indexOf('=');
  const format = value.slice(0, Math.max(0, separator));
  const givenName = value.slice(separator + 1);
  if (!isFormat(format) || givenName === '') {
    const names = Object.keys(outputFormats).join(', ');
    throw createFlagError(command, `must be <format>=<file> with one of ${names}, not \`${value}\``);
  }
  if (/[/\\]$/.test(givenName)) throw createFlagError(command, `must name a file, not a folder: \`${value}\``);
  return { format, givenName, file: resolve(cwd, givenName) };
}

function createFlagError(command: string, problem: string) {
  return vpError('FLAG_INVALID', { command, flag: '--report', problem });
}

function prepare({ file, givenName }: ReportFile): void {
  try {
    prepareOutputFile(file);
  } catch (cause) {
    throw createUnwritableError(givenName, cause);
  }
}

function createUnwritableError(file: string, cause: unknown) {
  return vpError('RUN_REPORT_UNWRITABLE', { file, reason: formatSystemErrorCode(cause) }, { cause });
}

/** Writes every file, then throws RUN_REPORT_UNWRITABLE for the first that could not be written. */
export function writeReportFiles(
  files: readonly ReportFile[],
  results: RunResults,
  environment: Pick<Environment, 'random' | 'variables' | 'cwd'>,
): void {
  const failures = files.flatMap(({ format, file, givenName }) => {
    try {
      const visibleResults = checkoutFormats.has(format) ? toCheckoutResults(results, files, environment) : results;
      writeOutputFile(file, outputFormats[format](visibleResults), environment.random);
      return [];
    } catch (cause) {
      return [createUnwritableError(givenName, cause)];
    }
  });
  if (failures[0]) throw failures[0];
}

/** Where nothing was run: a CI system must not take the files of an earlier run for its results. */
export function removeReportFiles(files: readonly ReportFile[]): void {
  for (const { file, givenName } of files) {
    try {
      removeOutputFile(file);
    } catch (cause) {
      throw createUnwritableError(givenName, cause);
    }
  }
}

/** Where GitLab, GitHub and Jenkins check out: they resolve the paths of report files there. */
const checkoutVariables = ['CI_PROJECT_DIR', 'GITHUB_WORKSPACE', 'WORKSPACE'] as const;

/** Calls `use` with the files. If it throws, those of an earlier call are removed. */
export async function withReportFiles<T>(
  values: readonly string[],
  { cwd, command }: { readonly cwd: string; readonly command: string },
  use: (files: readonly ReportFile[]) => Promise<T>,
): Promise<T> {
  try {
    return await use(parseReportFiles(values, cwd, command));
  } catch (thrown) {
    discardReportFiles(values, cwd);
    throw thrown;
  }
}

/** Removes the files of an earlier call that `values` name, as far as they can be parsed and removed. Never throws. */
export function discardReportFiles(values: readonly string[], cwd: string): void {
  for (const value of values) {
    try {
      removeOutputFile(parseReportFile(value, cwd, '').file);
    } catch {
      // The error that follows says more than one about a file that stays.
    }
  }
}

/** The same for a line that cannot be parsed: what stands behind each `--report` in front of `--`. */
export async function discardNamedReports(args: readonly string[], { cwd }: Pick<Environment, 'cwd'>): Promise<void> {
  const end = args.indexOf('--');
  const flags = end < 0 ? args : args.slice(0, end);
  const values = flags.flatMap((arg, index) => {
    if (arg.startsWith('--report=')) return [arg.slice('--report='.length)];
    return arg === '--report' ? flags.slice(index + 1, index + 2) : [];
  });
  discardReportFiles(values, cwd);
}

/** The results with paths relative to the checkout, and with the other report files as attachments. */
export function toCheckoutResults(
  results: RunResults,
  files: readonly ReportFile[],
  { variables, cwd }: Pick<Environment, 'variables' | 'cwd'>,
): RunResults {
  const named = checkoutVariables
    .map((name) => variables[name])
    .find((folder) => folder !== undefined && folder !== '');
  const checkout = named ?? cwd;
  const toRelative = (path: string): string => {
    const fromCheckout = relative(checkout, resolve(cwd, path));
    return /^\.\.|^$/.test(fromCheckout) || isAbsolute(fromCheckout) ? path : fromCheckout.replaceAll(sep, '/');
  };
  const sources = [...results.sources].map(
    ([id, source]) => [id, source.inCatalogue ? source : { ...source, file: toRelative(source.file) }] as const,
  );
  const attachments = files.filter(({ format }) => format === 'html' || format === 'text');
  return { ...results, sources: new Map(sources), attachments: attachments.map(({ file }) => toRelative(file)) };
}
