import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import type { Diagnostic } from '../../scenario/diagnostic.ts';
import { removeFiles } from '../../scenario/embedded-files.ts';
import { formatScenario } from '../../scenario/format.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatSystemErrorCode, writeOutputFile } from '../output-file.ts';
import { readScenarioFiles, type ScenarioFile } from '../scenarios/scenario-files.ts';
import {
  formatFileDiagnostics,
  formatUnreadableFile,
  toDiagnosticJson,
  toUnreadableFileJson,
} from './validation-output.ts';

/** `vp format`. */
export const formatCommand = command({
  name: 'format',
  summary: 'format scenario files without changing their meaning',
  positionals: [{ name: 'file or folder', describe: 'scenarios, and folders of *.md', required: true, many: true }],
  flags: {
    check: { type: 'boolean', default: false, describe: 'write nothing; exit with 1 if a file would change' },
  },
  examples: [
    ['vp format scenarios', 'format every scenario in a folder'],
    ['vp format scenarios --check', 'check in CI that all files are formatted'],
  ],
  notes:
    'Comments, prose and bodies are not changed. Files with errors are reported and not changed.\n' +
    'Exit code 0: done. 1: with --check, a file would change. 2: a file has errors. 4: a file cannot be written.',
  async run({ flags, args, json, environment }) {
    const unreadable: VpError[] = [];
    const files = readScenarioFiles(args, environment.cwd, (error) => unreadable.push(error));
    const results = files.map((file) => formatFile(file, flags.check, environment));
    const outcome = { results, unreadable, check: flags.check };
    environment.streams.stdout.write(json ? renderJson(outcome) : renderText(outcome, environment));
    return exitCodeFor(outcome);
  },
});

/** `changed`: written, or would be written with --check. `failed`: could not be written. */
type FileResult = ScenarioFile & {
  readonly diagnostics: readonly Diagnostic[];
  readonly state: 'changed' | 'unchanged' | 'refused' | 'failed';
  readonly error?: VpError;
};
type FormatOutcome = {
  readonly results: readonly FileResult[];
  readonly unreadable: readonly VpError[];
  readonly check: boolean;
};

function formatFile(file: ScenarioFile, check: boolean, { cwd, random }: Environment): FileResult {
  const diagnostics: Diagnostic[] = [];
  const formatted = formatScenario(file.text, { variables: 'any' }, (diagnostic) => diagnostics.push(diagnostic));
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (formatted === undefined) return { ...file, diagnostics: errors, state: 'refused' };
  const { written = file.text } = file;
  // The files that were added to the text stay where they are.
  const own = removeFiles(written) === written ? removeFiles(formatted) : formatted;
  if (own === written) return { ...file, diagnostics: [], state: 'unchanged' };
  try {
    if (!check) writeOutputFile(resolve(cwd, file.file), own, random);
    return { ...file, diagnostics: [], state: 'changed' };
  } catch (cause) {
    const values = { path: file.file, problem: formatSystemErrorCode(cause) };
    const error = vpError('SCENARIO_FILE_UNWRITABLE', values, { cause });
    return { ...file, diagnostics: [], state: 'failed', error };
  }
}

function count({ results }: FormatOutcome, state: FileResult['state']): number {
  return results.filter((result) => result.state === state).length;
}

/** Files that could not be formatted. */
function countSkipped(outcome: FormatOutcome): number {
  return outcome.unreadable.length + count(outcome, 'refused') + count(outcome, 'failed');
}

function exitCodeFor(outcome: FormatOutcome): ExitCode {
  if (count(outcome, 'failed') > 0) return exitCode.broken;
  if (countSkipped(outcome) > 0) return exitCode.invalidInput;
  return outcome.check && count(outcome, 'changed') > 0 ? exitCode.checkFailed : exitCode.done;
}

function renderText(outcome: FormatOutcome, { streams, variables }: Environment): string {
  const paint = paintFor(streams.stdout, variables);
  const { results, unreadable, check } = outcome;
  const verb = check ? 'would change' : 'formatted';
  const failures = results.flatMap(({ error }) => error ?? []);
  const refused = results.filter(({ state }) => state === 'refused');
  const changed = results.filter(({ state }) => state === 'changed');
  const skippedCount = countSkipped(outcome);
  const counts = [`${changed.length} ${verb}`, `${count(outcome, 'unchanged')} unchanged`];
  return [
    ...[...unreadable, ...failures].map((error) => `${formatUnreadableFile(error, paint)}\n`),
    ...refused.map((result) => `${formatFileDiagnostics({ ...result, scenario: undefined }, paint)}\n`),
    ...changed.map(({ file }) => `${verb}: ${file}\n`),
    `${[...counts, ...(skippedCount === 0 ? [] : [`${skippedCount} skipped`])].join(', ')}\n`,
  ].join('');
}

function renderJson({ results, unreadable, check }: FormatOutcome): string {
  const unreadableEntries = unreadable.map((error) => ({
    file: String(error.values.path),
    state: 'refused',
    diagnostics: [toUnreadableFileJson(error)],
  }));
  const formattedEntries = results.map(({ file, state, diagnostics, error }) => ({
    file,
    state,
    diagnostics: error === undefined ? diagnostics.map(toDiagnosticJson) : [toUnreadableFileJson(error)],
  }));
  return `${JSON.stringify({ check, files: [...unreadableEntries, ...formattedEntries] }, null, 2)}\n`;
}
