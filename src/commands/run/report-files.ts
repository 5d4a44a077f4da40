/** `--report <format>=<file>`: files that are written whole or not at all, whatever became of the runs. */
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';
import type { Results } from '../../report/results.ts';

/** Format → what makes the text. Loaded only when asked for. */
const formats: Readonly<Record<string, () => Promise<(results: Results) => string>>> = {
  text: async () => (await import('../../report/text.ts')).textResults,
  json: async () => (await import('../../report/json.ts')).jsonResults,
  junit: async () => (await import('../../report/junit.ts')).junitResults,
  html: async () => (await import('../../report/html.ts')).htmlResults,
};

/** Names of the formats. */
export const reportFormats = Object.keys(formats);

/** A file to be written; `file` is absolute, `named` as it was given. */
export type ReportFile = { readonly format: string; readonly file: string; readonly named: string };

/** Reads the flag and makes the folders, so that what cannot be written is told before anything is run. */
export function reportFilesOf(values: readonly string[], cwd: string, command: string): ReportFile[] {
  const files = values.map((value) => reportFileOf(value, cwd, command));
  const doubled = files.find(({ file }, index) => files.findIndex((other) => other.file === file) !== index);
  if (doubled) throw invalid(command, `names ${doubled.named} twice`);
  for (const { file, named } of files) prepareFolder(file, named);
  return files;
}

function reportFileOf(value: string, cwd: string, command: string): ReportFile {
  const at = value.indexOf('=');
  const format = value.slice(0, Math.max(0, at));
  const named = value.slice(at + 1);
  if (!Object.hasOwn(formats, format) || named === '') {
    throw invalid(command, `must be <format>=<file> with one of ${reportFormats.join(', ')}, not \`${value}\``);
  }
  return { format, named, file: resolve(cwd, named) };
}

function invalid(command: string, problem: string) {
  return vpError('FLAG_INVALID', { command, flag: '--report', problem });
}

function prepareFolder(file: string, named: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    accessSync(dirname(file), constants.W_OK);
  } catch (cause) {
    throw unwritable(named, cause);
  }
}

function unwritable(file: string, cause: unknown) {
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  return vpError('RUN_REPORT_UNWRITABLE', { file, reason }, { cause });
}

/** Writes every file; the first that cannot be written is thrown (RUN_REPORT_UNWRITABLE) after the others were. */
export async function writeReportFiles(files: readonly ReportFile[], results: Results): Promise<void> {
  const written = await Promise.allSettled(files.map((file) => writeReportFile(file, results)));
  const failed = written.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

async function writeReportFile({ format, file, named }: ReportFile, results: Results): Promise<void> {
  const make = await formats[format]?.();
  if (!make) throw new TypeError(`there is no format ${format}`);
  const part = `${file}.part`;
  try {
    await writeFile(part, make(results));
    await rename(part, file);
  } catch (cause) {
    rmSync(part, { force: true });
    throw unwritable(named, cause);
  }
}
