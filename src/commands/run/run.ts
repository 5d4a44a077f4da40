/** `vp run`. Modules that only one of the ways to run needs are loaded by it. Length: its flags lead to all ways to run. */

import { join } from 'node:path';
import { command } from '../../command-line/command.ts';
import type { Clock } from '../../environment/clock.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { toVpError, vpError } from '../../errors/vp-error.ts';
import type { RunResults } from '../../report/results.ts';
import { createProgress } from '../../terminal/progress.ts';
import { parseDurationMs } from '../runs/parse-since.ts';
import type { CiOutput } from './ci/ci-output.ts';
import { openSelectionHistory } from './last-results.ts';
import type { ReportFile } from './report-files.ts';
import { maxReportedRuns, maxStoredFailures, RunCollector } from './run-collector.ts';
import {
  assertFlagsCompatible,
  localFlagGroup,
  maxRepeats,
  type RunCall,
  type RunFlags,
  runFlags,
  scenariosArgument,
} from './run-flags.ts';
import type { LocalFlags } from './run-local.ts';
import { createRunOutput } from './run-output.ts';
import type { RunSession } from './run-session.ts';
import { parseSelection, type Selection } from './selection.ts';

/** `command` is named in messages; `prove`: also prove the checks. */
export type RunPurpose = { readonly command: string; readonly prove: boolean };

/** `vp run`. */
export const runCommand = command({
  name: 'run',
  summary: 'run scenarios and show why they passed or failed',
  positionals: [scenariosArgument],
  flags: runFlags,
  flagGroups: localFlagGroup,
  examples: [
    ['vp run RT-GET-document', 'one scenario of the catalogue'],
    ['vp run --tag smoke --report junit=out/vp.xml', 'all with a tag, with a report file for CI'],
    ['vp run --tag smoke --ci github --comment', 'displays the results in GitHub, and comments on the pull request'],
    ['vp run my-change.md', 'a file that is not in the catalogue'],
    ['vp run --tag smoke --target-version 4f2c9e1', 'failures and comparisons name this version'],
    ['vp run --local --base-url http://127.0.0.1:3200', 'all of ./scenarios, without a server'],
    ['vp run --tag smoke --shard 2/4', 'the second of four parts, in one of four parallel jobs'],
  ],
  notes: [
    'An argument is a path if it has a slash, ends with .md or names an existing file or folder; else it is an ID. --local without ' +
      'arguments or --tag runs every scenario of the test folder.',
    'The exit code is 0 if every run passed; 1 if a check was false in any run; else 4 if a run could not be ' +
      'judged, was cancelled or did not finish. Report files are written in all of these cases, and after Ctrl-C with ' +
      'the results so far; where nothing could be run, those of an earlier run are removed. Ctrl-C stops waiting, not the runs on the control plane; a second Ctrl-C exits at once.',
    '--failed runs everything if nothing is known or everything passed, and says so. With --watch, Enter runs the same again, a ' +
      'everything, q quits; without a terminal there are no keys, and Ctrl-C ends it.',
    'With --json: {"summary", "runs": [report…], "unfinished", "error"}. With --repeat only the first ' +
      `${maxStoredFailures} reports that did not pass are included, unless --report is given (up to ${maxReportedRuns} runs).`,
  ].join('\n\n'),
  run: (invocation) => runScenarios(invocation, { command: 'vp run', prove: false }),
  onInvalidLine: discardReports,
});

/** Loads what handles files only if the line has one. */
export async function discardReports(args: readonly string[], environment: Environment): Promise<void> {
  if (!args.some((arg) => arg.startsWith('--report'))) return;
  await (await import('./report-files.ts')).discardNamedReports(args, environment);
}

/** Runs the selected scenarios, reports the results, and returns the exit code. */
export async function runScenarios(invocation: RunCall, purpose: RunPurpose): Promise<ExitCode> {
  const { flags, environment } = invocation;
  const { files, selection, ci } = await prepareOrDiscard(invocation, purpose);
  const runOnce = async (part: Selection): Promise<ExitCode> => {
    const { session, end } = openSession(invocation, part, files.length > 0 || ci !== undefined, purpose);
    try {
      return await runAndReport(part, invocation, session, { files, ci });
    } finally {
      end();
    }
  };
  if (!flags.watch) return runOnce(selection);
  const { rerunOnChange } = await import('./watch-runs.ts');
  // What ids and tags select is known only when the files are read.
  const isByPath = selection.ids.length + selection.tags.length === 0;
  return rerunOnChange(await listWatchedPaths(selection, flags, environment), environment, (changed) =>
    runOnce(changed && isByPath ? { ...selection, paths: changed } : selection),
  );
}

/** Everything that can be refused before a run. Where it is, report files of an earlier call are removed. */
async function prepareOrDiscard(invocation: RunCall, purpose: RunPurpose) {
  const { flags, environment } = invocation;
  try {
    return await prepareRun(invocation, purpose);
  } catch (thrown) {
    if (flags.report.length > 0) (await import('./report-files.ts')).discardReportFiles(flags.report, environment.cwd);
    throw thrown;
  }
}

async function prepareRun(invocation: RunCall, purpose: RunPurpose) {
  const { flags, args, environment } = invocation;
  assertFlagsCompatible(flags, environment.args);
  const files = await parseReportFlags(flags, environment.cwd, purpose);
  if (flags.log !== undefined)
    (await import('../assert-log-readable.ts')).assertLogReadable(flags.log, purpose.command, environment);
  const selection = parseSelection(args, flags.tag, environment.cwd);
  if (flags.watch && !flags.local && selection.paths.length === 0)
    throw vpError('FLAG_NEEDS_ANOTHER', { flag: '--watch', other: '--local' });
  return { files, selection, ci: await openCi(invocation, purpose) };
}

async function openCi({ flags, args, json, environment }: RunCall, { command: name }: RunPurpose) {
  if (flags.ci === undefined) return undefined;
  const { openCiOutput } = await import('./ci/ci-output.ts');
  const { GITHUB_WORKFLOW = '', GITHUB_JOB = '', CI_JOB_NAME = '' } = environment.variables;
  const target = [flags.instance, flags['test-dir'], flags['product-dir'], flags['base-url'], flags['comment-name']];
  const selection = [
    GITHUB_WORKFLOW,
    GITHUB_JOB,
    CI_JOB_NAME,
    name,
    ...target.map((value) => value ?? ''),
    ...args,
    ...flags.tag,
  ];
  const system = flags.ci === 'github' ? 'github' : 'gitlab';
  return openCiOutput({ system, comment: flags.comment, json, selection }, environment);
}

/** Files only: a scenario of the catalogue is edited elsewhere. */
async function listWatchedPaths({ paths, ids, tags }: Selection, flags: RunFlags, { cwd }: Environment) {
  if (!flags.local) return { scenarios: paths, config: [] };
  const [{ findTestFolder }, { findProductFolder }] = await Promise.all([
    import('./select-local.ts'),
    import('../authoring/placeholders.ts'),
  ]);
  const usesFolder = paths.length === 0 || ids.length + tags.length > 0;
  const productDir = flags['product-dir'] ?? findProductFolder(cwd) ?? '.';
  const config = ['platform-config.yaml', '.env'].map((name) => join(productDir, name));
  return { scenarios: [...paths, ...(usesFolder ? [findTestFolder(flags['test-dir'], cwd)] : [])], config };
}

/** Interrupts are handled until the end: a closed output pipe is noticed only while results are written, before the files. */
async function runAndReport(
  selection: Selection,
  { flags, environment }: RunCall,
  session: RunSession,
  { files, ci }: { readonly files: readonly ReportFile[]; readonly ci: CiOutput | undefined },
): Promise<ExitCode> {
  ci?.begin();
  try {
    await runSelection(selection, flags, session);
  } catch (thrown) {
    const { collector } = session;
    collector.problem = toVpError(thrown);
    if (!collector.hasResults) {
      ci?.endOutput();
      if (files.length > 0) (await import('./report-files.ts')).removeReportFiles(files);
      if (collector.interrupted) return exitCode.interrupted;
      if (collector.stop) collector.problem = vpError('RUN_TIME_OVER', { reason: collector.stop.reason });
      // A comment of an earlier run must not stay green.
      await ci?.publish(collector.results);
      throw collector.problem;
    }
  } finally {
    session.progress.stop();
  }
  session.collector.finish();
  session.history.save(session.collector);
  await session.output.onFinished();
  ci?.endOutput();
  if (ci || files.length > 0) {
    const { readCiSource } = await import('./ci/ci-source.ts');
    const { source } = readCiSource(environment.variables, { branch: flags.branch, commit: flags.commit });
    await publishResults({ ...session.collector.results, source }, files, ci, environment);
  }
  return session.collector.exitCode;
}

async function publishResults(
  results: RunResults,
  files: readonly ReportFile[],
  ci: CiOutput | undefined,
  environment: Environment,
): Promise<void> {
  const { toCheckoutResults, writeReportFiles } = await import('./report-files.ts');
  await ci?.publish(toCheckoutResults(results, files, environment));
  writeReportFiles(files, results, environment);
}

async function parseReportFlags(
  { report }: RunFlags,
  cwd: string,
  { command: name }: RunPurpose,
): Promise<readonly ReportFile[]> {
  if (report.length === 0) return [];
  return (await import('./report-files.ts')).parseReportFiles(report, cwd, name);
}

/** Runs locally, directly on the executor, or through the control plane's queue. */
async function runSelection(selection: Selection, flags: RunFlags, session: RunSession): Promise<void> {
  if (flags.local) {
    const { runLocally } = await import('./run-local.ts');
    return runLocally(selection, toLocalFlags(flags), session);
  }
  if (selection.paths.length + selection.ids.length + selection.tags.length === 0)
    throw vpError('RUN_NOTHING_SELECTED', {});
  if (flags.direct) return (await import('./run-direct.ts')).runDirectly(selection, flags, session);
  return (await import('./run-queued.ts')).runQueued(selection, flags, session);
}

function openSession(invocation: RunCall, selection: Selection, hasReportFiles: boolean, purpose: RunPurpose) {
  const { prove } = purpose;
  const { flags, json, environment } = invocation;
  const { clock, streams } = environment;
  const { repeat, 'fail-fast': failFast, 'target-version': targetVersion, 'retry-failed': retries } = flags;
  const untilFail = flags['until-fail'];
  const sets = untilFail && repeat === 1 ? maxRepeats : repeat;
  // Until a failure, report files have what did not pass.
  const storeAll = sets === 1 || (hasReportFiles && !untilFail);
  const plan = { sets, storeAll, prove, failFast, targetVersion, untilFail, retries };
  const collector = new RunCollector(plan, clock);
  const progress = createProgress(streams.stderr, clock);
  const controller = new AbortController();
  const stopListening = environment.onInterrupt(() => {
    collector.interrupted = true;
    controller.abort();
  });
  const cancelTimer = startTimer(flags['max-time'], purpose.command, clock, (reason) => {
    collector.stop ??= { flag: '--max-time', reason };
    controller.abort();
  });
  const output = createRunOutput(collector, invocation, progress);
  const target = flags.local
    ? ['local', flags['test-dir'], flags['product-dir']]
    : [flags['control-plane'], flags.instance];
  const history = openSelectionHistory(selection, [purpose.command, ...target], flags.failed, environment);
  const session: RunSession = { environment, json, collector, history, output, progress, signal: controller.signal };
  const end = (): void => {
    stopListening();
    cancelTimer();
  };
  return { session, end };
}

/** Calls `onOver` after the duration of --max-time; the returned function cancels that. */
function startTimer(
  maxTime: string | undefined,
  commandName: string,
  clock: Clock,
  onOver: (reason: string) => void,
): () => void {
  if (maxTime === undefined) return () => {};
  return clock.after(parseDurationMs(maxTime, commandName, '--max-time'), () => onOver(`${maxTime} have passed`));
}

function toLocalFlags(flags: RunFlags): LocalFlags {
  return {
    productDir: flags['product-dir'],
    testDir: flags['test-dir'],
    baseUrl: flags['base-url'],
    grpcBaseUrl: flags['grpc-base-url'],
    ca: flags.ca,
    log: flags.log,
    jobs: flags.jobs ?? 1,
    shard: flags.shard,
    retries: flags['retry-failed'],
  };
}
