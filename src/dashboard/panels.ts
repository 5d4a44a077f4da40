/**
 * Every question that the dashboard asks of Prometheus: one table, of which the page, Grafana's file and the documentation are
 * made. `$window` stands for the stretch that a point of a chart covers, `$range` for the whole stretch that is looked at.
 */
import type { DashboardUnit } from '../contract/dashboard-api.ts';

/** A line of a chart, for each instance. */
export type PanelLine = { readonly label: string; readonly query: string };

/** A chart. */
export type Panel = {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  readonly unit: DashboardUnit;
  readonly lines: readonly PanelLine[];
};

const ended = 'vp_executor_runs_total{result=~"passed|failed|not_judged"}';
const byInstance = 'sum by (instance_id)';
const byScenario = 'sum by (instance_id, scenario_id)';

/**
 * What counters grew by, with the beginning of those that began in the range, which `increase` does not see. One that was
 * there in the six hours before has not begun, even if Prometheus was away for a while.
 */
function grown(counter: string): string {
  const increase = `increase(${counter}[$range])`;
  const first = `min_over_time(${counter}[$range]) unless present_over_time(${counter}[6h] offset $range)`;
  return `((${increase} + (${first})) or ${increase})`;
}

const passed = 'vp_executor_runs_total{result="passed"}';

function quantile(of: number, window: string): string {
  const rate = `sum by (instance_id, le) (rate(vp_executor_run_duration_seconds_bucket[${window}]))`;
  return `histogram_quantile(${of}, ${rate})`;
}

/** The charts of an instance, in their order. */
export const panels: readonly Panel[] = [
  {
    id: 'runs',
    title: 'Runs per minute',
    meaning: 'Runs that ended, whatever their result.',
    unit: 'per_minute',
    lines: [{ label: 'runs', query: `${byInstance} (rate(vp_executor_runs_total[$window])) * 60` }],
  },
  {
    id: 'pass-rate',
    title: 'Pass rate',
    meaning: 'Share of passed among ended runs; cancelled ones are left out.',
    unit: 'share',
    lines: [
      {
        label: 'passed',
        query: `${byInstance} (increase(${passed}[$window])) / (${byInstance} (increase(${ended}[$window])) > 0)`,
      },
    ],
  },
  {
    id: 'duration',
    title: 'Duration',
    meaning: 'How long half, 95 % and 99 % of the runs took at most, without their time in the queue.',
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
    meaning: 'Runs that waited, at most. The control plane tells it, where its metrics are scraped.',
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
    meaning: 'Share of the time with a run in hand; an executor has one at a time.',
    unit: 'share',
    lines: [{ label: 'busy', query: `${byInstance} (rate(vp_executor_busy_seconds_total[$window]))` }],
  },
  {
    id: 'health',
    title: 'Executor connected',
    meaning: 'Share of the time that it reached its control plane; a gap where it did not answer at all.',
    unit: 'share',
    lines: [{ label: 'connected', query: 'avg by (instance_id) (avg_over_time(vp_executor_connected[$window]))' }],
  },
];

const scenarioRuns = `${byScenario} (${grown('vp_scenario_runs_total{result!="cancelled"}')})`;
const scenarioSeconds = `${byScenario} (${grown('vp_scenario_run_seconds_total')})`;
const scenarioChanges = `${byScenario} (${grown('vp_scenario_result_changes_total')})`;

/** Tables of scenarios: one value each, now, over the range. */
export const scenarioQueries = {
  runs: { title: 'Runs', query: scenarioRuns },
  slowest: {
    title: 'Slowest scenarios',
    meaning: 'Mean duration of a scenario’s runs.',
    query: `topk(10, ${scenarioSeconds} / (${scenarioRuns} > 0))`,
  },
  flakiest: {
    title: 'Flakiest scenarios',
    meaning: 'Share of runs whose result turned round while the scenario’s text stayed the same.',
    query: `topk(10, (${scenarioChanges} > 0.5) / (${scenarioRuns} > 0))`,
  },
} as const;

/** Values of an instance, now. */
export const instanceQueries = {
  known: 'max by (instance_id) (last_over_time(vp_executor_connected[$range]))',
  connected: 'max by (instance_id) (vp_executor_connected)',
  seenAgo: 'max by (instance_id) (vp_executor_seen_ago_seconds)',
  queued: 'max by (instance_id) (vp_queue_runs{state="queued"})',
  runs: `${byInstance} (${grown(ended)})`,
  passed: `${byInstance} (${grown(passed)}) / (${byInstance} (${grown(ended)}) > 0)`,
  p95: quantile(0.95, '$range'),
} as const;

/** The alerts that are on. */
export const alertsQuery = 'ALERTS{alertstate="firing"}';

/** A question as Prometheus, or Grafana, is asked it. */
export function filled(query: string, window: string, range: string): string {
  return query.replaceAll('$window', window).replaceAll('$range', range);
}
