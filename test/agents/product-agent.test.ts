/** The tools of the product agent, against a real executor and control plane. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { scenarioText } from '../executor/test-project.ts';
import { respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { createAgentTestSetup, secrets } from './agent-test-setup.ts';

const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);

t.test('status, runs, report, logs and summary of what the test agent ran', async (t) => {
  const target = await startHttpTarget(respondWithJson({ count: 1 }));
  t.teardown(() => target.close());
  const agentSetup = await createAgentTestSetup(t, { baseUrl: target.origin });
  const [tester, product] = [await agentSetup.agent('test'), await agentSetup.agent('product')];
  const run = async (scenario: string) => {
    const { data } = await tester.call('author__request_run', { text: scenario });
    await tester.call('author__get_run_status', { run_id: data.run_id });
    return data.run_id;
  };
  await run(text);
  const failed = await run(text.replace('has count', 'has total matching ^[0-9]+$'));
  await run(text.replace('has count', 'has total matching ^[0-9]+$'));

  const status = await product.call('product__get_instance_status');
  t.match(status.data, { healthy: true, target: target.origin, last_day: { passed: 1, failed: 2 } });
  t.match(status.text, /Last 24 hours: 1 passed, 2 failed/);

  const runs = await product.call('product__list_runs', { state: 'failed' });
  t.match(runs.data, { tally: { failed: 2 }, runs: [{ failure_kind: 'body_mismatch' }, { run_id: failed }] });
  t.match(runs.text, /body has total matching/);

  const report = await product.call('product__get_run_report', { run_id: failed });
  t.match(report.data, { report: { failed_checks: [{ check: 'body has total matching ^[0-9]+$' }] } });
  t.match(report.text, /Fix: /);
  t.match((await product.call('product__get_run_report', { run_id: failed, part: 'request' })).text, /^GET http/);
  t.match((await product.call('product__get_run_logs', { run_id: failed })).data, { lines: [], problem: String });

  const summary = await product.call('product__get_error_summary', { since_h: 1 });
  t.match(summary.data, {
    runs: 3,
    failed: 2,
    failures: [{ kind: 'body_mismatch', scenario_id: 'RT-document', count: 2 }],
  });
  t.match(summary.data.slowest, { length: 3 });
  t.match(summary.text, /2 × body_mismatch RT-document: /);

  const queued = await agentSetup.vp.instances.create({ instance_id: 'other' });
  t.equal(queued.instance.instance_id, 'other');
  const [foreign] = await agentSetup.vp.runs.request('other', { scenarios: [{ text }] });
  t.match(await product.callExpectingError('product__get_run_report', { run_id: foreign?.run_id }), {
    data: { code: /RUN_UNKNOWN|AGENT_INSTANCE_FOREIGN/ },
  });
});

t.test('a run without a report says so', async (t) => {
  const target = await startHttpTarget(() => {});
  t.teardown(() => target.close());
  const agentSetup = await createAgentTestSetup(t, { baseUrl: target.origin });
  const product = await agentSetup.agent('product');
  const [run] = await agentSetup.vp.runs.request('shop', { scenarios: [{ text }] });
  const result = await product.callExpectingError('product__get_run_report', { run_id: run?.run_id });
  t.match(result.data, { code: 'REPORT_ABSENT', next: /product__list_runs/ });
  await agentSetup.vp.runs.cancel(run?.run_id ?? '');
});

t.test('the config is checked without showing a value of .env', async (t) => {
  const agentSetup = await createAgentTestSetup(t, { baseUrl: 'http://127.0.0.1:1' });
  const product = await agentSetup.agent('product');
  const ownConfig = await product.call('product__validate_config');
  t.match(ownConfig.data, {
    valid: true,
    env_names: [
      { name: 'API_TOKEN', present: true },
      { name: 'DATABASE_PASSWORD', present: true },
    ],
  });
  const configResult = `project:
  name: shop
targets:
  http:
    base_url: \${API_TOKEN}
  auth:
    type: \${DATABASE_PASSWORD}
    bearer_token: \${MISSING_NAME}
  database:
    jdbc_url: \${API_TOKEN}/\${DATABASE_PASSWORD}
`;
  const configWithVariables = `# a reference is written \${NAME}\n${configResult}scenarios:\n  variables: [TENANT]\n`;
  const needed = await product.call('product__validate_config', { text: configWithVariables });
  t.match(needed.text, /must define: API_TOKEN, DATABASE_PASSWORD, MISSING_NAME, TENANT$/m);
  const result = await product.call('product__validate_config', { text: configResult });
  t.equal(result.data.valid, false);
  t.match(result.text, /Missing in \.env: MISSING_NAME/);
  t.match(result.text, /platform-config\.yaml:5:/);
  for (const secret of Object.values(secrets)) t.notMatch(JSON.stringify(result), secret);
  writeFileSync(join(agentSetup.productFolder, 'platform-config.yaml'), 'project:\n  name: [');
  t.match((await product.call('product__validate_config')).data, { valid: false });
});
