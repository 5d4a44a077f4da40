/** The suite of `vp run` on a control plane: what it is called, which part of it this job runs, and where its page is. */
import { createHash } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import { maxSuiteRuns, type NewSuite } from '../../contract/suites-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatSuiteUrl } from '../suites/suite-flags.ts';
import { readCiSource } from './ci/ci-source.ts';
import type { QueuedBatch } from './queued-batch.ts';
import { parseShard, type Shard } from './run-flags.ts';
import type { RunSession } from './run-session.ts';
import type { RequestedScenario } from './select-catalogue.ts';
import type { Selection } from './selection.ts';

export type SuiteFlags = {
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly shard?: string | undefined;
  readonly 'shard-key'?: string | undefined;
};

type SuiteTarget = { readonly client: Client; readonly instance: string; readonly session: RunSession };

type SuitePart = {
  readonly requested: readonly RequestedScenario[];
  readonly suite: Pick<QueuedBatch, 'suite' | 'suiteId'>;
};

/** What of the selection this job requests, and as part of which suite. */
export async function openSuite(
  selection: Selection,
  selected: readonly RequestedScenario[],
  flags: SuiteFlags,
  target: SuiteTarget,
): Promise<SuitePart> {
  const { collector, environment } = target.session;
  const { branch, commit } = flags;
  const { source, pipeline } = readCiSource(environment.variables, { branch, commit });
  const name = selection.tags.join(', ').slice(0, 200);
  const suite: NewSuite = {
    ...(name === '' ? {} : { name }),
    ...(Object.keys(source).length === 0 ? {} : { source }),
  };
  const shard = parseShard(flags.shard);
  if (shard) return openShard(shard, flags['shard-key'] ?? pipeline, { selection, selected, suite }, target);
  const total = collector.plan.sets * selected.length;
  const isOne = selected.length === 1 && name === '' && suite.source === undefined && !collector.plan.retries;
  // Control planes of the version before do not know the member: it is left out where the default is the same.
  if (isOne) return { requested: selected, suite: { suite: undefined, suiteId: undefined } };
  const isNone = collector.plan.untilFail || total > maxSuiteRuns;
  const newSuite = isNone ? (false as const) : { ...suite, expected_runs: total };
  return { requested: selected, suite: { suite: newSuite, suiteId: undefined } };
}

/** Selections of the same pipeline are suites of their own, and so is each version that it verifies. */
function formatShardKey(key: string, { paths, ids, tags }: Selection, targetVersion: string | undefined): string {
  const text = JSON.stringify([key, targetVersion ?? null, ...[paths, ids, tags].map((list) => [...list].sort())]);
  return `${key.slice(0, 180)} ${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

async function openShard(
  { index, count }: Shard,
  key: string | undefined,
  { selection, selected, suite }: { selection: Selection; selected: readonly RequestedScenario[]; suite: NewSuite },
  { client, instance, session }: SuiteTarget,
): Promise<SuitePart> {
  if (key === undefined) throw vpError('RUN_SHARD_KEY_MISSING', {});
  const { collector, environment, signal } = session;
  const { targetVersion } = collector.plan;
  const { suite_id: suiteId, shards = [] } = await client.suites.create(
    instance,
    {
      ...suite,
      ...{ key: formatShardKey(key, selection, targetVersion), shards: count, scenarios: selected.map(({ id }) => id) },
      ...(targetVersion === undefined ? {} : { target_version: targetVersion }),
    },
    { signal },
  );
  assertSameScenarios(shards, selected);
  const own = new Set(shards[index - 1] ?? []);
  const requested = selected.filter(({ id }) => own.has(id));
  collector.suite = toSuiteLink(client, instance, suiteId);
  collector.isEmptyShard = requested.length === 0;
  const note = `shard ${index} of ${count} has ${requested.length} of ${selected.length} scenarios`;
  environment.streams.stderr.write(`vp: ${note}\n`);
  return { requested, suite: { suite: false, suiteId } };
}

/** A scenario that the first job did not know would run in no shard. */
function assertSameScenarios(shards: readonly (readonly string[])[], selected: readonly RequestedScenario[]): void {
  const planned = new Set(shards.flat());
  const own = new Set(selected.map(({ id }) => id));
  const differing = [...planned].find((id) => !own.has(id)) ?? [...own].find((id) => !planned.has(id));
  if (differing !== undefined) throw vpError('RUN_SHARDS_DIFFER', { scenario: differing });
}

function toSuiteLink(client: Client, instance: string, id: string) {
  return { id, url: formatSuiteUrl(client, instance, id) };
}

/** Says where the suite is as soon as it is known, and again with the results. */
export function displaySuite({ suiteId, client, instance, session }: QueuedBatch): void {
  if (suiteId === undefined) return;
  session.collector.suite = toSuiteLink(client, instance, suiteId);
}
