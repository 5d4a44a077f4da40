/** Statistics of an instance's runs over time. Every open page reads them, so results are cached for a moment. */

import type { Statistics, StatisticsBucket } from '../../contract/statistics-api.ts';
import { listRunSummaries, type RunSummaryRow } from '../../store/control/runs/run-summaries.ts';
import type { Sql } from '../../store/sql.ts';
import { requireInstance } from '../instances/instances.ts';
import type { ControlRuntime } from '../runtime.ts';
import { formatTimestamp } from '../wire.ts';
import type { StatisticsReader } from './statistics-reader.ts';

/** Maximum of runs read; measured: 8 ms, whatever the size of the store. */
const runLimit = 10_000;
const bucketSizesMs = [60_000, 300_000, 900_000, 1_800_000, 3_600_000, 21_600_000, 86_400_000];
const maxBuckets = 50;
const maxRangeMs = 90 * 86_400_000;
const cacheMs = 2_000;

const judgedKinds: ReadonlySet<string> = new Set(['status_mismatch', 'body_mismatch', 'evidence_mismatch']);

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

function computeTotals(runs: readonly RunSummaryRow[]): Statistics['totals'] {
  const failed = runs.filter(({ state }) => state === 'failed');
  const judged = failed.filter(({ failure_kind: kind }) => kind === null || judgedKinds.has(kind));
  const durations = runs.flatMap(({ duration_ms: durationMs }) => durationMs ?? []).sort((a, b) => a - b);
  return {
    passed: runs.filter(({ state }) => state === 'passed').length,
    failed: judged.length,
    not_judged: failed.length - judged.length,
    cancelled: runs.filter(({ state }) => state === 'cancelled').length,
    p50_ms: percentile(durations, 0.5),
    p95_ms: percentile(durations, 0.95),
  };
}

function bucketSizeMs(spanMs: number): number {
  return bucketSizesMs.find((sizeMs) => Math.floor(spanMs / sizeMs) <= maxBuckets - 2) ?? 2 * 86_400_000;
}

/** `runs` are newest first; `sinceMs` is rounded down to the start of its bucket. */
export function computeStatistics(
  runs: readonly RunSummaryRow[],
  sinceMs: number,
  nowMs: number,
  limit: number,
): Statistics {
  const sizeMs = bucketSizeMs(nowMs - sinceMs);
  const startMs = Math.floor(sinceMs / sizeMs) * sizeMs;
  const byBucket = Map.groupBy(runs, ({ id }) => Math.floor((id - startMs) / sizeMs));
  const newestMs = Math.max(nowMs, runs[0]?.id ?? 0);
  const buckets: StatisticsBucket[] = [];
  for (let index = 0; startMs + index * sizeMs <= newestMs; index += 1) {
    buckets.push({ start: formatTimestamp(startMs + index * sizeMs), ...computeTotals(byBucket.get(index) ?? []) });
  }
  const complete = runs.length < limit;
  const oldestRun = runs.at(-1);
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

function readStatistics(sql: Sql, instance: string, sinceMs: number, nowMs: number): Statistics {
  requireInstance(sql, instance);
  const sizeMs = bucketSizeMs(nowMs - sinceMs);
  const runs = listRunSummaries(sql, instance, Math.floor(sinceMs / sizeMs) * sizeMs, runLimit);
  return computeStatistics(runs, sinceMs, nowMs, runLimit);
}

export function createStatisticsReader({ context: { store, clock } }: ControlRuntime): StatisticsReader {
  const cache = new Map<string, { untilMs: number; statistics: Promise<Statistics> }>();
  return {
    read(instance, requestedSinceMs) {
      const nowMs = clock.nowMs();
      const sinceMs = Math.min(nowMs, Math.max(requestedSinceMs, nowMs - maxRangeMs));
      const sizeMs = bucketSizeMs(nowMs - sinceMs);
      const key = `${instance} ${Math.floor(sinceMs / sizeMs)} ${sizeMs}`;
      for (const [name, { untilMs }] of cache) if (untilMs <= clock.monotonicMs()) cache.delete(name);
      const cached = cache.get(key);
      if (cached) return cached.statistics;
      const statistics = store.database.read((sql) => readStatistics(sql, instance, sinceMs, nowMs));
      cache.set(key, { untilMs: clock.monotonicMs() + cacheMs, statistics });
      return statistics;
    },
  };
}
