/** Every query of the dashboard, of Grafana's file and of the alerts, on a real Prometheus with known metrics. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openEngine } from '../../src/containers/engine.ts';
import { alertRules, formatAlertRules } from '../../src/dashboard/alerts.ts';
import { readInstances, readPanel, readScenarios } from '../../src/dashboard/dashboard-data.ts';
import { formatGrafanaDashboard } from '../../src/dashboard/grafana.ts';
import { fillQuery, instanceQueries, panels } from '../../src/dashboard/panels.ts';
import { createPrometheusClient, type PrometheusClient } from '../../src/dashboard/prometheus-client.ts';
import { formatPrometheusConfig } from '../../src/dashboard/prometheus-config.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { prometheusImage } from '../../src/onboarding/compose/stacks/observability-stack.ts';
import { eventually } from '../eventually.ts';
import { buildKnownMetrics } from './known-metrics.ts';

const environment = { variables: process.env, platform: process.platform };
const name = 'vp-test-panels';
/** A time that is on a step of every tested range. */
const endS = Math.floor(Date.now() / 1000 / 600) * 600;
const nowMs = endS * 1000;

async function startPrometheus(t: Test): Promise<PrometheusClient> {
  const engine = await openEngine(environment);
  const folder = mkdtempSync(join(tmpdir(), 'vp-panels-'));
  const clear = async () => {
    await engine.run(['rm', '--force', '--volumes', name]);
    await engine.run(['volume', 'rm', '--force', name]);
  };
  t.teardown(async () => {
    await clear();
    rmSync(folder, { recursive: true, force: true });
  });
  await clear();
  writeFileSync(join(folder, 'known.txt'), buildKnownMetrics(endS));
  writeFileSync(join(folder, 'alerts.yml'), formatAlertRules());
  const configOptions = { folder: '/given', dashboard: 'platform-dashboard:3000', hasControlPlane: true };
  writeFileSync(join(folder, 'prometheus.yml'), formatPrometheusConfig(configOptions));
  writeFileSync(join(folder, 'scrape.key'), 'vps_x');
  writeFileSync(join(folder, 'control-plane.key'), 'vps_y');
  const tool = ['run', '--rm', '--user', '0', '--volume', `${folder}:/given:ro`, '--volume', `${name}:/prometheus`];
  const promtool = [...tool, '--entrypoint', '/bin/promtool', prometheusImage];
  await engine.output([...promtool, 'check', 'config', '/given/prometheus.yml']);
  const blocks = ['tsdb', 'create-blocks-from', 'openmetrics', '/given/known.txt', '/prometheus'];
  await engine.output([...promtool, ...blocks], { timeoutMs: 120_000 });
  const args = ['--config.file=/given/prometheus.yml', '--storage.tsdb.path=/prometheus'];
  const run = [...tool.slice(2), '--detach', '--name', name, '--publish', '127.0.0.1::9090', prometheusImage, ...args];
  await engine.output(['run', ...run]);
  const port = /:(\d+)\s*$/m.exec(await engine.output(['port', name, '9090']))?.[1];
  const url = `http://127.0.0.1:${port}`;
  await eventually(() => fetch(`${url}/-/ready`), { timeoutMs: 60_000, until: ({ ok }) => ok });
  return createPrometheusClient({ url, fetch: (target, init) => fetch(target, init), clock: systemClock });
}

function isNear(actual: number | null | undefined, expected: number): boolean {
  return typeof actual === 'number' && Math.abs(actual - expected) <= Math.abs(expected) * 0.02 + 1e-9;
}

t.test('a real Prometheus with known metrics', async (t) => {
  const prometheus = await startPrometheus(t);
  const query = { prometheus, range: '1h', nowMs } as const;

  const expectedValues: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    runs: { runs: 12 },
    'pass-rate': { passed: 0.75 },
    duration: { p50: 0.1, p95: 0.25, p99: 0.5 },
    queue: { waiting: 3 },
    busy: { busy: 0.4 },
    health: { connected: 1 },
  };
  for (const panel of panels)
    await t.test(`${panel.title} is right at every point`, async (t) => {
      const { times, lines: allLines } = await readPanel(panel, query);
      const lines = allLines.filter(({ instance }) => instance !== 'fresh');
      t.equal(times.at(-1), endS);
      t.equal(lines.length, panel.lines.length);
      for (const { instance, label, values } of lines) {
        t.equal(instance, 'shop');
        const wrongValues = values.filter((value) => !isNear(value, expectedValues[panel.id]?.[label] ?? Number.NaN));
        t.same(wrongValues, [], `${label} of ${values.length} moments`);
      }
    });

  await t.test('the summary of the instance', async (t) => {
    const { instances, alerts } = await readInstances(query);
    const [shopRow, ...otherRows] = instances;
    t.same(otherRows, []);
    t.match(shopRow, { id: 'shop', state: 'connected', seen_ago_s: 1.5, queued: 3 });
    t.ok(
      isNear(shopRow?.runs, 720) && isNear(shopRow?.passed, 0.75) && isNear(shopRow?.p95_s, 0.25),
      JSON.stringify(shopRow),
    );
    t.same(alerts, []);
  });

  await t.test('runs of a new instance are counted from its registration', async (t) => {
    const values = { window: '2m', range: '3600s', rangeSeconds: '3600' };
    const series = await prometheus.queryInstant(fillQuery(instanceQueries.runs, values), endS);
    t.equal(series.find(({ labels }) => labels.instance_id === 'fresh')?.points[0]?.[1], 26);
  });

  await t.test('the slowest and the flakiest scenarios, including one that ran once', async (t) => {
    const { slowest, flakiest } = await readScenarios(query);
    t.same(
      slowest.map(({ scenario }) => scenario),
      ['S-once', 'S-steady', 'S-flaky'],
    );
    t.match(slowest[0], { runs: 1, mean_s: 7 });
    t.ok(isNear(slowest[1]?.mean_s, 2) && isNear(slowest[1]?.runs, 121), JSON.stringify(slowest[1]));
    t.match(flakiest, [{ scenario: 'S-flaky', instance: 'shop', runs: 120, changes: 30 }]);
  });

  await t.test('the queries of Grafana’s file', async (t) => {
    const filled = (query: string) =>
      query
        .replaceAll('$__rate_interval', '2m')
        .replaceAll('$__range_s', '3600')
        .replaceAll('$__range', '1h')
        .replaceAll('"$instance"', '"shop"');
    const exported: { title: string; targets: { expr: string }[] }[] = JSON.parse(formatGrafanaDashboard()).panels;
    const values = new Map<string, number[]>();
    for (const { title, targets } of exported)
      for (const { expr } of targets) {
        const series = await prometheus.queryInstant(filled(expr), endS);
        values.set(title, [...(values.get(title) ?? []), ...series.map(({ points }) => points[0]?.[1] ?? Number.NaN)]);
      }
    for (const [title, numbers] of [
      ['Runs per minute', [12]],
      ['Pass rate', [0.75]],
      ['Duration', [0.1, 0.25, 0.5]],
      ['Queue', [3]],
      ['Busy', [0.4]],
      ['Executor connected', [1]],
    ] as const)
      t.ok(
        numbers.every((number, index) => isNear(values.get(title)?.[index], number)),
        `${title}: ${values.get(title)}`,
      );
    t.equal(values.get('Slowest scenarios')?.length, 3);
    t.equal(values.get('Flakiest scenarios')?.length, 1);
  });

  await t.test('the queries of the alerts', async (t) => {
    const firing = new Map<string, number | undefined>();
    // This Prometheus scrapes no target, so that alert fires.
    for (const rule of alertRules.filter((alertRule) => alertRule.name !== 'VpScrapeFailed'))
      for (const { points } of await prometheus.queryInstant(rule.query, endS)) firing.set(rule.name, points[0]?.[1]);
    t.same([...firing], [['VpRunsNotJudged', 18]], 'one run in ten could not be judged');
    await t.rejects(prometheus.queryInstant('sum(', endS), { code: 'PROMETHEUS_STRANGE' });
  });

  await t.test('every range has results', async (t) => {
    for (const panel of panels)
      for (const range of ['6h', '24h', '7d', '30d'] as const) {
        const { lines: all } = await readPanel(panel, { ...query, range });
        const lines = all.filter(({ instance }) => instance !== 'fresh');
        // A step of 30 days is four hours: the last one may begin before the known metrics.
        const isEmpty = range === '30d' && lines.length === 0;
        t.ok(isEmpty || lines.length === panel.lines.length, `${panel.id} ${range}`);
      }
  });
});

t.setTimeout(180_000);
