import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import { openMetrics } from '../../../src/metrics/metrics.ts';
import { createMeasuredControl } from '../../../src/server/runs/measured-control.ts';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';
import { openTestAudit } from '../../hub/audit/test-audit.ts';
import { createVariantServer, registerInstance, startHttpExecutor, startTestServer } from '../test-server.ts';

t.test('liveness and readiness are open', async (t) => {
  const api = await startTestServer(t);
  t.same(await (await api.ask('GET', '/healthz', undefined, null)).json(), { status: 'ok' });
  t.same(await (await api.ask('GET', '/readyz', undefined, null)).json(), {
    status: 'ready',
    clock: 'settled',
    store: { engine: 'sqlite' },
  });
});

t.test('a failing store makes it not ready, with the code and no path', async (t) => {
  const real = await startTestServer(t);
  const { control } = real;
  const ready = async () => {
    throw vpError('STORE_UNUSABLE', { file: '/var/lib/vp/control.db' });
  };
  const api = createVariantServer(real, { control: { ...control, gauges: { ...control.gauges, ready } } });
  const response = await api.ask('GET', '/readyz', undefined, null);
  t.equal(response.status, 503);
  t.same(await response.json(), { status: 'not ready', reason: 'STORE_UNUSABLE', store: { engine: 'sqlite' } });
});

t.test('a control plane is not ready while calls are refused because they cannot be recorded', async (t) => {
  const noSpace = { minFreeBytes: Number.MAX_SAFE_INTEGER };
  for (const [settings, status, expected] of [
    [{}, 200, { status: 'ready', audit: 'recording' }],
    [noSpace, 503, { status: 'not ready', reason: 'AUDIT_UNAVAILABLE', audit: 'refusing' }],
    [{ ...noSpace, whenUnwritable: 'continue' }, 200, { status: 'ready', audit: 'gaps' }],
  ] as const)
    await t.test(expected.audit, async (t) => {
      const server = await startTestServer(t);
      const folder = join(t.testdirName, 'audit');
      mkdirSync(folder);
      const { audit } = await openTestAudit(t, settings, { folder });
      await audit.syncToDisk();
      const api = createVariantServer(server, { getAuditAvailability: () => audit.availability });
      const response = await api.ask('GET', '/readyz', undefined, null);
      t.equal(response.status, status);
      t.match(await response.json(), expected);
    });
});

t.test('metrics contain requests by route template, queues and results', async (t) => {
  const metrics = await openMetrics();
  const real = await startTestServer(t);
  const api = createVariantServer(real, { control: createMeasuredControl(real.control, metrics), metrics });
  const { ask } = api;
  const { executor_key } = await (await ask('POST', '/api/v1/instances', { instance_id: 'sign-dev' })).json();
  await ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-GET-document', { text: createScenarioText() });
  const scenarios = Array.from({ length: 3 }, () => ({ id: 'RT-GET-document' }));
  await ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios });
  await ask('GET', '/secret/path');
  const executor = await startHttpExecutor(api, executor_key);
  const lease = await executor.poll();
  await executor.complete(lease, createTestReport(lease, 'sign-dev', 'failed'));
  const scraped = await ask('GET', '/metrics', undefined, api.scrape);
  t.match(scraped.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  const text = await scraped.text();
  for (const line of [
    'vp_http_requests_total{route="/api/v1/instances",method="POST",status_class="2xx"} 1',
    'vp_http_requests_total{route="unknown",method="GET",status_class="4xx"} 1',
    'vp_http_request_duration_seconds_count{route="/api/v1/executor/poll"} 1',
    'vp_queue_runs{instance_id="sign-dev",state="queued"} 2',
    'vp_queue_runs{instance_id="sign-dev",state="in_progress"} 0',
    'vp_runs_total{result="failed"} 1',
    'vp_runs_requested_total 3',
    'vp_run_duration_seconds_count{result="failed"} 1',
    'vp_run_queued_seconds_count 1',
    'vp_store_up{engine="sqlite"} 1',
  ]) {
    t.ok(text.includes(`${line}\n`), line);
  }
  t.notMatch(text, /secret/);
});

t.test('without metrics the page is empty', async (t) => {
  const api = await startTestServer(t);
  await registerInstance(api);
  const response = await api.ask('GET', '/metrics');
  t.equal(await response.text(), '');
});
