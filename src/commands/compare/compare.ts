import type { Client } from '../../client/client.ts';
import type { ComparedSide } from '../../client/insight.ts';
import { command, type FlagDefinitions, type Invocation } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isTargetVersion } from '../../run/target-version.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable } from '../../terminal/table.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceFlag } from '../control-plane/control-plane-flags.ts';
import { parseSince } from '../runs/parse-since.ts';
import {
  buildComparisonColumns,
  buildVersionColumns,
  formatComparisonHead,
  isWorthShowing,
} from './format-comparison.ts';
import { formatUncompared, getComparisonExitCode } from './judge-comparison.ts';

const flags = {
  instance: instanceFlag,
  all: { type: 'boolean', default: false, describe: 'also list scenarios that did not change' },
  list: { type: 'boolean', default: false, describe: 'list the versions that can be compared' },
  ...controlPlaneFlags,
} as const satisfies FlagDefinitions;

type CompareFlags = typeof flags;

/** `vp compare`. */
export const compareCommand = command({
  name: 'compare',
  summary: 'show what a version of the application broke',
  positionals: [
    {
      name: 'base',
      describe: 'version, branch:<name>, or period such as 14d..7d; by default the one before the newest',
      required: false,
    },
    {
      name: 'head',
      describe: 'version, branch:<name>, or period such as 7d..; by default the newest version',
      required: false,
    },
  ],
  flags,
  examples: [
    ['vp compare', 'the two newest versions'],
    ['vp compare 4f2c9e1 ab12cd3', 'two versions'],
    ['vp compare branch:main branch:checkout', 'the runs of a branch with those of main'],
    ['vp compare 14d..7d 7d..', 'last week with the week before'],
  ],
  notes: `A run has the version that a response header or the flag --target-version of \`vp run\` names. A scenario is newly failing where it passed on base
and fails on head, flaky where one side has both results, and slower where its p95 is: by an exact test of percentiles (p < 0.01 over all scenarios,
at least eight passed runs on each side, 10% and 1 ms), whose p is shown. "In the median" is the same of p50, by the Mann-Whitney U test. The 20,000
newest runs of each side are compared. The exit code is 1 where a
scenario is newly failing, or ran on head only and fails; else 4 where one that passed on base, or is new, could not be judged on head, or no scenario
was judged on both sides; else 0. What was in quarantine does not count. With --json: {"comparison": {…}}, with --list {"versions": […]}.`,
  run: (invocation) => compare(invocation),
});

async function compare({ flags, args: [base, head], json, environment }: Invocation<CompareFlags>): Promise<ExitCode> {
  const { streams, variables, clock } = environment;
  const client = await openClient(flags, environment);
  const { instance_id: instance } = await selectInstance(client, flags.instance);
  if (flags.list) return listVersions(client, instance, json, environment);
  if (base !== undefined && head === undefined) {
    const problem = 'name both, or none for the two newest versions';
    throw vpError('FLAG_INVALID', { command: 'vp compare', flag: '<base> <head>', problem });
  }
  const [baseSide, headSide] =
    base === undefined || head === undefined
      ? await findNewestVersions(client, instance)
      : [parseSide(base, clock.nowMs()), parseSide(head, clock.nowMs())];
  const comparison = await client.comparison.compare(instance, baseSide, headSide);
  const paint = paintFor(streams.stdout, variables);
  const listed = comparison.scenarios.filter((scenario) => flags.all || isWorthShowing(scenario));
  const table = formatTable(listed, buildComparisonColumns(paint), streams.stdout, paint);
  streams.stdout.write(
    json
      ? `${JSON.stringify({ comparison }, null, 2)}\n`
      : `${formatComparisonHead(comparison)}${formatUncompared(comparison)}${table === '' ? '' : `\n${table}`}`,
  );
  return getComparisonExitCode(comparison);
}

/** Throws COMPARISON_VERSIONS_MISSING. */
async function findNewestVersions(client: Client, instance: string): Promise<readonly [ComparedSide, ComparedSide]> {
  const [head, base] = await client.comparison.listTargetVersions(instance);
  if (!head || !base) throw vpError('COMPARISON_VERSIONS_MISSING', { instance });
  return [{ version: base.target_version }, { version: head.target_version }];
}

async function listVersions(client: Client, instance: string, json: boolean, environment: Environment) {
  const { streams, variables, clock } = environment;
  const versions = await client.comparison.listTargetVersions(instance);
  const columns = buildVersionColumns(clock.nowMs());
  const table = formatTable(versions, columns, streams.stdout, paintFor(streams.stdout, variables));
  const none = `no run of ${instance} names the version of its target: pass --target-version to \`vp run\`\n`;
  streams.stdout.write(json ? `${JSON.stringify({ versions }, null, 2)}\n` : table || none);
  return exitCode.done;
}

/** At most as long as a branch of a run is. */
const branchSide = /^branch:(.{1,200})$/s;
/** Text between the ends of a period. */
const separator = /^(.+)\.\.(.*)$/;
const periodName = { command: 'vp compare', flag: '<base> <head>' } as const;
/** The end of a period that goes on. */
const openEnds: ReadonlySet<string> = new Set(['', 'now']);

/** `branch:main` → a branch; `14d..7d`, `2026-11-01..2026-11-08`, `1d..` → a period; everything else is a version. Throws FLAG_INVALID. */
export function parseSide(text: string, nowMs: number): ComparedSide {
  const [, branch] = branchSide.exec(text) ?? [];
  if (branch !== undefined) return { branch };
  const [, from, to] = separator.exec(text) ?? [];
  if (from !== undefined && to !== undefined)
    return {
      since: parseSince(from, nowMs, periodName),
      until: openEnds.has(to) ? undefined : parseSince(to, nowMs, periodName),
    };
  if (isTargetVersion(text)) return { version: text };
  const problem = `must be a version, or a period such as 14d..7d, not \`${text}\``;
  throw vpError('FLAG_INVALID', { command: 'vp compare', flag: '<base> <head>', problem });
}
