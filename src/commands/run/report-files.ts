/** `--report <format>=<file>`: files are written atomically. Loaded only if the flag is given. */
import { resolve } from 'node:path';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type FormatName, formats } from '../../report/formats.ts';
import type { RunResults } from '../../report/results.ts';
import { describeSystemError, prepareOutputFile, writeOutputFile } from '../output-file.ts';

/** `file` is the absolute path, `givenName` the path as it was given. */
export type ReportFile = { readonly format: FormatName; readonly file: string; readonly givenName: string };

function isFormat(name: string): name is FormatName {
  return Object.hasOwn(formats, name);
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
    const names = Object.keys(formats).join(', ');
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
  return vpError('RUN_REPORT_UNWRITABLE', { file, reason: describeSystemError(cause) }, { cause });
}

/** Writes every file, then throws RUN_REPORT_UNWRITABLE for the first that could not be written. */
export function writeReportFiles(
  files: readonly ReportFile[],
  results: RunResults,
  random: Pick<Random, 'token'>,
): void {
  const failures = files.flatMap(({ format, file, givenName }) => {
    try {
      writeOutputFile(file, formats[format](results), random);
      return [];
    } catch (cause) {
      return [createUnwritableError(givenName, cause)];
    }
  });
  if (failures[0]) throw failures[0];
}
