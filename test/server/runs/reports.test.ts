import t from 'tap';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';
import { registerInstance, startHttpExecutor, startTestServer, type TestServer } from '../test-server.ts';

/** Runs one scenario and gives the path of its report. */
async function reported(api: TestServer): Promise<{ path: string; report: ReturnType<typeof createTestReport> }> {
  const { executor_key } = await registerInstance(api);
  const executor = await startHttpExecutor(api, executor_key);
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios: [{ text: createScenarioText() }] });
  const lease = await executor.poll();
  const report = createTestReport(lease, 'sign-dev', 'failed');
  await executor.complete(lease, report);
  return { path: `/api/v1/runs/${lease.run_id}/report`, report };
}

t.test('a report is returned as it was submitted', async (t) => {
  const api = await startTestServer(t);
  const { path, report } = await reported(api);
  for (const query of ['', '?format=json']) {
    const response = await api.ask('GET', path + query);
    t.match(response.headers.get('content-type'), /^application\/json/);
    t.equal(response.headers.get('cache-control'), 'no-store');
    t.same(await response.json(), report);
  }
});

t.test('a report is rendered as text, JUnit XML or HTML on request', async (t) => {
  const api = await startTestServer(t);
  const { path, report } = await reported(api);
  const formats: [string, string, RegExp][] = [
    ['text', 'text/plain; charset=utf-8', /RT-GET-document/],
    ['junit', 'application/xml; charset=utf-8', /^<\?xml[\s\S]*<testsuite/],
    ['html', 'text/html; charset=utf-8', /^<!doctype html>/],
    ['agent', 'text/markdown; charset=utf-8', /^A verification run/],
  ];
  for (const [format, type, shape] of formats) {
    const response = await api.ask('GET', `${path}?format=${format}`);
    t.equal(response.headers.get('content-type'), type);
    const text = await response.text();
    t.match(text, shape);
    t.ok(text.includes(report.run_id), `${format} names the run`);
  }
});

t.test('a report page may only use inline styles', async (t) => {
  const api = await startTestServer(t);
  const { path } = await reported(api);
  const policy = (await api.ask('GET', `${path}?format=html`)).headers.get('content-security-policy');
  t.match(policy, /default-src 'none'/);
  t.match(policy, /sandbox/);
  t.notMatch(policy, /script/);
});

t.test('an unknown format, and a missing report, are refused', async (t) => {
  const api = await startTestServer(t);
  const { path } = await reported(api);
  t.match(await (await api.ask('GET', `${path}?format=pdf`)).json(), {
    code: 'REQUEST_INVALID',
    detail: 'query parameter format must be one of json, text, junit, html, agent',
  });
  await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios: [{ text: createScenarioText() }] });
  const { items } = await (await api.ask('GET', '/api/v1/runs?state=queued')).json();
  const absent = await api.ask('GET', `/api/v1/runs/${items[0].run_id}/report?format=html`);
  t.match(await absent.json(), { code: 'REPORT_ABSENT', status: 404 });
});
