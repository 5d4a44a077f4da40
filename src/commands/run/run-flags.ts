/** The flags of `vp run`, and which of them exclude each other. */
import type { FlagDefinitions, FlagValues, Invocation, Positional } from '../../command-line/command.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isTargetVersion } from '../../run/target-version.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';
import { grpcUrlFlag, logFlag, productFolderFlag, scenarioFolderFlag, targetUrlFlag } from '../role-flags.ts';

/** `vp prove` has most of these flags too. */
export const runFlags = {
  tag: {
    type: 'strings',
    placeholder: '<tag>',
    describe: 'run the scenarios with this tag',
    kind: 'tag',
  },
  instance: { ...instanceFlag, describe: 'the instance to run on; required if several are registered' },
  ...controlPlaneFlags,
  'target-version': {
    type: 'string',
    placeholder: '<version>',
    describe: 'version of the application, such as a commit; without it, a response header says it',
    variable: 'VP_TARGET_VERSION',
  },
  branch: {
    type: 'string',
    placeholder: '<name>',
    describe: 'the branch, where no CI system says it',
  },
  commit: {
    type: 'string',
    placeholder: '<id>',
    describe: 'the commit, where no CI system says it',
  },
  report: {
    type: 'strings',
    placeholder: '<format>=<file>',
    describe:
      'write the results to a file; formats: text, json, junit, html, sarif, ctrf, code-quality, markdown, agent',
  },
  ci: {
    type: 'string',
    choices: ['github', 'gitlab'],
    placeholder: '<system>',
    describe: 'display the results in GitHub or GitLab',
  },
  comment: {
    type: 'boolean',
    default: false,
    describe: 'with --ci: one comment on the pull or merge request, which later runs update',
  },
  'comment-name': {
    type: 'string',
    placeholder: '<name>',
    describe: 'tells comments of one job apart (its matrix)',
  },
  repeat: { type: 'number', placeholder: '<n>', default: 1, describe: 'number of times to run everything' },
  'until-fail': {
    type: 'boolean',
    default: false,
    describe: 'run again until a run does not pass',
  },
  'retry-failed': {
    type: 'number',
    placeholder: '<n>',
    default: 0,
    describe: 'retries of what did not pass',
  },
  shard: {
    type: 'string',
    placeholder: '<i>/<n>',
    describe: 'the i-th of n parts of about equal duration',
  },
  'shard-key': {
    type: 'string',
    placeholder: '<key>',
    describe: 'key of the pipeline, where no CI system says it',
  },
  'fail-fast': {
    type: 'boolean',
    default: false,
    describe: 'stop at the first run that did not pass',
  },
  'max-time': {
    type: 'string',
    placeholder: '<duration>',
    describe: 'stop after this time (30s, 15m, 1h), and cancel what has not ended',
  },
  failed: {
    type: 'boolean',
    default: false,
    describe: 'only what did not pass in its last run from here',
  },
  watch: {
    type: 'boolean',
    default: false,
    describe: 'run again when a scenario or the config changes',
  },
  direct: {
    type: 'boolean',
    default: false,
    describe: 'call the executor on this machine, not the queue',
  },
  local: { type: 'boolean', default: false, describe: 'run in this process, without a control plane' },
  jobs: { type: 'number', placeholder: '<n>', describe: 'maximum number of parallel runs' },
  'base-url': targetUrlFlag,
  'grpc-base-url': grpcUrlFlag,
  'product-dir': productFolderFlag,
  log: logFlag,
  'test-dir': {
    ...scenarioFolderFlag,
    describe: 'folder of scenarios, or with a folder `scenarios` (default: ./scenarios or ./test)',
  },
} as const satisfies FlagDefinitions;

/** A heading of the help. */
/** Of the commands that run scenarios. */
export const scenariosArgument = {
  name: 'scenario',
  describe: 'ID in the catalogue (with --local: in the test folder), file, or folder',
  required: false,
  many: true,
  kind: 'scenario-or-file',
} as const satisfies Positional;

export const localFlagGroup = {
  'With --local': ['jobs', 'base-url', 'grpc-base-url', 'product-dir', 'test-dir', 'log'],
} as const;

export type RunFlags = FlagValues<typeof runFlags>;
export type RunCall = Invocation<typeof runFlags>;

export const maxRepeats = 1_000_000;
const maxRetries = 10;
const maxShards = 100;
const maxJobs = 256;
const remoteOnlyFlags = [
  '--direct',
  '--instance',
  '--control-plane',
  '--allow-insecure',
  '--target-version',
  '--branch',
  '--commit',
  '--shard-key',
] as const;
const localOnlyFlags = localFlagGroup['With --local'];

function throwInvalidFlag(flag: string, problem: string): never {
  throw vpError('FLAG_INVALID', { command: 'vp run', flag, problem });
}

/** Throws for flags that contradict each other or are out of range. */
export function assertFlagsCompatible(flags: RunFlags, args: readonly string[]): void {
  const named = remoteOnlyFlags.find((flag) => isOnLine(flag, args));
  if (flags.local && named) throw vpError('FLAG_CONTRADICTED', { flag: named, other: '--local' });
  const localFlag = flags.local ? undefined : localOnlyFlags.find((name) => flags[name] !== undefined);
  if (localFlag) throw vpError('FLAG_NEEDS_ANOTHER', { flag: `--${localFlag}`, other: '--local' });
  if (flags.watch && args.includes('--json')) throw vpError('FLAG_CONTRADICTED', { flag: '--watch', other: '--json' });
  if (flags.comment && flags.ci === undefined)
    throw vpError('FLAG_NEEDS_ANOTHER', { flag: '--comment', other: '--ci' });
  if (flags['comment-name'] !== undefined && !flags.comment)
    throw vpError('FLAG_NEEDS_ANOTHER', { flag: '--comment-name', other: '--comment' });
  if (flags.watch && flags.ci !== undefined) throw vpError('FLAG_CONTRADICTED', { flag: '--watch', other: '--ci' });
  // The executor stores direct runs without a request that could name a version.
  if (flags.direct && isOnLine('--target-version', args))
    throw vpError('FLAG_CONTRADICTED', { flag: '--target-version', other: '--direct' });
  assertTargetVersion(flags['target-version']);
  // Both read standard input.
  if (flags.watch && flags.log === '-') throw vpError('FLAG_CONTRADICTED', { flag: '--watch', other: '--log -' });
  assertSuiteFlags(flags, args);
  assertWholeNumber('--repeat', flags.repeat, maxRepeats);
  assertWholeNumber('--jobs', flags.jobs ?? 1, maxJobs);
}

/** What repeats, retries and divides a selection. */
function assertSuiteFlags(flags: RunFlags, args: readonly string[]): void {
  const contradictions = [
    ['--until-fail', flags['until-fail'], ['--direct', '--watch', '--fail-fast', '--retry-failed']],
    ['--retry-failed', flags['retry-failed'] > 0, ['--direct', '--fail-fast', '--repeat']],
    ['--shard', flags.shard !== undefined, ['--direct', '--watch', '--failed', '--repeat', '--until-fail']],
  ] as const;
  for (const [flag, isUsed, others] of contradictions) {
    const other = others.find((name) => isUsed && isOnLine(name, args));
    if (other !== undefined) throw vpError('FLAG_CONTRADICTED', { flag, other });
  }
  if (flags['shard-key'] !== undefined && flags.shard === undefined)
    throw vpError('FLAG_NEEDS_ANOTHER', { flag: '--shard-key', other: '--shard' });
  if (flags['retry-failed'] !== 0) assertWholeNumber('--retry-failed', flags['retry-failed'], maxRetries);
  parseShard(flags.shard);
}

export type Shard = { readonly index: number; readonly count: number };

/** `2/4`: the second of four. Throws FLAG_INVALID. */
export function parseShard(text: string | undefined): Shard | undefined {
  if (text === undefined) return undefined;
  const [, index = 0, count = 0] = /^(\d{1,3})\/(\d{1,3})$/.exec(text)?.map(Number) ?? [];
  if (index < 1 || count > maxShards || index > count)
    throwInvalidFlag('--shard', `must be such as 2/4, the second of four parts; at most ${maxShards}`);
  return { index, count };
}

/** Only flags on the command line contradict: environment variables may be set for every call. */
function isOnLine(flag: string, args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === flag || arg.startsWith(`${flag}=`));
}

function assertTargetVersion(version: string | undefined): void {
  if (version === undefined || isTargetVersion(version)) return;
  throwInvalidFlag('--target-version', 'must be 1 to 100 printable ASCII characters without spaces around them');
}

function assertWholeNumber(flag: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 1 || value > max)
    throwInvalidFlag(flag, `must be a whole number from 1 to ${max}`);
}
