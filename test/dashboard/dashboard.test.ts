import { request } from 'node:http';
import t, { type Test } from 'tap';
import { dashboardRanges } from '../../src/contract/dashboard-api.ts';
import { panels } from '../../src/dashboard/panels.ts';
import { createWorkspace, type RunningCommand } from '../commands/test-workspace.ts';
import { eventually } from '../eventually.ts';
import { createRootCertificate } from '../targets/certificates.ts';
import { startHttpTarget } from '../targets/http-target.ts';
import { type FakeSeries, startFakePrometheus } from './fake-prometheus.ts';

const unreachableUrl = 'http://127.0.0.1:1';
/** In the folder of the file: the workspace of a test empties that of the test. */
const root = createRootCertificate(t.testdir());

async function readUrl({ written, ended }: RunningCommand): Promise<string> {
  const output = eventually(() => written.stdout, {
    until: (text) => text.includes('\n'),
    description: 'the first line',
  });
  const exitCode = await Promise.race([ended, output.then(() => undefined)]);
  if (exitCode !== undefined) throw new Error(`ended with ${exitCode}: ${written.stderr}`);
  return JSON.parse(written.stdout).url;
}

async function startDashboard(t: Test, prometheus: string, extraArgs: readonly string[] = []) {
  const testWorkspace = createWorkspace(t, unreachableUrl);
  const command = testWorkspace.start(['dashboard', '--json', '--port', '0', '--prometheus', prometheus, ...extraArgs]);
  t.teardown(() => {
    command.interrupt();
    return command.ended;
  });
  const address = await readUrl(command);
  const get = async (path: string) => {
    const response = await fetch(`${address}${path}`);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return { address, get, testWorkspace };
}

/** Sends a request with another Host header. */
function fetchAs(address: string, path: string, host: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${address}${path}`, { headers: { host, authorization: 'Bearer vps_key' } }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    call.on('error', reject);
    call.end();
  });
}

const respondWith =
  (value: number, labels: Record<string, string> = { instance_id: 'shop' }) =>
  (): FakeSeries[] => [{ labels, valueAt: () => value }];

t.test('a panel is requested by name and range, with points at aligned times', async (t) => {
  const prometheus = await startFakePrometheus(t, (query) =>
    query.includes('0.99')
      ? [{ labels: { instance_id: 'shop' }, valueAt: (atS) => (atS % 60 ? Number.NaN : 2) }]
      : respondWith(1)(),
  );
  const { get } = await startDashboard(t, prometheus.origin);
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
  t.same(new Set(body.lines[2].values), new Set([null, 2]), 'values that are not numbers are omitted');
  const [query] = prometheus.queries;
  t.match(query?.parameters, { step: '30', query: /\[120s\]/ });
  t.equal(Number(query?.parameters.start) % 30, 0, 'the range is aligned to the step');
});

t.test('every range has at most 200 points', async (t) => {
  const prometheus = await startFakePrometheus(t, respondWith(1));
  const { get } = await startDashboard(t, prometheus.origin);
  for (const range of dashboardRanges) {
    const { body } = await get(`/api/panels/runs?range=${range}`);
    t.ok(body.times.length > 100 && body.times.length <= 200, `${range}: ${body.times.length}`);
  }
});

t.test('concurrent pages share one Prometheus query', async (t) => {
  const prometheus = await startFakePrometheus(t, respondWith(1));
  const { get } = await startDashboard(t, prometheus.origin);
  await Promise.all(Array.from({ length: 20 }, () => get('/api/panels/runs?range=1h')));
  t.equal(prometheus.queries.length, 1);
});

t.test('the browser sends a panel and a range, never a query', async (t) => {
  const prometheus = await startFakePrometheus(t, respondWith(1));
  const { get } = await startDashboard(t, prometheus.origin);
  for (const path of [
    '/api/panels/up?range=1h',
    '/api/panels/runs',
    '/api/panels/runs?range=2h',
    '/api/panels/runs?range=1h&query=up',
    '/api/query?query=up',
    '/api/v1/query?query=up',
  ])
    t.ok([400, 404, 422].includes((await get(path)).status), path);
  t.same(prometheus.queries, []);
});

t.test('current instances, with described alerts', async (t) => {
  const prometheus = await startFakePrometheus(t, (query) => {
    const toSeries = (values: Record<string, number>): FakeSeries[] =>
      Object.entries(values).map(([instance_id, value]) => ({ labels: { instance_id }, valueAt: () => value }));
    if (query.startsWith('ALERTS'))
      return [
        ...respondWith(1, { alertname: 'VpExecutorAway', alertstate: 'firing', instance_id: 'b' })(),
        ...respondWith(1, { alertname: 'SomeoneElses', alertstate: 'firing' })(),
      ];
    if (query.includes('last_over_time')) return toSeries({ b: 1, a: 1, c: 0 });
    if (query === 'max by (instance_id) (vp_executor_connected)') return toSeries({ a: 1, c: 0 });
    if (query.includes('seen_ago')) return toSeries({ b: 200 });
    return [];
  });
  const { get } = await startDashboard(t, prometheus.origin);
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
  const scenario = (id: string, value: number) => respondWith(value, { instance_id: 'shop', scenario_id: id })();
  const prometheus = await startFakePrometheus(t, (query) => {
    if (query.startsWith('topk') && query.includes('result_changes')) return scenario('S-2', 0.25);
    if (query.startsWith('topk')) return [...scenario('S-1', 0.5), ...scenario('S-2', 3)];
    return [...scenario('S-1', 10), ...scenario('S-2', 8.02)];
  });
  const { get } = await startDashboard(t, prometheus.origin);
  const { body } = await get('/api/scenarios?range=1h');
  t.same(body, {
    slowest: [
      { instance: 'shop', scenario: 'S-2', runs: 8, mean_s: 3 },
      { instance: 'shop', scenario: 'S-1', runs: 10, mean_s: 0.5 },
    ],
    flakiest: [{ instance: 'shop', scenario: 'S-2', runs: 8, changes: 2 }],
  });
});

t.test('an unavailable Prometheus is reported with time, reason and fix, until it is back', async (t) => {
  const prometheus = await startFakePrometheus(t, respondWith(1));
  const closedTarget = await startHttpTarget((_request, response) => response.end());
  await closedTarget.close();
  const { get, address } = await startDashboard(t, closedTarget.origin);
  const first = await get('/api/instances?range=1h');
  t.match(first, {
    status: 502,
    body: { code: 'PROMETHEUS_AWAY', cure: /docker compose -p platform-obs start prometheus/ },
  });
  t.match(first.body.detail, 'ECONNREFUSED');
  const second = await get('/api/panels/runs?range=1h');
  t.equal(second.body.values.since, first.body.values.since, 'since the first failure');
  t.equal((await fetch(`${address}/healthz`)).status, 200, 'the dashboard itself is healthy');
  prometheus.handler = (_request, response) => response.writeHead(503).end('starting');
  const { get: other } = await startDashboard(t, prometheus.origin);
  t.match(await other('/api/instances?range=1h'), { body: { code: 'PROMETHEUS_AWAY' } });
  prometheus.handler = (_request, response) => response.end('<html>');
  t.match(await other('/api/instances?range=1h'), { body: { code: 'PROMETHEUS_STRANGE' } });
  prometheus.handler = (_request, response) => response.end('{"status":"success","data":{"result":[]}}');
  t.match(await other('/api/instances?range=1h'), { status: 200, body: { instances: [] } });
});

t.test('a Prometheus with a certificate of a private authority is trusted with --ca', async (t) => {
  const prometheus = await startFakePrometheus(t, respondWith(1), root.leaf('localhost'));
  const url = prometheus.origin.replace('127.0.0.1', 'localhost');
  const { get } = await startDashboard(t, url);
  const refused = await get('/api/instances?range=1h');
  t.match(refused.body, {
    code: 'PROMETHEUS_AWAY',
    detail: /not trusted here.*start the dashboard with --ca <file.pem>/,
  });
  const { get: trusting } = await startDashboard(t, url, ['--ca', root.file]);
  t.equal((await trusting('/api/instances?range=1h')).status, 200);
});

t.test('requests for other host names are refused', async (t) => {
  const { address, testWorkspace } = await startDashboard(t, unreachableUrl, [
    '--public-url',
    'https://obs.example.com',
  ]);
  t.equal((await fetchAs(address, '/healthz', 'evil.example')).status, 421);
  t.equal((await fetchAs(address, '/healthz', 'obs.example.com')).status, 200);
  t.equal((await fetchAs(address, '/relay/metrics', '127.0.0.1')).status, 404);
  const open = await testWorkspace.vp(['dashboard', '--host', '0.0.0.0', '--json']);
  t.equal(open.code, 2);
  t.match(open.stderr + open.stdout, 'DASHBOARD_EXPOSED');
  const query = await testWorkspace.vp(['dashboard', '--prometheus', 'prometheus:9090']);
  t.match(query, { code: 2, stderr: /--prometheus is not an http or https URL/ });
});

t.test('Prometheus reaches the metrics of the control plane with its own key, and nothing else', async (t) => {
  const plane = await startHttpTarget((_request, response, { rawHeaders, url }) =>
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${url} ${rawHeaders.join(' ')}`),
  );
  const extraArgs = ['--control-plane', `${plane.origin}/`, '--host-name', 'platform-dashboard'];
  const { address } = await startDashboard(t, unreachableUrl, extraArgs);
  const relayed = await fetchAs(address, '/relay/metrics', 'platform-dashboard:3000');
  t.equal(relayed.status, 200);
  t.match(relayed.body, /^\/metrics .*Bearer vps_key/);
  t.equal((await fetchAs(address, '/', 'platform-dashboard:3000')).status, 404, 'no page with that host name');
  t.equal((await fetchAs(address, '/api/panels', 'platform-dashboard:3000')).status, 404);
  await plane.close();
  const unavailable = await fetchAs(address, '/relay/metrics', 'platform-dashboard');
  t.equal(unavailable.status, 502);
  t.match(unavailable.body, 'RELAY_AWAY');
});

t.test('--health checks the running dashboard', async (t) => {
  const { address, testWorkspace } = await startDashboard(t, unreachableUrl);
  const { port } = new URL(address);
  t.match(await testWorkspace.vp(['dashboard', '--health', '--host', '0.0.0.0', '--port', port]), { code: 0 });
  const closedTarget = await startHttpTarget((_request, response) => response.end());
  await closedTarget.close();
  const notRunning = await testWorkspace.vp(['dashboard', '--health', '--port', new URL(closedTarget.origin).port]);
  t.match(notRunning, { code: 4, stderr: /dashboard/ });
});
