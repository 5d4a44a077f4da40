/** Statistics of an instance's runs over time. Every open page reads them, so results are cached for a moment. */

import type { Statistics, StatisticsBucket } from '../../contract/statistics-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { getPercentile, sortNumbers } from '../../insight/percentile.ts';
import { getRunOutcome, type RunOutcome } from '../../run/state.ts';
import { listRunSummaries, type RunSummaryRow } from '../../store/control/runs/run-summaries.ts';
import type { Sql } from '../../store/sql.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import type { RunSelection, StatisticsReader } from './statistics-reader.ts';

/** Maximum of runs read; measured: 8 ms, whatever the size of the store. */
const runLimit = 10_000;
const bucketSizesMs = [60_000, 300_000, 900_000, 1_800_000, 3_600_000, 21_600_000, 86_400_000];
const maxBuckets = 50;
const maxRangeMs = 90 * 86_400_000;
const cacheMs = 2_000;

function computeTotals(runs: readonly RunSummaryRow[]): Statistics['totals'] {
  const count = (outcome: RunOutcome): number =>
    runs.filter(({ state, failure_kind: kind }) => getRunOutcome(state, kind) === outcome).length;
  const sorted = sortNumbers(runs.flatMap(({ duration_ms: durationMs }) => durationMs ?? []));
  return {
    passed: count('passed'),
    failed: count('failed'),
    not_judged: count('broken'),
    cancelled: count('cancelled'),
    p50_ms: getPercentile(sorted, 0.5),
    p95_ms: getPercentile(sorted, 0.95),
  };
}

function bucketSizeMs(spanMs: number): number {
  return bucketSizesMs.find((sizeMs) => Math.floor(spanMs / sizeMs) <= maxBuckets - 2) ?? 2 * 86_400_000;
}

/** `readRuns` are newest first, of every outcome. The first bucket may start before `sinceMs`; it and the totals count runs since then only. */
export function computeStatistics(
  readRuns: readonly RunSummaryRow[],
  sinceMs: number,
  nowMs: number,
  limit: number,
  outcome?: RunOutcome,
): Statistics {
  const runs =
    outcome === undefined
      ? readRuns
      : readRuns.filter(({ state, failure_kind: kind }) => getRunOutcome(state, kind) === outcome);
  const sizeMs = bucketSizeMs(nowMs - sinceMs);
  const startMs = Math.floor(sinceMs / sizeMs) * sizeMs;
  const byBucket = Map.groupBy(runs, ({ id }) => Math.floor((id - startMs) / sizeMs));
  const newestMs = Math.max(nowMs, readRuns[0]?.id ?? 0);
  const buckets: StatisticsBucket[] = [];
  for (let index = 0; startMs + index * sizeMs <= newestMs; index += 1) {
    buckets.push({ start: formatTimestamp(startMs + index * sizeMs), ...computeTotals(byBucket.get(index) ?? []) });
  }
  const complete = readRuns.length < limit;
  const oldestRun = readRuns.at(-1);
  return {
    since: formatTimestamp(startMs),
    until: formatTimestamp(newestMs),
    bucket_ms: sizeMs,
    complete,
    covered_since: formatTimestamp(complete || !oldestRun ? startMs : oldestRun.id),
    totals: computeTotals(runs),
    buckets,
  };
}

function readStatistics(
  sql: Sql,
  instance: string,
  { scenario, outcome }: RunSelection,
  sinceMs: number,
  nowMs: number,
): Statistics {
  requireInstance(sql, instance);
  const runs = listRunSummaries(sql, instance, scenario, sinceMs, runLimit);
  return computeStatistics(runs, sinceMs, nowMs, runLimit, outcome);
}

export function createStatisticsReader({ context: { store, clock } }: ControlRuntime): StatisticsReader {
  const cache = new Map<string, { untilMs: number; statistics: Promise<Statistics> }>();
  return {
    read(instance, requestedSinceMs, selection = {}) {
      const nowMs = clock.nowMs();
      const sinceMs = Math.min(nowMs, Math.max(requestedSinceMs, nowMs - maxRangeMs));
      const key = JSON.stringify([instance, selection.scenario, selection.outcome, sinceMs]);
      for (const [name, { untilMs }] of cache) if (untilMs <= clock.monotonicMs()) cache.delete(name);
      const cached = cache.get(key);
      if (cached) return cached.statistics;
      const statistics = store.database.read((sql) => readStatistics(sql, instance, selection, sinceMs, nowMs));
      cache.set(key, { untilMs: clock.monotonicMs() + cacheMs, statistics });
      return statistics;
    },
  };
}
