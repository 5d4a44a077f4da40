/** The tools of the product agent, against a real executor and control plane. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { scenarioText } from '../executor/project.ts';
import { httpTarget, json } from '../targets/http-target.ts';
import { agentHouse, secrets } from './house.ts';

const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);

t.test('status, runs, report, logs and summary of what the test agent ran', async (t) => {
  const target = await httpTarget(json({ count: 1 }));
  t.teardown(() => target.close());
  const house = await agentHouse(t, { baseUrl: target.origin });
  const [tester, product] = [await house.agent('test'), await house.agent('product')];
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
  t.match(report.text, /Cure: /);
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

  const queued = await house.vp.instances.create({ instance_id: 'other' });
  t.equal(queued.instance.instance_id, 'other');
  const [foreign] = await house.vp.runs.request('other', { scenarios: [{ text }] });
  t.match(await product.refused('product__get_run_report', { run_id: foreign?.run_id }), {
    data: { code: /RUN_UNKNOWN|AGENT_INSTANCE_FOREIGN/ },
  });
});

t.test('a run without a report says so', async (t) => {
  const target = await httpTarget(() => {});
  t.teardown(() => target.close());
  const house = await agentHouse(t, { baseUrl: target.origin });
  const product = await house.agent('product');
  const [run] = await house.vp.runs.request('shop', { scenarios: [{ text }] });
  const told = await product.refused('product__get_run_report', { run_id: run?.run_id });
  t.match(told.data, { code: 'REPORT_ABSENT', next: /product__list_runs/ });
  await house.vp.runs.cancel(run?.run_id ?? '');
});

t.test('the config is checked without showing a value of .env', async (t) => {
  const house = await agentHouse(t, { baseUrl: 'http://127.0.0.1:1' });
  const product = await house.agent('product');
  const own = await product.call('product__validate_config');
  t.match(own.data, {
    valid: true,
    env_names: [
      { name: 'API_TOKEN', present: true },
      { name: 'DATABASE_PASSWORD', present: true },
    ],
  });
  const given = `project:
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
  const words = `# a reference is written \${NAME}\n${given}scenarios:\n  variables: [TENANT]\n`;
  const needed = await product.call('product__validate_config', { text: words });
  t.match(needed.text, /must hold: API_TOKEN, DATABASE_PASSWORD, MISSING_NAME, TENANT$/m);
  const told = await product.call('product__validate_config', { text: given });
  t.equal(told.data.valid, false);
  t.match(told.text, /Missing there: MISSING_NAME/);
  t.match(told.text, /platform-config\.yaml:5:/);
  for (const secret of Object.values(secrets)) t.notMatch(JSON.stringify(told), secret);
  writeFileSync(join(house.productFolder, 'platform-config.yaml'), 'project:\n  name: [');
  t.match((await product.call('product__validate_config')).data, { valid: false });
});
