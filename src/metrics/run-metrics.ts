import type { Metrics } from './metrics.ts';

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

/** Registers the metrics of runs; the label `instance` has one value for each registered instance. */
export function runMetrics(metrics: Metrics, source: RunSource): RunMetrics {
  countTotals(metrics, source);
  gaugeQueues(metrics, source);
  const durations = metrics.histogram(
    {
      name: 'vp_run_duration_seconds',
      help: 'Time from the start of a run to its verdict, of reports received.',
      labels: ['result'],
    },
    buckets,
  );
  const waits = metrics.histogram(
    { name: 'vp_run_queued_seconds', help: 'Time from the request of a run to its lease.', labels: [] },
    buckets,
  );
  return {
    finished({ result, queuedMs, totalMs }) {
      durations.observe({ result: result ?? 'cancelled' }, totalMs / 1000);
      waits.observe({}, queuedMs / 1000);
    },
  };
}

function countTotals(metrics: Metrics, source: RunSource): void {
  const runs = { name: 'vp_runs_total', help: 'Runs that ended, by result.', labels: ['result'] } as const;
  metrics.counted(runs, () => {
    const { passed, failed, cancelled } = source.totals();
    return Object.entries({ passed, failed, cancelled }).map(([result, value]) => ({ labels: { result }, value }));
  });
  const requested = { name: 'vp_runs_requested_total', help: 'Runs that were requested.', labels: [] } as const;
  metrics.counted(requested, () => [{ labels: {}, value: source.totals().requested }]);
  const lost = { name: 'vp_executors_lost_total', help: 'Leases that ended without an answer.', labels: [] } as const;
  metrics.counted(lost, () => [{ labels: {}, value: source.totals().executorsLost }]);
}

function gaugeQueues(metrics: Metrics, source: RunSource): void {
  const queue = { name: 'vp_queue_runs', help: 'Runs of an instance now.', labels: ['instance', 'state'] } as const;
  metrics.gauge(queue, async () =>
    (await source.queues()).flatMap(({ instance, queued, running }) => [
      { labels: { instance, state: 'queued' }, value: queued },
      { labels: { instance, state: 'in_progress' }, value: running },
    ]),
  );
  const seen = {
    name: 'vp_executor_seen_ago_seconds',
    help: 'Time since the executor of an instance called last; absent until it has.',
    labels: ['instance'],
  } as const;
  metrics.gauge(seen, async () =>
    (await source.queues()).flatMap(({ instance, seenAgoMs }) =>
      seenAgoMs === null ? [] : [{ labels: { instance }, value: seenAgoMs / 1000 }],
    ),
  );
}
