/** From Prometheus' series to what the page shows. */
import type {
  DashboardRange,
  InstanceHealth,
  InstancesAnswer,
  PanelAnswer,
  ScenariosAnswer,
} from '../contract/dashboard-api.ts';
import { alertOf } from './alerts.ts';
import { alertsQuery, filled, instanceQueries, type Panel, scenarioQueries } from './panels.ts';
import type { Prometheus, Series } from './prometheus.ts';
import { type Span, spans } from './spans.ts';

/** What is asked, and the moment it is asked for. */
export type Asked = { readonly prometheus: Prometheus; readonly range: DashboardRange; readonly nowMs: number };

function questionOf(query: string, { rangeS, windowS }: Span): string {
  return filled(query, `${windowS}s`, `${rangeS}s`);
}

/** The moments of a chart. They lie on multiples of the step, so that everybody asks for the same ones. */
function momentsOf({ rangeS, stepS }: Span, nowMs: number) {
  const endS = Math.floor(nowMs / 1000 / stepS) * stepS;
  return { startS: endS - rangeS, endS, stepS };
}

/** The lines of a chart. Throws PROMETHEUS_AWAY, PROMETHEUS_STRANGE. */
export async function readPanel(panel: Panel, { prometheus, range, nowMs }: Asked): Promise<PanelAnswer> {
  const span = spans[range];
  const when = momentsOf(span, nowMs);
  const times: number[] = [];
  for (let atS = when.startS; atS <= when.endS; atS += when.stepS) times.push(atS);
  const lines = panel.lines.map(async ({ label, query }) => {
    const found = await prometheus.over(questionOf(query, span), when);
    return found.map((series) => ({ instance: instanceOf(series), label, values: valuesAt(times, series) }));
  });
  return { times, lines: (await Promise.all(lines)).flat() };
}

function valuesAt(times: readonly number[], { points }: Series): (number | null)[] {
  const byTime = new Map(points);
  return times.map((atS) => byTime.get(atS) ?? null);
}

function instanceOf({ labels }: Series): string {
  return labels.instance_id ?? '';
}

/** Instances as they are now, and what is wrong. Throws as `readPanel`. */
export async function readInstances({ prometheus, range, nowMs }: Asked): Promise<InstancesAnswer> {
  const ask = async (query: string): Promise<Map<string, number>> => {
    const found = await prometheus.now(questionOf(query, spans[range]), nowMs / 1000);
    return new Map(found.flatMap((series) => series.points.map(([, value]) => [instanceOf(series), value] as const)));
  };
  const { known, connected, seenAgo, queued, runs, passed, p95 } = instanceQueries;
  const [all, here, seen, waiting, count, share, slow] = await Promise.all(
    [known, connected, seenAgo, queued, runs, passed, p95].map(ask),
  );
  const instances = [...(all?.keys() ?? [])].sort().map((id) => ({
    id,
    state: healthOf(here?.get(id)),
    seen_ago_s: seen?.get(id) ?? null,
    queued: waiting?.get(id) ?? null,
    runs: count?.get(id) ?? null,
    passed: share?.get(id) ?? null,
    p95_s: slow?.get(id) ?? null,
  }));
  const alerts = (await prometheus.now(alertsQuery, nowMs / 1000)).map(({ labels }) => alertOf(labels));
  return { instances, alerts, at: new Date(nowMs).toISOString() };
}

function healthOf(connected: number | undefined): InstanceHealth {
  if (connected === undefined) return 'silent';
  return connected > 0 ? 'connected' : 'disconnected';
}

/** Scenarios that are worth a look. Throws as `readPanel`. */
export async function readScenarios({ prometheus, range, nowMs }: Asked): Promise<ScenariosAnswer> {
  const ask = (query: string) => prometheus.now(questionOf(query, spans[range]), nowMs / 1000);
  const { runs, slowest, flakiest } = scenarioQueries;
  const [counts, slow, flaky] = await Promise.all([ask(runs.query), ask(slowest.query), ask(flakiest.query)]);
  const runsOf = new Map(counts.map((series) => [keyOf(series), firstOf(series)]));
  const row = (series: Series) => ({
    instance: instanceOf(series),
    scenario: series.labels.scenario_id ?? '',
    runs: Math.round(runsOf.get(keyOf(series)) ?? 0),
  });
  return {
    slowest: sorted(slow).map((series) => ({ ...row(series), mean_s: firstOf(series) })),
    flakiest: sorted(flaky).map((series) => {
      const changes = firstOf(series) * (runsOf.get(keyOf(series)) ?? 0);
      return { ...row(series), changes: Math.round(changes) };
    }),
  };
}

function keyOf({ labels }: Series): string {
  return `${labels.instance_id} ${labels.scenario_id}`;
}

function firstOf({ points }: Series): number {
  return points[0]?.[1] ?? 0;
}

function sorted(series: readonly Series[]): readonly Series[] {
  return series.filter(({ points }) => points.length > 0).sort((a, b) => firstOf(b) - firstOf(a));
}
