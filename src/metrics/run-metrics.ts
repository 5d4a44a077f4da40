import { controlPlaneMetrics as definitions } from './metric-definitions.ts';
import type { Metrics } from './metrics.ts';

/** Counts since the start of the process. */
export type RunTotals = {
  readonly requested: number;
  readonly passed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly executorsLost: number;
  /** By whose store was an older copy. */
  readonly staleStores: Readonly<Record<string, number>>;
};

/** Queue of an instance; `lastSeenAgoMs` is null until its executor has called. */
export type InstanceQueue = {
  readonly instance: string;
  readonly queued: number;
  readonly running: number;
  readonly lastSeenAgoMs: number | null;
};

/** Read at each scrape. */
export type RunMetricsSource = {
  totals(): RunTotals;
  queues(): Promise<readonly InstanceQueue[]>;
  /** The last jump of the machine's clock; undefined when it has settled. */
  findClockJump(): { readonly byMs: number } | undefined;
};

/** `result` is null for a cancelled run. */
export type FinishedRun = {
  readonly result: 'passed' | 'failed' | null;
  readonly queuedMs: number;
  readonly totalMs: number;
};

export type RunMetrics = { recordFinished(run: FinishedRun): void };

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];

export function createRunMetrics(metrics: Metrics, source: RunMetricsSource): RunMetrics {
  registerTotals(metrics, source);
  registerQueues(metrics, source);
  metrics.gauge(definitions.clockJump, async () => [{ labels: {}, value: (source.findClockJump()?.byMs ?? 0) / 1000 }]);
  const durations = metrics.histogram(definitions.duration, buckets);
  const queueTimes = metrics.histogram(definitions.queued, buckets);
  return {
    recordFinished({ result, queuedMs, totalMs }) {
      durations.observe({ result: result ?? 'cancelled' }, totalMs / 1000);
      queueTimes.observe({}, queuedMs / 1000);
    },
  };
}

function registerTotals(metrics: Metrics, source: RunMetricsSource): void {
  metrics.externalCounter(definitions.runs, () => {
    const { passed, failed, cancelled } = source.totals();
    return Object.entries({ passed, failed, cancelled }).map(([result, value]) => ({ labels: { result }, value }));
  });
  metrics.externalCounter(definitions.requested, () => [{ labels: {}, value: source.totals().requested }]);
  metrics.externalCounter(definitions.staleStores, () =>
    Object.entries(source.totals().staleStores).map(([store, value]) => ({ labels: { store }, value })),
  );
  metrics.externalCounter(definitions.executorsLost, () => [{ labels: {}, value: source.totals().executorsLost }]);
}

function registerQueues(metrics: Metrics, source: RunMetricsSource): void {
  metrics.gauge(definitions.queue, async () =>
    (await source.queues()).flatMap(({ instance, queued, running }) => [
      { labels: { instance_id: instance, state: 'queued' }, value: queued },
      { labels: { instance_id: instance, state: 'in_progress' }, value: running },
    ]),
  );
  metrics.gauge(definitions.lastSeenAgo, async () =>
    (await source.queues()).flatMap(({ instance, lastSeenAgoMs }) =>
      lastSeenAgoMs === null ? [] : [{ labels: { instance_id: instance }, value: lastSeenAgoMs / 1000 }],
    ),
  );
}
