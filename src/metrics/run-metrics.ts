import type { Metrics } from './metrics.ts';
import { controlShapes as shapes } from './shapes.ts';

/** How runs ended since the process started, and requests of runs. */
export type RunTotals = {
  readonly requested: number;
  readonly passed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly executorsLost: number;
};

/** What waits and runs on one instance; `seenAgoMs` is null until its executor has called. */
export type InstanceQueue = {
  readonly instance: string;
  readonly queued: number;
  readonly running: number;
  readonly seenAgoMs: number | null;
};

/** Where the numbers of runs come from, asked at each scrape. */
export type RunSource = { totals(): RunTotals; queues(): Promise<readonly InstanceQueue[]> };

/** One finished run; cancelled ones have the result null. */
export type FinishedRun = {
  readonly result: 'passed' | 'failed' | null;
  readonly queuedMs: number;
  readonly totalMs: number;
};

/** Told of every report that arrives. */
export type RunMetrics = { finished(run: FinishedRun): void };

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];

/** Registers the metrics of runs. */
export function runMetrics(metrics: Metrics, source: RunSource): RunMetrics {
  countTotals(metrics, source);
  gaugeQueues(metrics, source);
  const durations = metrics.histogram(shapes.duration, buckets);
  const waits = metrics.histogram(shapes.queued, buckets);
  return {
    finished({ result, queuedMs, totalMs }) {
      durations.observe({ result: result ?? 'cancelled' }, totalMs / 1000);
      waits.observe({}, queuedMs / 1000);
    },
  };
}

function countTotals(metrics: Metrics, source: RunSource): void {
  metrics.counted(shapes.runs, () => {
    const { passed, failed, cancelled } = source.totals();
    return Object.entries({ passed, failed, cancelled }).map(([result, value]) => ({ labels: { result }, value }));
  });
  metrics.counted(shapes.requested, () => [{ labels: {}, value: source.totals().requested }]);
  metrics.counted(shapes.executorsLost, () => [{ labels: {}, value: source.totals().executorsLost }]);
}

function gaugeQueues(metrics: Metrics, source: RunSource): void {
  metrics.gauge(shapes.queue, async () =>
    (await source.queues()).flatMap(({ instance, queued, running }) => [
      { labels: { instance_id: instance, state: 'queued' }, value: queued },
      { labels: { instance_id: instance, state: 'in_progress' }, value: running },
    ]),
  );
  metrics.gauge(shapes.seenAgo, async () =>
    (await source.queues()).flatMap(({ instance, seenAgoMs }) =>
      seenAgoMs === null ? [] : [{ labels: { instance_id: instance }, value: seenAgoMs / 1000 }],
    ),
  );
}
