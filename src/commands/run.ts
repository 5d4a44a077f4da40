/** `vp run`: scenarios against a running application. What is not needed for every way is loaded by the way. */
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { asVpError, vpError } from '../errors/vp-error.ts';
import { progressOn } from '../terminal/progress.ts';
import { command, type Flags, type FlagValues, type Invocation } from './command.ts';
import { logFlag } from './common-flags.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';
import { Gathering, keptFailures, mostReported } from './run/gathering.ts';
import type { LocalFlags } from './run/local.ts';
import type { ReportFile } from './run/report-files.ts';
import type { RunSession } from './run/session.ts';
import { tellerFor } from './run/tell.ts';
import { type Selection, selectionOf } from './run/words.ts';

/** The flags of `vp run`, of which `vp prove` has some. */
export const runFlags = {
  tag: {
    type: 'strings',
    placeholder: '<tag>',
    describe: 'run the scenarios that have this tag, or another one named',
  },
  instance: {
    type: 'string',
    placeholder: '<id>',
    describe: 'the instance to run on; needed where several are registered',
  },
  ...controlPlaneFlags,
  report: {
    type: 'strings',
    placeholder: '<format>=<file>',
    describe: 'write the results to a file: text, json, junit or html',
  },
  repeat: { type: 'number', placeholder: '<n>', default: 1, describe: 'run everything so many times' },
  direct: {
    type: 'boolean',
    default: false,
    describe: 'ask the instance’s executor itself, on this machine, past the queue',
  },
  local: { type: 'boolean', default: false, describe: 'run in this process, without a control plane' },
  jobs: { type: 'number', placeholder: '<n>', describe: 'runs at the same time; --local only' },
  'base-url': {
    type: 'string',
    placeholder: '<url>',
    describe: 'where the target answers, in place of base_url of the config; --local only',
  },
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of platform-config.yaml, this one or ./product unless given; --local only',
  },
  log: { ...logFlag, describe: `${logFlag.describe}; --local only` },
  'test-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of the scenarios, or of a folder `scenarios`; ./scenarios or ./test unless given; --local only',
  },
} as const satisfies Flags;

type RunFlags = FlagValues<typeof runFlags>;
type RunCall = Invocation<typeof runFlags>;

/** The command that runs scenarios, for its messages, and whether their checks are to be proven. */
export type RunPurpose = { readonly command: string; readonly prove: boolean };

/** `vp run`. */
export const runCommand = command({
  name: 'run',
  summary: 'run scenarios and tell why they passed or failed',
  positionals: [
    {
      name: 'scenario',
      describe: 'ID in the catalogue (with --local: in the test folder), or a file, or a folder',
      required: false,
      many: true,
    },
  ],
  flags: runFlags,
  examples: [
    ['vp run RT-GET-document', 'one scenario of the catalogue'],
    ['vp run --tag smoke --report junit=out/vp.xml', 'all that have a tag, with a file for CI'],
    ['vp run my-change.md', 'a file that is not in the catalogue'],
    ['vp run --local --base-url http://127.0.0.1:3200', 'all of ./scenarios, without a server'],
    ['vp run --local --repeat 1000 --jobs 4', 'the same a thousand times'],
  ],
  notes: [
    'A word is a path when it has a slash, ends with .md or names something here; else it is an ID. --local without ' +
      'words or --tag runs every scenario of the test folder.',
    'The exit code is 0 when every run passed; 1 when a check was false in any of them; else 4 when a run could not be ' +
      'judged, was cancelled or did not finish. Report files are written in all of these cases, and after Ctrl-C with ' +
      'what is known. Ctrl-C stops waiting, not the runs of the control plane; a second one ends at once.',
    'With --json: {"summary", "runs": [report…], "unfinished", "error"}. Of a repetition only the first ' +
      `${keptFailures} reports that did not pass are kept, unless --report asks for all (up to ${mostReported} runs).`,
  ].join('\n\n'),
  run: (invocation) => runScenarios(invocation, { command: 'vp run', prove: false }),
});

const mostRepeated = 1_000_000;
const mostJobs = 256;
const neverLocal = ['--direct', '--instance', '--control-plane', '--allow-insecure'] as const;
const localOnly = ['jobs', 'base-url', 'product-dir', 'test-dir', 'log'] as const;

/** Runs what the line names, tells the results, and gives the exit code. */
export async function runScenarios(invocation: RunCall, purpose: RunPurpose): Promise<ExitCode> {
  const { flags, words, environment } = invocation;
  refuseWhatDoesNotFit(flags, environment.args);
  const files = await filesOf(flags, environment.cwd, purpose);
  const selection = selectionOf(words, flags.tag, environment.cwd);
  const { session, end } = openSession(invocation, files.length > 0, purpose);
  try {
    return await runAndTell(selection, invocation, session, files);
  } finally {
    end();
  }
}

/** An interrupt is heeded up to the end: a reader who left shows only while the results are told, and files follow. */
async function runAndTell(
  selection: Selection,
  { flags, environment }: RunCall,
  session: RunSession,
  files: readonly ReportFile[],
): Promise<ExitCode> {
  try {
    await onItsWay(selection, flags, session);
  } catch (thrown) {
    const { gathering } = session;
    if (!gathering.known && gathering.interrupted) return exitCode.interrupted;
    if (!gathering.known) throw thrown;
    gathering.problem = asVpError(thrown);
  } finally {
    session.progress.end();
  }
  session.gathering.end();
  await session.teller.finished();
  if (files.length > 0)
    (await import('./run/report-files.ts')).writeReportFiles(files, session.gathering.results, environment.random);
  return session.gathering.exitCode;
}

async function filesOf(
  { report }: RunFlags,
  cwd: string,
  { command: name }: RunPurpose,
): Promise<readonly ReportFile[]> {
  if (report.length === 0) return [];
  return (await import('./run/report-files.ts')).reportFilesOf(report, cwd, name);
}

/** One of three ways to the same results. */
async function onItsWay(selection: Selection, flags: RunFlags, session: RunSession): Promise<void> {
  if (flags.local) {
    const { runLocally } = await import('./run/local.ts');
    return runLocally(selection, localFlagsOf(flags), session);
  }
  if (selection.paths.length + selection.ids.length + selection.tags.length === 0)
    throw vpError('RUN_NOTHING_SELECTED', {});
  if (flags.direct) return (await import('./run/direct.ts')).runDirectly(selection, flags, session);
  return (await import('./run/queued.ts')).runQueued(selection, flags, session);
}

function openSession(invocation: RunCall, reported: boolean, { prove }: RunPurpose) {
  const { flags, json, environment } = invocation;
  const { clock, streams } = environment;
  const gathering = new Gathering({ sets: flags.repeat, keepAll: flags.repeat === 1 || reported, prove }, clock);
  const progress = progressOn(streams.stderr, clock);
  const interrupted = new AbortController();
  const unwatch = environment.onInterrupt(() => {
    gathering.interrupted = true;
    interrupted.abort();
  });
  const teller = tellerFor(gathering, invocation, progress);
  const session: RunSession = { environment, json, gathering, teller, progress, signal: interrupted.signal };
  return { session, end: unwatch };
}

function localFlagsOf(flags: RunFlags): LocalFlags {
  return {
    productDir: flags['product-dir'],
    testDir: flags['test-dir'],
    baseUrl: flags['base-url'],
    ca: flags.ca,
    log: flags.log,
    jobs: flags.jobs ?? 1,
  };
}

function refuse(flag: string, problem: string): never {
  throw vpError('FLAG_INVALID', { command: 'vp run', flag, problem });
}

/** Flags that contradict each other or are out of bounds; nothing has been done yet. */
function refuseWhatDoesNotFit(flags: RunFlags, args: readonly string[]): void {
  const named = neverLocal.find((flag) => isGiven(flag, args));
  if (flags.local && named) throw vpError('FLAG_CONTRADICTED', { flag: named, other: '--local' });
  const local = flags.local ? undefined : localOnly.find((name) => flags[name] !== undefined);
  if (local) throw vpError('FLAG_NEEDS_ANOTHER', { flag: `--${local}`, other: '--local' });
  refuseNumber('--repeat', flags.repeat, mostRepeated);
  refuseNumber('--jobs', flags.jobs ?? 1, mostJobs);
}

/** Variables may hold for every call, so only what stands on the line contradicts. */
function isGiven(flag: string, args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === flag || arg.startsWith(`${flag}=`));
}

function refuseNumber(flag: string, value: number, most: number): void {
  if (!Number.isInteger(value) || value < 1 || value > most) refuse(flag, `must be a whole number from 1 to ${most}`);
}
