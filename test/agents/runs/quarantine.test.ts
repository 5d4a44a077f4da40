import t from 'tap';
import { scenarioText } from '../../executor/test-project.ts';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createAgentTestSetup, getText, instance } from '../agent-test-setup.ts';

t.test('both agents read that a failure is in quarantine, and may not decide it', async (t) => {
  const target = await startHttpTarget(respondWithJson({ count: 1 }));
  t.teardown(() => target.close());
  const setup = await createAgentTestSetup(t, { baseUrl: target.origin });
  const [author, product] = [await setup.agent('test'), await setup.agent('product')];
  const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count equals 9']);
  const written = await author.call('author__write_scenario', { text });
  const id = getText(written, 'scenario_id');
  const until = new Date(Date.now() + 9 * 86_400_000).toISOString();
  await setup.vp.quarantines.set(instance, id, { until, reason: 'the index is rebuilt', owner: 'ana' });

  const suite = await author.call('author__request_suite', { ids: [id] });
  t.match(suite.data, { failed: 0, quarantined: 1 });
  t.match(suite.text, /1 run ended, 0 not passed, 1 not passed in quarantine/);
  t.match(suite.text, /in quarantine until .* \(ana\): the index is rebuilt/);
  const run_id = getText(suite, 'last_run_id');
  const status = await author.call('author__get_run_status', { run_id });
  t.match(status.text, /It is in quarantine until .* A failure does not count until then/);
  t.match((await author.call('author__list_runs')).text, /\(in quarantine until /);
  t.match((await product.call('product__get_run_report', { run_id })).text, /It is in quarantine until/);
  t.match((await product.call('product__list_runs')).text, /\(in quarantine until /);

  const path = `${setup.vp.transport.baseUrl}/api/v1/instances/${instance}/scenarios/${id}/quarantine`;
  const headers = { authorization: `Bearer ${await setup.token('test')}`, 'content-type': 'application/json' };
  const refused = await fetch(path, { method: 'PUT', headers, body: JSON.stringify({ until, reason: 'mine' }) });
  t.equal(refused.status, 403);
  t.equal((await fetch(path, { method: 'DELETE', headers })).status, 403);
});
