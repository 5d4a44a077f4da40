/** Tools that take several texts or requests at once. */
import type { Test } from 'tap';
import t from 'tap';
import { scenarioText } from '../../executor/test-project.ts';
import { type HttpTarget, respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { type Agent, createAgentTestSetup } from '../agent-test-setup.ts';

const page = {
  data: [
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ],
  count: 2,
};

async function setUpTest(t: Test): Promise<{ readonly target: HttpTarget; readonly agent: Agent }> {
  const target = await startHttpTarget(respondWithJson(page));
  const setup = await createAgentTestSetup(t, { baseUrl: target.origin });
  t.teardown(() => target.close());
  return { target, agent: await setup.agent('test') };
}

const trigger = 'GET ${INGESTION_URL}/a\nX-Request-Id: ${correlation_id}';
const text = (id: string, ...checks: string[]): string =>
  scenarioText(trigger, ['status=200', ...checks]).replace('RT-document', id);

t.test('valid texts are stored, invalid ones refused, and equal problems are said once', async (t) => {
  const { agent } = await setUpTest(t);
  const texts = [text('RT-1'), text('RT-2', 'body has count > 1'), text('RT-3', 'body has count > 1'), text('RT-1')];
  const result = await agent.call('author__write_scenario', { texts });
  t.match(result.data, { stored: 1, refused: ['RT-2', 'RT-3', 'RT-1'] });
  t.match(result.text, /SCENARIO_CHECK_COMPARISON at RT-2:\d+, RT-3:\d+:/);
  t.equal(result.text.match(/SCENARIO_CHECK_COMPARISON/g)?.length, 1);
  t.match(result.text, /The ID is in two of the texts: RT-1/);
  t.match((await agent.call('author__list_scenarios')).data, { scenarios: [{ scenario_id: 'RT-1' }] });
});

t.test('a call that stored nothing is an error', async (t) => {
  const { agent } = await setUpTest(t);
  const refusal = await agent.callExpectingError('author__write_scenario', { texts: [text('RT-1', 'nonsense'), 'x'] });
  t.match(refusal.data, { code: 'SCENARIO_REFUSED' });
  t.match((await agent.call('author__list_scenarios')).data, { scenarios: [] });
});

t.test('several texts are validated at once, and the invalid ones are named', async (t) => {
  const { agent } = await setUpTest(t);
  const result = await agent.call('author__validate_scenario', { texts: [text('RT-1'), text('RT-2', 'nonsense')] });
  t.match(result.data, { valid: false, invalid: ['RT-2'] });
  t.match(result.text, /^1 text of 2 valid/);
  t.match(await agent.callExpectingError('author__validate_scenario', { text: text('RT-1'), texts: [text('RT-1')] }), {
    data: { code: 'AGENT_TEXT_AMBIGUOUS' },
  });
  t.match(await agent.callExpectingError('author__write_scenario', {}), { data: { code: 'AGENT_TEXT_AMBIGUOUS' } });
});

t.test('a probe sends several requests in their order and shows only what is selected', async (t) => {
  const { agent, target } = await setUpTest(t);
  const requests = [
    { method: 'GET', path: '/a' },
    { method: 'POST', path: '/b', body: '{}', headers: { 'Content-Type': 'application/json' } },
  ];
  const select = ['status', 'body.count', 'body.data.name', 'header.content-type', 'body.missing', 'shape'];
  const result = await agent.call('author__probe_target', { requests, select });
  t.same(result.data, { statuses: [200, 200] });
  t.match(
    result.text,
    /^GET \/a → status: 200; body\.count: 2; body\.data\.name: "a", "b"; header\.content-type: application\/json/,
  );
  t.match(result.text, /body\.missing: no field `missing`/);
  t.match(result.text, /shape: \{ data: list of 2 of \{ id: number, name: string \}, count: number \}$/m);
  t.same(
    target.arrived.map(({ method, url }) => `${method} ${url}`),
    ['GET /a', 'POST /b'],
  );
  const one = await agent.call('author__probe_target', { method: 'GET', path: '/a', select: ['body.count'] });
  t.equal(one.text, 'GET /a → 2');
});

t.test('a mistake in one of the requests sends none of them', async (t) => {
  const { agent, target } = await setUpTest(t);
  const requests = [
    { method: 'DELETE', path: '/a' },
    { method: 'GET', path: 'http://elsewhere/' },
  ];
  t.match(await agent.callExpectingError('author__probe_target', { requests }), {
    data: { code: 'AGENT_ARGUMENTS_INVALID' },
  });
  t.match(await agent.callExpectingError('author__probe_target', { requests, method: 'GET', path: '/' }), {
    data: { code: 'AGENT_PROBE_AMBIGUOUS' },
  });
  t.match(await agent.callExpectingError('author__probe_target', { method: 'GET' }), {
    data: { code: 'AGENT_PROBE_AMBIGUOUS' },
  });
  t.same(target.arrived, []);
});

t.test('a suite that does not wait says how to go on', async (t) => {
  const { agent, target } = await setUpTest(t);
  target.handler = () => {};
  await agent.call('author__write_scenario', { texts: [text('RT-1'), text('RT-2')] });
  const suite = await agent.call('author__request_suite', { wait_s: 0 });
  t.match(suite, { text: /^0 of 2 runs ended/, data: { count: 2, ended: 0 } });
  t.match(suite.text, /Next: author__get_run_status with run_id/);
  for (const run of Object(suite.data).runs) await agent.call('author__cancel_run', { run_id: run.run_id });
});
