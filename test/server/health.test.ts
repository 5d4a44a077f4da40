import t from 'tap';
import { vpError } from '../../src/errors/vp-error.ts';
import { openMetrics } from '../../src/metrics/metrics.ts';
import { measuredControl } from '../../src/server/measured-control.ts';
import { aReport, aScenario } from '../control/a-report.ts';
import { hello, register, served, servedAgain } from './served.ts';

t.test('it lives and is ready, for anyone', async (t) => {
  const api = await served(t);
  t.same(await (await api.ask('GET', '/healthz', undefined, null)).json(), { status: 'ok' });
  t.same(await (await api.ask('GET', '/readyz', undefined, null)).json(), { status: 'ready' });
});

t.test('a store that does not answer makes it not ready, without a word why', async (t) => {
  const real = await served(t);
  const { control } = real;
  const ready = async () => {
    throw vpError('STORE_UNUSABLE', { file: '/var/lib/vp/control.db' });
  };
  const api = servedAgain(real, { control: { ...control, gauges: { ...control.gauges, ready } } });
  const response = await api.ask('GET', '/readyz', undefined, null);
  t.equal(response.status, 503);
  t.same(await response.json(), { status: 'not ready' });
});

t.test('metrics tell requests by route template, queues and results', async (t) => {
  const metrics = await openMetrics();
  const real = await served(t);
  const api = servedAgain(real, { control: measuredControl(real.control, metrics), metrics });
  const { ask } = api;
  const { executor_key } = await (await ask('POST', '/api/v1/instances', { instance_id: 'sign-dev' })).json();
  await ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-GET-document', { text: aScenario() });
  const scenarios = Array.from({ length: 3 }, () => ({ id: 'RT-GET-document' }));
  await ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios });
  await ask('GET', '/secret/path');
  const executor = await hello(api, executor_key);
  const lease = await executor.poll();
  await executor.complete(lease, aReport(lease, 'sign-dev', 'failed'));
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
  ]) {
    t.ok(text.includes(`${line}\n`), line);
  }
  t.notMatch(text, /secret/);
});

t.test('without metrics the page is empty', async (t) => {
  const api = await served(t);
  await register(api);
  const response = await api.ask('GET', '/metrics');
  t.equal(await response.text(), '');
});
