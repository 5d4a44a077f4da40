/** Every question of the dashboard, of Grafana's file and of the alerts, asked of a real Prometheus with known metrics in it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openEngine } from '../../src/containers/engine.ts';
import { alertRules, alertsText } from '../../src/dashboard/alerts.ts';
import { grafanaText } from '../../src/dashboard/grafana.ts';
import { panels } from '../../src/dashboard/panels.ts';
import { openPrometheus, type Prometheus } from '../../src/dashboard/prometheus.ts';
import { prometheusConfigText } from '../../src/dashboard/prometheus-config.ts';
import { readInstances, readPanel, readScenarios } from '../../src/dashboard/read.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { prometheusImage } from '../../src/onboarding/stacks/observability.ts';
import { knownMetrics } from './known-metrics.ts';

const place = { variables: process.env, platform: process.platform };
const name = 'vp-test-panels';
/** A moment that lies on a step of every range that is looked at here. */
const endS = Math.floor(Date.now() / 1000 / 600) * 600;
const nowMs = endS * 1000;

async function started(t: Test): Promise<Prometheus> {
  const engine = await openEngine(place);
  const folder = mkdtempSync(join(tmpdir(), 'vp-panels-'));
  const clear = async () => {
    await engine.attempt(['rm', '--force', '--volumes', name]);
    await engine.attempt(['volume', 'rm', '--force', name]);
  };
  t.teardown(async () => {
    await clear();
    rmSync(folder, { recursive: true, force: true });
  });
  await clear();
  writeFileSync(join(folder, 'known.txt'), knownMetrics(endS));
  writeFileSync(join(folder, 'alerts.yml'), alertsText());
  const given = { folder: '/given', dashboard: 'platform-dashboard:3000', hasControlPlane: true };
  writeFileSync(join(folder, 'prometheus.yml'), prometheusConfigText(given));
  writeFileSync(join(folder, 'scrape.key'), 'vps_x');
  writeFileSync(join(folder, 'control-plane.key'), 'vps_y');
  const tool = ['run', '--rm', '--user', '0', '--volume', `${folder}:/given:ro`, '--volume', `${name}:/prometheus`];
  const promtool = [...tool, '--entrypoint', '/bin/promtool', prometheusImage];
  await engine.output([...promtool, 'check', 'config', '/given/prometheus.yml']);
  const blocks = ['tsdb', 'create-blocks-from', 'openmetrics', '/given/known.txt', '/prometheus'];
  await engine.output([...promtool, ...blocks], { timeoutMs: 120_000 });
  const words = ['--config.file=/given/prometheus.yml', '--storage.tsdb.path=/prometheus'];
  const run = [...tool.slice(2), '--detach', '--name', name, '--publish', '127.0.0.1::9090', prometheusImage, ...words];
  await engine.output(['run', ...run]);
  const port = /:(\d+)\s*$/m.exec(await engine.output(['port', name, '9090']))?.[1];
  const url = `http://127.0.0.1:${port}`;
  const until = Date.now() + 60_000;
  while (
    Date.now() < until &&
    !(await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 200));
  return openPrometheus({ url, fetch: (to, init) => fetch(to, init), clock: systemClock });
}

function isNear(actual: number | null | undefined, wanted: number): boolean {
  return typeof actual === 'number' && Math.abs(actual - wanted) <= Math.abs(wanted) * 0.02 + 1e-9;
}

t.test('a real Prometheus with known metrics', async (t) => {
  const prometheus = await started(t);
  const asked = { prometheus, range: '1h', nowMs } as const;

  const wanted: Readonly<Record<string, Readonly<Record<string, number>>>> = {
    runs: { runs: 12 },
    'pass-rate': { passed: 0.75 },
    duration: { p50: 0.1, p95: 0.25, p99: 0.5 },
    queue: { waiting: 3 },
    busy: { busy: 0.4 },
    health: { connected: 1 },
  };
  for (const panel of panels)
    await t.test(`${panel.title} is right at every moment`, async (t) => {
      const { times, lines } = await readPanel(panel, asked);
      t.equal(times.at(-1), endS);
      t.equal(lines.length, panel.lines.length);
      for (const { instance, label, values } of lines) {
        t.equal(instance, 'shop');
        const odd = values.filter((value) => !isNear(value, wanted[panel.id]?.[label] ?? Number.NaN));
        t.same(odd, [], `${label} of ${values.length} moments`);
      }
    });

  await t.test('the instance in a line', async (t) => {
    const { instances, alerts } = await readInstances(asked);
    const [shop, ...others] = instances;
    t.same(others, []);
    t.match(shop, { id: 'shop', state: 'connected', seen_ago_s: 1.5, queued: 3 });
    t.ok(isNear(shop?.runs, 720) && isNear(shop?.passed, 0.75) && isNear(shop?.p95_s, 0.25), JSON.stringify(shop));
    t.same(alerts, []);
  });

  await t.test('the slowest and the flakiest scenarios, with one that ran a single time', async (t) => {
    const { slowest, flakiest } = await readScenarios(asked);
    t.same(
      slowest.map(({ scenario }) => scenario),
      ['S-once', 'S-steady', 'S-flaky'],
    );
    t.match(slowest[0], { runs: 1, mean_s: 7 });
    t.ok(isNear(slowest[1]?.mean_s, 2) && isNear(slowest[1]?.runs, 121), JSON.stringify(slowest[1]));
    t.match(flakiest, [{ scenario: 'S-flaky', instance: 'shop', runs: 120, changes: 30 }]);
  });

  await t.test('the questions of Grafana’s file', async (t) => {
    const filled = (query: string) =>
      query.replaceAll('$__rate_interval', '2m').replaceAll('$__range', '1h').replaceAll('"$instance"', '".*"');
    const exported: { title: string; targets: { expr: string }[] }[] = JSON.parse(grafanaText()).panels;
    const values = new Map<string, number[]>();
    for (const { title, targets } of exported)
      for (const { expr } of targets) {
        const series = await prometheus.now(filled(expr), endS);
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

  await t.test('the questions of the alerts', async (t) => {
    const on = new Map<string, number | undefined>();
    // This Prometheus scrapes nobody, which it tells of.
    for (const rule of alertRules.filter((one) => one.name !== 'VpScrapeFailed'))
      for (const { points } of await prometheus.now(rule.query, endS)) on.set(rule.name, points[0]?.[1]);
    t.same([...on], [['VpRunsNotJudged', 18]], 'one run in ten could not be judged');
    await t.rejects(prometheus.now('sum(', endS), { code: 'PROMETHEUS_STRANGE' });
  });

  await t.test('and every range is answered', async (t) => {
    for (const panel of panels)
      for (const range of ['6h', '24h', '7d', '30d'] as const) {
        const { lines } = await readPanel(panel, { ...asked, range });
        // A step of 30 days is four hours: the last one may begin before what is known does.
        const isEmpty = range === '30d' && lines.length === 0;
        t.ok(isEmpty || lines.length === panel.lines.length, `${panel.id} ${range}`);
      }
  });
});

t.setTimeout(180_000);
