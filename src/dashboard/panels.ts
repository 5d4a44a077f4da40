/**
 * All Prometheus queries of the dashboard. The page, the Grafana file and the documentation are generated from these tables.
 * `$window` stands for the period that a point of a chart covers, `$range` for the whole displayed period, `$rangeSeconds` for its
 * length as a number.
 */
import type { DashboardUnit } from '../contract/dashboard-api.ts';

/** A line of a chart; one for each instance. */
export type PanelLine = { readonly label: string; readonly query: string };

export type Panel = {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  readonly unit: DashboardUnit;
  readonly lines: readonly PanelLine[];
};

/** Counted by the control plane's store, so that restarts of executors lose none and the console says the same. */
const endedRuns = 'vp_instance_runs_total{result=~"passed|failed|not_judged"}';
const passedRuns = 'vp_instance_runs_total{result="passed"}';
const byInstance = 'sum by (instance_id)';
const byScenario = 'sum by (instance_id, scenario_id)';

/**
 * The increase of a counter, including the initial value of series that started in the range, which `increase` omits. A
 * series that existed in the six hours before did not start in the range, even if Prometheus was down for a while.
 */
function buildIncrease(counter: string): string {
  const increase = `increase(${counter}[$range])`;
  const first = `min_over_time(${counter}[$range]) unless present_over_time(${counter}[6h] offset $range)`;
  return `((${increase} + (${first})) or ${increase})`;
}

/**
 * Runs in the range. Of an instance that was registered in it these are all: the last value, as `increase` is extrapolated
 * and shows too many of a counter with few samples.
 */
function countRuns(counter: string): string {
  const registered = 'last_over_time(vp_instance_registered_timestamp_seconds[$range]) > time() - $rangeSeconds';
  const all = `last_over_time(${counter}[$range]) and on (instance_id) (${registered})`;
  return `round(${byInstance} ((${all}) or increase(${counter}[$range])))`;
}

function quantile(quantileLevel: number, window: string): string {
  const rate = `sum by (instance_id, le) (rate(vp_executor_run_duration_seconds_bucket[${window}]))`;
  return `histogram_quantile(${quantileLevel}, ${rate})`;
}

/** The charts of an instance, in display order. */
export const panels: readonly Panel[] = [
  {
    id: 'runs',
    title: 'Runs per minute',
    meaning: 'Ended runs with any result.',
    unit: 'per_minute',
    lines: [{ label: 'runs', query: `${byInstance} (rate(vp_instance_runs_total[$window])) * 60` }],
  },
  {
    id: 'pass-rate',
    title: 'Pass rate',
    meaning: 'Share of passed runs among ended ones. Cancelled runs do not count.',
    unit: 'share',
    lines: [
      {
        label: 'passed',
        query: `${byInstance} (increase(${passedRuns}[$window])) / (${byInstance} (increase(${endedRuns}[$window])) > 0)`,
      },
    ],
  },
  {
    id: 'duration',
    title: 'Duration',
    meaning: 'Median, 95th and 99th percentile of the duration of runs, without the time in the queue.',
    unit: 'seconds',
    lines: [
      { label: 'p50', query: quantile(0.5, '$window') },
      { label: 'p95', query: quantile(0.95, '$window') },
      { label: 'p99', query: quantile(0.99, '$window') },
    ],
  },
  {
    id: 'queue',
    title: 'Queue',
    meaning: 'Maximum number of waiting runs. Requires the metrics of the control plane.',
    unit: 'runs',
    lines: [
      {
        label: 'waiting',
        query: 'max by (instance_id) (max_over_time(vp_queue_runs{state="queued"}[$window]))',
      },
    ],
  },
  {
    id: 'busy',
    title: 'Busy',
    meaning: 'Share of the time in which the executor was executing a run. It executes one run at a time.',
    unit: 'share',
    lines: [{ label: 'busy', query: `${byInstance} (rate(vp_executor_busy_seconds_total[$window]))` }],
  },
  {
    id: 'health',
    title: 'Executor connected',
    meaning: 'Share of the time in which the executor reached its control plane. A gap means that it did not respond.',
    unit: 'share',
    lines: [{ label: 'connected', query: 'avg by (instance_id) (avg_over_time(vp_executor_connected[$window]))' }],
  },
];

const scenarioRuns = `${byScenario} (${buildIncrease('vp_scenario_runs_total{result!="cancelled"}')})`;
const scenarioSeconds = `${byScenario} (${buildIncrease('vp_scenario_run_seconds_total')})`;
const scenarioChanges = `${byScenario} (${buildIncrease('vp_scenario_result_changes_total')})`;

/** Instant queries over the range, with one value for each scenario. */
export const scenarioQueries = {
  runs: { title: 'Runs', query: scenarioRuns },
  slowest: {
    title: 'Slowest scenarios',
    meaning: 'Mean duration of a scenario’s runs.',
    query: `topk(10, ${scenarioSeconds} / (${scenarioRuns} > 0))`,
  },
  flakiest: {
    title: 'Flakiest scenarios',
    meaning: 'Share of runs whose result changed while the scenario’s text stayed the same.',
    query: `topk(10, (${scenarioChanges} > 0.5) / (${scenarioRuns} > 0))`,
  },
} as const;

/** Instant queries with one value for each instance. */
export const instanceQueries = {
  knownInstances: 'max by (instance_id) (last_over_time(vp_executor_connected[$range]))',
  connected: 'max by (instance_id) (vp_executor_connected)',
  lastSeen: 'max by (instance_id) (vp_executor_seen_ago_seconds)',
  queued: 'max by (instance_id) (vp_queue_runs{state="queued"})',
  runs: countRuns(endedRuns),
  passed: `${countRuns(passedRuns)} / (${countRuns(endedRuns)} > 0)`,
  p95: quantile(0.95, '$range'),
} as const;

export const alertsQuery = 'ALERTS{alertstate="firing"}';

/** What the placeholders of a query stand for; `rangeSeconds` is the range as a number. */
export type QueryValues = { readonly window: string; readonly range: string; readonly rangeSeconds: string };

export function fillQuery(query: string, { window, range, rangeSeconds }: QueryValues): string {
  return query.replaceAll('$window', window).replaceAll('$rangeSeconds', rangeSeconds).replaceAll('$range', range);
}
