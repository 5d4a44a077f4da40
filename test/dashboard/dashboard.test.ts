import { request } from 'node:http';
import t, { type Test } from 'tap';
import { dashboardRanges } from '../../src/contract/dashboard-api.ts';
import { panels } from '../../src/dashboard/panels.ts';
import { type Started, workspace } from '../commands/workspace.ts';
import { httpTarget } from '../targets/http-target.ts';
import { fakePrometheus, type Told } from './fake-prometheus.ts';

const nowhere = 'http://127.0.0.1:1';

async function url({ written, ended }: Started): Promise<string> {
  while (!written.stdout.includes('\n')) {
    const end = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10, undefined))]);
    if (end !== undefined) throw new Error(`ended with ${end}: ${written.stderr}`);
  }
  return JSON.parse(written.stdout).url;
}

async function serving(t: Test, prometheus: string, more: readonly string[] = []) {
  const house = workspace(t, nowhere);
  const started = house.start(['dashboard', '--json', '--port', '0', '--prometheus', prometheus, ...more]);
  t.teardown(() => {
    started.interrupt();
    return started.ended;
  });
  const address = await url(started);
  const get = async (path: string) => {
    const answer = await fetch(`${address}${path}`);
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  return { address, get, house };
}

/** A call under another name than that of the listener. */
function named(address: string, path: string, host: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${address}${path}`, { headers: { host, authorization: 'Bearer vps_key' } }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => {
        body += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    call.on('error', reject);
    call.end();
  });
}

const one =
  (value: number, labels: Record<string, string> = { instance_id: 'shop' }) =>
  (): Told[] => [{ labels, at: () => value }];

t.test('a panel is asked for by name and range, and answered on shared moments', async (t) => {
  const prometheus = await fakePrometheus(t, (query) =>
    query.includes('0.99') ? [{ labels: { instance_id: 'shop' }, at: (atS) => (atS % 60 ? Number.NaN : 2) }] : one(1)(),
  );
  const { get } = await serving(t, prometheus.origin);
  const { body: list } = await get('/api/panels');
  t.same(
    list.panels.map(({ id }: { id: string }) => id),
    panels.map(({ id }) => id),
  );
  const { status, body } = await get('/api/panels/duration?range=1h');
  t.equal(status, 200);
  t.equal(body.times.length, 121);
  t.same(
    body.lines.map(({ label }: { label: string }) => label),
    ['p50', 'p95', 'p99'],
  );
  t.same(new Set(body.lines[2].values), new Set([null, 2]), 'what is no number is left out');
  const [question] = prometheus.questions;
  t.match(question?.parameters, { step: '30', query: /\[120s\]/ });
  t.equal(Number(question?.parameters.start) % 30, 0, 'everybody asks for the same moments');
});

t.test('every range has at most 200 points', async (t) => {
  const prometheus = await fakePrometheus(t, one(1));
  const { get } = await serving(t, prometheus.origin);
  for (const range of dashboardRanges) {
    const { body } = await get(`/api/panels/runs?range=${range}`);
    t.ok(body.times.length > 100 && body.times.length <= 200, `${range}: ${body.times.length}`);
  }
});

t.test('many pages ask Prometheus once', async (t) => {
  const prometheus = await fakePrometheus(t, one(1));
  const { get } = await serving(t, prometheus.origin);
  await Promise.all(Array.from({ length: 20 }, () => get('/api/panels/runs?range=1h')));
  t.equal(prometheus.questions.length, 1);
});

t.test('the browser names a panel and a range, never a query', async (t) => {
  const prometheus = await fakePrometheus(t, one(1));
  const { get } = await serving(t, prometheus.origin);
  for (const path of [
    '/api/panels/up?range=1h',
    '/api/panels/runs',
    '/api/panels/runs?range=2h',
    '/api/panels/runs?range=1h&query=up',
    '/api/query?query=up',
    '/api/v1/query?query=up',
  ])
    t.ok([400, 404, 422].includes((await get(path)).status), path);
  t.same(prometheus.questions, []);
});

t.test('instances as they are, with alerts in words', async (t) => {
  const prometheus = await fakePrometheus(t, (query) => {
    const of = (values: Record<string, number>): Told[] =>
      Object.entries(values).map(([instance_id, value]) => ({ labels: { instance_id }, at: () => value }));
    if (query.startsWith('ALERTS'))
      return [
        ...one(1, { alertname: 'VpExecutorAway', alertstate: 'firing', instance_id: 'b' })(),
        ...one(1, { alertname: 'SomeoneElses', alertstate: 'firing' })(),
      ];
    if (query.includes('last_over_time')) return of({ b: 1, a: 1, c: 0 });
    if (query === 'max by (instance_id) (vp_executor_connected)') return of({ a: 1, c: 0 });
    if (query.includes('seen_ago')) return of({ b: 200 });
    return [];
  });
  const { get } = await serving(t, prometheus.origin);
  const { body } = await get('/api/instances?range=24h');
  t.match(body.instances, [
    { id: 'a', state: 'connected', seen_ago_s: null },
    { id: 'b', state: 'silent', seen_ago_s: 200 },
    { id: 'c', state: 'disconnected' },
  ]);
  t.match(body.alerts, [
    { name: 'VpExecutorAway', instance: 'b', severity: 'critical', summary: /^The executor of b /, cure: /-inst-b ps/ },
    { name: 'SomeoneElses', instance: null, cure: /9095/ },
  ]);
});

t.test('scenarios with their runs', async (t) => {
  const scenario = (id: string, value: number) => one(value, { instance_id: 'shop', scenario_id: id })();
  const prometheus = await fakePrometheus(t, (query) => {
    if (query.startsWith('topk') && query.includes('result_changes')) return scenario('S-2', 0.25);
    if (query.startsWith('topk')) return [...scenario('S-1', 0.5), ...scenario('S-2', 3)];
    return [...scenario('S-1', 10), ...scenario('S-2', 8.02)];
  });
  const { get } = await serving(t, prometheus.origin);
  const { body } = await get('/api/scenarios?range=1h');
  t.same(body, {
    slowest: [
      { instance: 'shop', scenario: 'S-2', runs: 8, mean_s: 3 },
      { instance: 'shop', scenario: 'S-1', runs: 10, mean_s: 0.5 },
    ],
    flakiest: [{ instance: 'shop', scenario: 'S-2', runs: 8, changes: 2 }],
  });
});

t.test('Prometheus away: since when, why, and what to do; back again it is forgotten', async (t) => {
  const prometheus = await fakePrometheus(t, one(1));
  const silent = await httpTarget((_request, response) => response.end());
  await silent.close();
  const { get, address } = await serving(t, silent.origin);
  const first = await get('/api/instances?range=1h');
  t.match(first, {
    status: 502,
    body: { code: 'PROMETHEUS_AWAY', cure: /docker compose -p platform-obs start prometheus/ },
  });
  t.match(first.body.detail, 'ECONNREFUSED');
  const second = await get('/api/panels/runs?range=1h');
  t.equal(second.body.values.since, first.body.values.since, 'since the first failure');
  t.equal((await fetch(`${address}/healthz`)).status, 200, 'the dashboard itself is well');
  prometheus.answer = (_request, response) => response.writeHead(503).end('starting');
  const { get: other } = await serving(t, prometheus.origin);
  t.match(await other('/api/instances?range=1h'), { body: { code: 'PROMETHEUS_AWAY' } });
  prometheus.answer = (_request, response) => response.end('<html>');
  t.match(await other('/api/instances?range=1h'), { body: { code: 'PROMETHEUS_STRANGE' } });
  prometheus.answer = (_request, response) => response.end('{"status":"success","data":{"result":[]}}');
  t.match(await other('/api/instances?range=1h'), { status: 200, body: { instances: [] } });
});

t.test('others than this machine are not answered', async (t) => {
  const { address, house } = await serving(t, nowhere, ['--public-url', 'https://obs.example.com']);
  t.equal((await named(address, '/healthz', 'evil.example')).status, 421);
  t.equal((await named(address, '/healthz', 'obs.example.com')).status, 200);
  t.equal((await named(address, '/relay/metrics', '127.0.0.1')).status, 404);
  const open = await house.vp(['dashboard', '--host', '0.0.0.0', '--json']);
  t.equal(open.code, 2);
  t.match(open.stderr + open.stdout, 'DASHBOARD_EXPOSED');
  const query = await house.vp(['dashboard', '--prometheus', 'prometheus:9090']);
  t.match(query, { code: 2, stderr: /--prometheus is no http address/ });
});

t.test('Prometheus is led on to the control plane with its own key, and to nothing else', async (t) => {
  const plane = await httpTarget((_request, response, { rawHeaders, url }) =>
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${url} ${rawHeaders.join(' ')}`),
  );
  const more = ['--control-plane', `${plane.origin}/`, '--host-name', 'platform-dashboard'];
  const { address } = await serving(t, nowhere, more);
  const led = await named(address, '/relay/metrics', 'platform-dashboard:3000');
  t.equal(led.status, 200);
  t.match(led.body, /^\/metrics .*Bearer vps_key/);
  t.equal((await named(address, '/', 'platform-dashboard:3000')).status, 404, 'no page under that name');
  t.equal((await named(address, '/api/panels', 'platform-dashboard:3000')).status, 404);
  await plane.close();
  const away = await named(address, '/relay/metrics', 'platform-dashboard');
  t.equal(away.status, 502);
  t.match(away.body, 'RELAY_AWAY');
});

t.test('its health is asked of the running one', async (t) => {
  const { address, house } = await serving(t, nowhere);
  const { port } = new URL(address);
  t.match(await house.vp(['dashboard', '--health', '--host', '0.0.0.0', '--port', port]), { code: 0 });
  const silent = await httpTarget((_request, response) => response.end());
  await silent.close();
  const none = await house.vp(['dashboard', '--health', '--port', new URL(silent.origin).port]);
  t.match(none, { code: 4, stderr: /dashboard/ });
});
