/** `--report <format>=<file>`: files that are written whole or not at all. Loaded only where they are asked for. */
import { resolve } from 'node:path';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type FormatName, formats } from '../../report/formats.ts';
import type { Results } from '../../report/results.ts';
import { prepareWhole, systemReason, writeWhole } from '../whole-file.ts';

/** A file to be written; `file` is absolute, `named` as it was given. */
export type ReportFile = { readonly format: FormatName; readonly file: string; readonly named: string };

function isFormat(name: string): name is FormatName {
  return Object.hasOwn(formats, name);
}

/** Reads the flag and makes the folders, so that what cannot be written is told before anything is run. */
export function reportFilesOf(values: readonly string[], cwd: string, command: string): ReportFile[] {
  const files = values.map((value) => reportFileOf(value, cwd, command));
  const doubled = files.find(({ file }, index) => files.findIndex((other) => other.file === file) !== index);
  if (doubled) throw invalid(command, `names ${doubled.named} twice`);
  for (const file of files) prepare(file);
  return files;
}

function reportFileOf(value: string, cwd: string, command: string): ReportFile {
  const at = value.indexOf('=');
  const format = value.slice(0, Math.max(0, at));
  const named = value.slice(at + 1);
  if (!isFormat(format) || named === '') {
    const names = Object.keys(formats).join(', ');
    throw invalid(command, `must be <format>=<file> with one of ${names}, not \`${value}\``);
  }
  if (/[/\\]$/.test(named)) throw invalid(command, `must name a file, not a folder: \`${value}\``);
  return { format, named, file: resolve(cwd, named) };
}

function invalid(command: string, problem: string) {
  return vpError('FLAG_INVALID', { command, flag: '--report', problem });
}

function prepare({ file, named }: ReportFile): void {
  try {
    prepareWhole(file);
  } catch (cause) {
    throw unwritable(named, cause);
  }
}

function unwritable(file: string, cause: unknown) {
  return vpError('RUN_REPORT_UNWRITABLE', { file, reason: systemReason(cause) }, { cause });
}

/** Writes every file; the first that cannot be written is thrown (RUN_REPORT_UNWRITABLE) after the others were. */
export function writeReportFiles(files: readonly ReportFile[], results: Results, random: Pick<Random, 'token'>): void {
  const failures = files.flatMap(({ format, file, named }) => {
    try {
      writeWhole(file, formats[format](results), random);
      return [];
    } catch (cause) {
      return [unwritable(named, cause)];
    }
  });
  if (failures[0]) throw failures[0];
}
