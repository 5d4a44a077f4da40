import { resolve } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';
import type { Diagnostic } from '../scenario/diagnostic.ts';
import { formatScenario } from '../scenario/format.ts';
import { paintFor } from '../terminal/paint.ts';
import { command } from './command.ts';
import { readScenarioFiles, type ScenarioFile } from './scenario-files.ts';
import { diagnosticJson, fileText, unreadJson, unreadText } from './validate/tell.ts';
import { systemReason, writeWhole } from './whole-file.ts';

/** `vp format`: writes scenario files in the one usual way. */
export const formatCommand = command({
  name: 'format',
  summary: 'write scenario files in the usual way, without changing what they say',
  positionals: [{ name: 'file or folder', describe: 'scenarios, and folders of *.md', required: true, many: true }],
  flags: {
    check: { type: 'boolean', default: false, describe: 'write nothing; exit 1 if a file would change' },
  },
  examples: [
    ['vp format scenarios', 'format every scenario below a folder'],
    ['vp format scenarios --check', 'let CI see that all are formatted'],
  ],
  notes:
    'Comments, prose and bodies stay as they are. A file with errors is left alone and told.\n' +
    'Exit code 0: done. 1: --check, and a file would change. 2: a file has errors. 4: a file cannot be written.',
  async run({ flags, words, json, environment }) {
    const unread: VpError[] = [];
    const files = readScenarioFiles(words, environment.cwd, (error) => unread.push(error));
    const results = files.map((file) => formatFile(file, flags.check, environment));
    const told = { results, unread, check: flags.check };
    environment.streams.stdout.write(json ? asJson(told) : asText(told, environment));
    return exitCodeOf(told);
  },
});

/** `changed`: written, or with --check to be written. `failed` could not be written. */
type Result = ScenarioFile & {
  readonly diagnostics: readonly Diagnostic[];
  readonly state: 'changed' | 'unchanged' | 'refused' | 'failed';
  readonly error?: VpError;
};
type Told = { readonly results: readonly Result[]; readonly unread: readonly VpError[]; readonly check: boolean };

function formatFile(file: ScenarioFile, check: boolean, { cwd, random }: Environment): Result {
  const diagnostics: Diagnostic[] = [];
  const formatted = formatScenario(file.text, { variables: 'any' }, (diagnostic) => diagnostics.push(diagnostic));
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (formatted === undefined) return { ...file, diagnostics: errors, state: 'refused' };
  if (formatted === file.text) return { ...file, diagnostics: [], state: 'unchanged' };
  try {
    if (!check) writeWhole(resolve(cwd, file.file), formatted, random);
    return { ...file, diagnostics: [], state: 'changed' };
  } catch (cause) {
    const values = { path: file.file, problem: systemReason(cause) };
    const error = vpError('SCENARIO_FILE_UNWRITABLE', values, { cause });
    return { ...file, diagnostics: [], state: 'failed', error };
  }
}

function count({ results }: Told, state: Result['state']): number {
  return results.filter((result) => result.state === state).length;
}

/** Files that stay as they are although they should not. */
function leftAlone(told: Told): number {
  return told.unread.length + count(told, 'refused') + count(told, 'failed');
}

function exitCodeOf(told: Told): ExitCode {
  if (count(told, 'failed') > 0) return exitCode.broken;
  if (leftAlone(told) > 0) return exitCode.invalidInput;
  return told.check && count(told, 'changed') > 0 ? exitCode.checkFailed : exitCode.done;
}

function asText(told: Told, { streams, variables }: Environment): string {
  const paint = paintFor(streams.stdout, variables);
  const { results, unread, check } = told;
  const words = check ? 'would change' : 'formatted';
  const failures = results.flatMap(({ error }) => error ?? []);
  const refused = results.filter(({ state }) => state === 'refused');
  const changed = results.filter(({ state }) => state === 'changed');
  const left = leftAlone(told);
  const counts = [`${changed.length} ${words}`, `${count(told, 'unchanged')} unchanged`];
  return [
    ...[...unread, ...failures].map((error) => `${unreadText(error, paint)}\n`),
    ...refused.map((result) => `${fileText({ ...result, scenario: undefined }, paint)}\n`),
    ...changed.map(({ file }) => `${words}: ${file}\n`),
    `${[...counts, ...(left === 0 ? [] : [`${left} left alone`])].join(', ')}\n`,
  ].join('');
}

function asJson({ results, unread, check }: Told): string {
  const others = unread.map((error) => ({
    file: String(error.values.path),
    state: 'refused',
    diagnostics: [unreadJson(error)],
  }));
  const read = results.map(({ file, state, diagnostics, error }) => ({
    file,
    state,
    diagnostics: error === undefined ? diagnostics.map(diagnosticJson) : [unreadJson(error)],
  }));
  return `${JSON.stringify({ check, files: [...others, ...read] }, null, 2)}\n`;
}
