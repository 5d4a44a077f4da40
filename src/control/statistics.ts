/** Runs of an instance over time. Asked for by every open page, so an answer is kept for a moment. */
import type { Statistics, StatisticsBucket } from '../contract/statistics-api.ts';
import { type RunInShort, runsInShort } from '../store/control/statistics.ts';
import type { Sql } from '../store/sql.ts';
import { requireInstance } from './instances.ts';
import type { ControlParts } from './parts.ts';
import { momentOf } from './wire.ts';

/** Charts of runs. */
export type StatisticsOf = {
  /** Throws INSTANCE_UNKNOWN. */
  of(instance: string, sinceMs: number): Promise<Statistics>;
};

/** Runs looked at; measured 8 ms for this many, whatever the size of the store. */
const runLimit = 10_000;
/** The finest division, and the most buckets of an answer. */
const bucketSizesMs = [60_000, 300_000, 900_000, 1_800_000, 3_600_000, 21_600_000, 86_400_000];
const maxBuckets = 50;
const longestMs = 90 * 86_400_000;
/** How long an answer is given again. */
const keptMs = 2_000;

const judgedKinds: ReadonlySet<string> = new Set(['status_mismatch', 'body_mismatch', 'evidence_mismatch']);

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

function figuresOf(runs: readonly RunInShort[]): Statistics['totals'] {
  const failed = runs.filter(({ state }) => state === 'failed');
  const judged = failed.filter(({ failure_kind: kind }) => kind === null || judgedKinds.has(kind));
  const durations = runs.flatMap(({ duration_ms: ms }) => ms ?? []).sort((a, b) => a - b);
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

/** The statistics of runs, newest first; `sinceMs` moves down to the beginning of its bucket. */
export function statisticsOf(runs: readonly RunInShort[], sinceMs: number, nowMs: number, limit: number): Statistics {
  const sizeMs = bucketSizeMs(nowMs - sinceMs);
  const startMs = Math.floor(sinceMs / sizeMs) * sizeMs;
  const byBucket = Map.groupBy(runs, ({ id }) => Math.floor((id - startMs) / sizeMs));
  const newestMs = Math.max(nowMs, runs[0]?.id ?? 0);
  const buckets: StatisticsBucket[] = [];
  for (let index = 0; startMs + index * sizeMs <= newestMs; index += 1) {
    buckets.push({ start: momentOf(startMs + index * sizeMs), ...figuresOf(byBucket.get(index) ?? []) });
  }
  const complete = runs.length < limit;
  const oldest = runs.at(-1);
  return {
    since: momentOf(startMs),
    until: momentOf(newestMs),
    bucket_ms: sizeMs,
    complete,
    covered_since: momentOf(complete || !oldest ? startMs : oldest.id),
    totals: figuresOf(runs),
    buckets,
  };
}

function read(sql: Sql, instance: string, sinceMs: number, nowMs: number): Statistics {
  requireInstance(sql, instance);
  const sizeMs = bucketSizeMs(nowMs - sinceMs);
  const runs = runsInShort(sql, instance, Math.floor(sinceMs / sizeMs) * sizeMs, runLimit);
  return statisticsOf(runs, sinceMs, nowMs, runLimit);
}

/** The statistics of a control plane. */
export function statisticsFor({ context: { store, clock } }: ControlParts): StatisticsOf {
  const kept = new Map<string, { untilMs: number; statistics: Promise<Statistics> }>();
  return {
    of(instance, wantedMs) {
      const nowMs = clock.nowMs();
      const sinceMs = Math.min(nowMs, Math.max(wantedMs, nowMs - longestMs));
      const sizeMs = bucketSizeMs(nowMs - sinceMs);
      const key = `${instance} ${Math.floor(sinceMs / sizeMs)} ${sizeMs}`;
      for (const [name, { untilMs }] of kept) if (untilMs <= clock.monotonicMs()) kept.delete(name);
      const known = kept.get(key);
      if (known) return known.statistics;
      const statistics = store.database.read((sql) => read(sql, instance, sinceMs, nowMs));
      kept.set(key, { untilMs: clock.monotonicMs() + keptMs, statistics });
      return statistics;
    },
  };
}
