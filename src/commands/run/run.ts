/** `vp run`. Modules that only one of the ways to run needs are loaded by it. */

import { command, type Flags, type FlagValues, type Invocation } from '../../command-line/command.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { toVpError, vpError } from '../../errors/vp-error.ts';
import { createProgress } from '../../terminal/progress.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { logFlag } from '../role-flags.ts';
import type { ReportFile } from './report-files.ts';
import { maxReportedRuns, maxStoredFailures, RunCollector } from './run-collector.ts';
import type { LocalFlags } from './run-local.ts';
import { createRunOutput } from './run-output.ts';
import type { RunSession } from './run-session.ts';
import { parseSelection, type Selection } from './selection.ts';

/** `vp prove` has most of these flags too. */
export const runFlags = {
  tag: {
    type: 'strings',
    placeholder: '<tag>',
    describe: 'run the scenarios with this tag',
  },
  instance: {
    type: 'string',
    placeholder: '<id>',
    describe: 'the instance to run on; required if several are registered',
  },
  ...controlPlaneFlags,
  report: {
    type: 'strings',
    placeholder: '<format>=<file>',
    describe: 'write the results to a file; formats: text, json, junit, html',
  },
  repeat: { type: 'number', placeholder: '<n>', default: 1, describe: 'number of times to run everything' },
  direct: {
    type: 'boolean',
    default: false,
    describe: 'call the instance’s executor on this machine directly, bypassing the queue',
  },
  local: { type: 'boolean', default: false, describe: 'run in this process, without a control plane' },
  jobs: { type: 'number', placeholder: '<n>', describe: 'maximum number of parallel runs; --local only' },
  'base-url': {
    type: 'string',
    placeholder: '<url>',
    describe: 'URL of the target, instead of base_url in the config; --local only',
  },
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of platform-config.yaml (default: this folder or ./product); --local only',
  },
  log: { ...logFlag, describe: `${logFlag.describe}; --local only` },
  'test-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of scenarios, or with a folder `scenarios` (default: ./scenarios or ./test); --local only',
  },
} as const satisfies Flags;

type RunFlags = FlagValues<typeof runFlags>;
type RunCall = Invocation<typeof runFlags>;

/** `command` is named in messages; `prove`: also prove the checks. */
export type RunPurpose = { readonly command: string; readonly prove: boolean };

/** `vp run`. */
export const runCommand = command({
  name: 'run',
  summary: 'run scenarios and show why they passed or failed',
  positionals: [
    {
      name: 'scenario',
      describe: 'ID in the catalogue (with --local: in the test folder), file, or folder',
      required: false,
      many: true,
    },
  ],
  flags: runFlags,
  examples: [
    ['vp run RT-GET-document', 'one scenario of the catalogue'],
    ['vp run --tag smoke --report junit=out/vp.xml', 'all with a tag, with a report file for CI'],
    ['vp run my-change.md', 'a file that is not in the catalogue'],
    ['vp run --local --base-url http://127.0.0.1:3200', 'all of ./scenarios, without a server'],
    ['vp run --local --repeat 1000 --jobs 4', 'the same 1000 times, 4 at a time'],
  ],
  notes: [
    'An argument is a path if it has a slash, ends with .md or names an existing file or folder; else it is an ID. --local without ' +
      'arguments or --tag runs every scenario of the test folder.',
    'The exit code is 0 if every run passed; 1 if a check was false in any run; else 4 if a run could not be ' +
      'judged, was cancelled or did not finish. Report files are written in all of these cases, and after Ctrl-C with ' +
      'the results so far. Ctrl-C stops waiting, not the runs on the control plane; a second Ctrl-C exits at once.',
    'With --json: {"summary", "runs": [report…], "unfinished", "error"}. With --repeat only the first ' +
      `${maxStoredFailures} reports that did not pass are included, unless --report is given (up to ${maxReportedRuns} runs).`,
  ].join('\n\n'),
  run: (invocation) => runScenarios(invocation, { command: 'vp run', prove: false }),
});

const maxRepeats = 1_000_000;
const maxJobs = 256;
const remoteOnlyFlags = ['--direct', '--instance', '--control-plane', '--allow-insecure'] as const;
const localOnlyFlags = ['jobs', 'base-url', 'product-dir', 'test-dir', 'log'] as const;

/** Runs the selected scenarios, reports the results, and returns the exit code. */
export async function runScenarios(invocation: RunCall, purpose: RunPurpose): Promise<ExitCode> {
  const { flags, args, environment } = invocation;
  assertFlagsCompatible(flags, environment.args);
  const files = await parseReportFlags(flags, environment.cwd, purpose);
  const selection = parseSelection(args, flags.tag, environment.cwd);
  const { session, end } = openSession(invocation, files.length > 0, purpose);
  try {
    return await runAndReport(selection, invocation, session, files);
  } finally {
    end();
  }
}

/** Interrupts are handled until the end: a closed output pipe is noticed only while results are written, before the files. */
async function runAndReport(
  selection: Selection,
  { flags, environment }: RunCall,
  session: RunSession,
  files: readonly ReportFile[],
): Promise<ExitCode> {
  try {
    await runSelection(selection, flags, session);
  } catch (thrown) {
    const { collector } = session;
    if (!collector.hasResults && collector.interrupted) return exitCode.interrupted;
    if (!collector.hasResults) throw thrown;
    collector.problem = toVpError(thrown);
  } finally {
    session.progress.stop();
  }
  session.collector.finish();
  await session.output.onFinished();
  if (files.length > 0)
    (await import('./report-files.ts')).writeReportFiles(files, session.collector.results, environment.random);
  return session.collector.exitCode;
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

function openSession(invocation: RunCall, hasReportFiles: boolean, { prove }: RunPurpose) {
  const { flags, json, environment } = invocation;
  const { clock, streams } = environment;
  const collector = new RunCollector(
    { sets: flags.repeat, storeAll: flags.repeat === 1 || hasReportFiles, prove },
    clock,
  );
  const progress = createProgress(streams.stderr, clock);
  const controller = new AbortController();
  const stopListening = environment.onInterrupt(() => {
    collector.interrupted = true;
    controller.abort();
  });
  const output = createRunOutput(collector, invocation, progress);
  const session: RunSession = { environment, json, collector, output, progress, signal: controller.signal };
  return { session, end: stopListening };
}

function toLocalFlags(flags: RunFlags): LocalFlags {
  return {
    productDir: flags['product-dir'],
    testDir: flags['test-dir'],
    baseUrl: flags['base-url'],
    ca: flags.ca,
    log: flags.log,
    jobs: flags.jobs ?? 1,
  };
}

function throwInvalidFlag(flag: string, problem: string): never {
  throw vpError('FLAG_INVALID', { command: 'vp run', flag, problem });
}

/** Throws for flags that contradict each other or are out of range. */
function assertFlagsCompatible(flags: RunFlags, args: readonly string[]): void {
  const named = remoteOnlyFlags.find((flag) => isOnLine(flag, args));
  if (flags.local && named) throw vpError('FLAG_CONTRADICTED', { flag: named, other: '--local' });
  const localFlag = flags.local ? undefined : localOnlyFlags.find((name) => flags[name] !== undefined);
  if (localFlag) throw vpError('FLAG_NEEDS_ANOTHER', { flag: `--${localFlag}`, other: '--local' });
  assertWholeNumber('--repeat', flags.repeat, maxRepeats);
  assertWholeNumber('--jobs', flags.jobs ?? 1, maxJobs);
}

/** Only flags on the command line contradict: environment variables may be set for every call. */
function isOnLine(flag: string, args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === flag || arg.startsWith(`${flag}=`));
}

function assertWholeNumber(flag: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 1 || value > max)
    throwInvalidFlag(flag, `must be a whole number from 1 to ${max}`);
}
