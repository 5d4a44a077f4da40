/** Converts Prometheus series to the responses of the dashboard's API. */
import type {
  DashboardInstancesResponse,
  DashboardRange,
  DashboardScenariosResponse,
  InstanceHealth,
  PanelResponse,
} from '../contract/dashboard-api.ts';
import { describeAlert } from './alerts.ts';
import { alertsQuery, fillQuery, instanceQueries, type Panel, scenarioQueries } from './panels.ts';
import type { MetricSeries, PrometheusClient } from './prometheus-client.ts';

/** The resolution of a range, in seconds. A point covers `windowS`, which is at least two scrape intervals. */
type TimeRange = { readonly rangeS: number; readonly stepS: number; readonly windowS: number };

const hourS = 3600;

/** At most 180 points each. */
const timeRanges: Readonly<Record<DashboardRange, TimeRange>> = {
  '1h': { rangeS: hourS, stepS: 30, windowS: 120 },
  '6h': { rangeS: 6 * hourS, stepS: 180, windowS: 360 },
  '24h': { rangeS: 24 * hourS, stepS: 600, windowS: 900 },
  '7d': { rangeS: 7 * 24 * hourS, stepS: hourS, windowS: hourS },
  '30d': { rangeS: 30 * 24 * hourS, stepS: 4 * hourS, windowS: 4 * hourS },
};

export type DashboardQuery = {
  readonly prometheus: PrometheusClient;
  readonly range: DashboardRange;
  readonly nowMs: number;
};

function toPrometheusQuery(query: string, { rangeS, windowS }: TimeRange): string {
  return fillQuery(query, { window: `${windowS}s`, range: `${rangeS}s`, rangeSeconds: String(rangeS) });
}

/** The time range of a chart, aligned to its step, so that concurrent pages send the same query. */
function alignRange({ rangeS, stepS }: TimeRange, nowMs: number) {
  const endS = Math.floor(nowMs / 1000 / stepS) * stepS;
  return { startS: endS - rangeS, endS, stepS };
}

/** Reads the lines of a chart. Throws PROMETHEUS_AWAY, PROMETHEUS_STRANGE. */
export async function readPanel(panel: Panel, { prometheus, range, nowMs }: DashboardQuery): Promise<PanelResponse> {
  const span = timeRanges[range];
  const alignedRange = alignRange(span, nowMs);
  const times: number[] = [];
  for (let atS = alignedRange.startS; atS <= alignedRange.endS; atS += alignedRange.stepS) times.push(atS);
  const lines = panel.lines.map(async ({ label, query }) => {
    const seriesList = await prometheus.queryRange(toPrometheusQuery(query, span), alignedRange);
    return seriesList.map((series) => ({ instance: getInstanceId(series), label, values: valuesAt(times, series) }));
  });
  return { times, lines: (await Promise.all(lines)).flat() };
}

function valuesAt(times: readonly number[], { points }: MetricSeries): (number | null)[] {
  const byTime = new Map(points);
  return times.map((atS) => byTime.get(atS) ?? null);
}

function getInstanceId({ labels }: MetricSeries): string {
  return labels.instance_id ?? '';
}

/** Reads the current state of the instances, and firing alerts. Throws like `readPanel`. */
export async function readInstances({ prometheus, range, nowMs }: DashboardQuery): Promise<DashboardInstancesResponse> {
  const fetchValues = async (query: string): Promise<Map<string, number>> => {
    const seriesList = await prometheus.queryInstant(toPrometheusQuery(query, timeRanges[range]), nowMs / 1000);
    return new Map(
      seriesList.flatMap((series) => series.points.map(([, value]) => [getInstanceId(series), value] as const)),
    );
  };
  const { knownInstances, connected, lastSeen, queued, runs, passed, p95 } = instanceQueries;
  const [byId, connectedById, lastSeenById, queuedById, runsById, passedById, p95ById] = await Promise.all(
    [knownInstances, connected, lastSeen, queued, runs, passed, p95].map(fetchValues),
  );
  const instances = [...(byId?.keys() ?? [])].sort().map((id) => ({
    id,
    state: getHealth(connectedById?.get(id)),
    seen_ago_s: lastSeenById?.get(id) ?? null,
    queued: queuedById?.get(id) ?? null,
    runs: runsById?.get(id) ?? null,
    passed: passedById?.get(id) ?? null,
    p95_s: p95ById?.get(id) ?? null,
  }));
  const alerts = (await prometheus.queryInstant(alertsQuery, nowMs / 1000)).map(({ labels }) => describeAlert(labels));
  return { instances, alerts, at: new Date(nowMs).toISOString() };
}

function getHealth(connected: number | undefined): InstanceHealth {
  if (connected === undefined) return 'silent';
  return connected > 0 ? 'connected' : 'disconnected';
}

/** Reads the slowest and the flakiest scenarios. Throws like `readPanel`. */
export async function readScenarios({ prometheus, range, nowMs }: DashboardQuery): Promise<DashboardScenariosResponse> {
  const fetchValues = (query: string) =>
    prometheus.queryInstant(toPrometheusQuery(query, timeRanges[range]), nowMs / 1000);
  const { runs, slowest, flakiest } = scenarioQueries;
  const [counts, p95ById, flaky] = await Promise.all([
    fetchValues(runs.query),
    fetchValues(slowest.query),
    fetchValues(flakiest.query),
  ]);
  const runCounts = new Map(counts.map((series) => [getScenarioKey(series), getFirstValue(series)]));
  const row = (series: MetricSeries) => ({
    instance: getInstanceId(series),
    scenario: series.labels.scenario_id ?? '',
    runs: Math.round(runCounts.get(getScenarioKey(series)) ?? 0),
  });
  return {
    slowest: sortByValue(p95ById).map((series) => ({ ...row(series), mean_s: getFirstValue(series) })),
    flakiest: sortByValue(flaky).map((series) => {
      const changes = getFirstValue(series) * (runCounts.get(getScenarioKey(series)) ?? 0);
      return { ...row(series), changes: Math.round(changes) };
    }),
  };
}

function getScenarioKey({ labels }: MetricSeries): string {
  return `${labels.instance_id} ${labels.scenario_id}`;
}

function getFirstValue({ points }: MetricSeries): number {
  return points[0]?.[1] ?? 0;
}

function sortByValue(series: readonly MetricSeries[]): readonly MetricSeries[] {
  return series.filter(({ points }) => points.length > 0).sort((a, b) => getFirstValue(b) - getFirstValue(a));
}
