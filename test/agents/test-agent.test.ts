/** The tools of the test agent, called as an agent does, against a real executor and control plane. */
import type { Test } from 'tap';
import t from 'tap';
import { eventually } from '../eventually.ts';
import { scenarioText } from '../executor/test-project.ts';
import { getHeader, type HttpTarget, respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { type Agent, type AgentTestSetup, createAgentTestSetup, getText, instance } from './agent-test-setup.ts';

type TestSetup = { readonly target: HttpTarget; readonly agentSetup: AgentTestSetup; readonly agent: Agent };

async function setUpTest(t: Test): Promise<TestSetup> {
  const target = await startHttpTarget(respondWithJson({ count: 1 }));
  const agentSetup = await createAgentTestSetup(t, {
    baseUrl: target.origin,
    config: 'scenarios:\n  variables: [PLAIN]\n',
  });
  t.teardown(() => target.close());
  return { target, agentSetup, agent: await agentSetup.agent('test') };
}

const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);
const renameScenario = (id: string, tags: string): string =>
  text.replace('RT-document', id).replace('- **Tags**: http', `- **Tags**: ${tags}`);

t.test('invalid arguments are reported with the allowed ones', async (t) => {
  const { agent } = await setUpTest(t);
  const unknown = await agent.callExpectingError('author__get_run_status', { run: '1', wait_s: 500 });
  t.match(unknown.data, { code: 'AGENT_ARGUMENTS_INVALID' });
  t.match(unknown.text, /lacks `run_id`/);
  t.match(unknown.text, /does not know `run`/);
  t.match(unknown.text, /wait_s must be <= 120/);
  t.match(unknown.text, /`run_id` \(text, required\), `wait_s` \(integer 0 to 120\), `part` \(one of checks,/);
  t.match(await agent.callExpectingError('author__request_run', {}), { data: { code: 'AGENT_SCENARIO_AMBIGUOUS' } });
  t.match(await agent.callExpectingError('author__request_run', { scenario_id: 'a', text }), {
    data: { code: 'AGENT_SCENARIO_AMBIGUOUS' },
  });
  t.match(await agent.callExpectingError('author__get_executor_status', { instance: 'other' }), {
    data: { code: 'AGENT_INSTANCE_OTHER', cure: /omit `instance`/ },
  });
});

t.test('an unknown tool is a protocol error that lists the known ones', async (t) => {
  const { agent, agentSetup } = await setUpTest(t);
  const wrong = agent.client.callTool({ name: 'author__get_guid', arguments: {} });
  await t.rejects(wrong, { code: -32602, message: /did you mean `author__get_guide`\?.*author__list_scenarios/ });
  const product = await agentSetup.agent('product');
  const write = product.client.callTool({ name: 'author__write_scenario', arguments: { text } });
  await t.rejects(write, { code: -32602, data: { code: 'AGENT_TOOL_UNKNOWN' } });
});

t.test('validation reports all problems, writing refuses them, and a valid text is returned formatted', async (t) => {
  const { agent } = await setUpTest(t);
  const broken = text.replace('status=200', 'status=2000').replace('5s', 'five').replace('/a', '/${API_TOKEN}');
  const result = await agent.call('author__validate_scenario', { text: broken });
  t.equal(result.data.valid, false);
  t.match(result.text, /3 errors/);
  t.match(result.text, /SCENARIO_PLACEHOLDER_SECRET, line 11, column \d+/);
  const refusal = await agent.callExpectingError('author__write_scenario', { text: broken });
  t.match(refusal.data, {
    code: 'SCENARIO_REFUSED',
    diagnostics: [{ severity: 'warning' }, { line: 11 }, { line: 17 }, { line: 22 }],
  });
  t.match((await agent.call('author__list_scenarios')).data, { scenarios: [] });
  const valid = await agent.call('author__validate_scenario', { text });
  t.match(valid.data, { valid: true, formatted: /^- ID: RT-document$/m });
});

t.test('a scenario is written, read in pieces, changed with its revision, and deleted', async (t) => {
  const { agent } = await setUpTest(t);
  const long = `${text}\n## CLEANUP\n\n${'A line of prose that is not executed at all.\n'.repeat(600)}`;
  t.match(await agent.call('author__write_scenario', { text: long }), {
    text: /warning SCENARIO_REQUEST_ID_MISSING, line 11[\s\S]*fix: [\s\S]*a person pulls it/,
    data: { revision: 1 },
  });
  const first = await agent.call('author__get_scenario', { scenario_id: 'RT-document' });
  t.ok(first.text.length < 16_000);
  const offset = first.data.next_offset;
  const second = await agent.call('author__get_scenario', { scenario_id: 'RT-document', offset });
  const third = await agent.call('author__get_scenario', {
    scenario_id: 'RT-document',
    offset: second.data.next_offset,
  });
  t.equal(third.data.next_offset, null);
  t.equal([first, second, third].map((piece) => getText(piece, 'content')).join(''), long);
  t.match(await agent.callExpectingError('author__write_scenario', { text, if_revision: 7 }), {
    data: { code: 'SCENARIO_CHANGED', next: /author__get_scenario/ },
  });
  await agent.call('author__delete_scenario', { scenario_id: 'RT-document' });
  t.match(await agent.callExpectingError('author__get_scenario', { scenario_id: 'RT-document' }), {
    data: { code: 'SCENARIO_DELETED', next: /author__write_scenario/ },
  });
});

t.test('lists say how to get the next page', async (t) => {
  const { agent } = await setUpTest(t);
  for (const id of ['RT-1', 'RT-2', 'RT-3'])
    await agent.call('author__write_scenario', { text: renameScenario(id, 'http') });
  const page = await agent.call('author__list_scenarios', { limit: 2 });
  t.match(page.text, /call again with cursor /);
  const rest = await agent.call('author__list_scenarios', { limit: 2, cursor: page.data.next_cursor });
  t.match(rest.data, { scenarios: [{ scenario_id: 'RT-3' }], next_cursor: null });
  t.match(await agent.callExpectingError('author__list_runs', { cursor: 'nonsense' }), {
    data: { code: 'CURSOR_INVALID' },
  });
});

t.test('the same idempotency key never runs twice', async (t) => {
  const { agent } = await setUpTest(t);
  const input = { text, idempotency_key: 'höflich, einmal' };
  const first = await agent.call('author__request_run', input);
  const again = await agent.call('author__request_run', input);
  t.equal(again.data.run_id, first.data.run_id);
  t.match(
    await agent.callExpectingError('author__request_run', { ...input, text: renameScenario('RT-other', 'http') }),
    {
      data: { code: 'REQUEST_KEY_REUSED' },
    },
  );
});

t.test('waiting sends progress when the client requests it, and ends with the run', async (t) => {
  const { agent, target } = await setUpTest(t);
  const waiting = Promise.withResolvers<void>();
  target.handler = (request, response, arrived) => {
    void waiting.promise.then(() => respondWithJson({ count: 1 })(request, response, arrived));
  };
  await agent.call('author__request_run', { text });
  const second = await agent.call('author__request_run', { text });
  t.match(second.data, { state: 'queued', queue_position: 1 });
  const progressMessages: string[] = [];
  const input = { name: 'author__get_run_status', arguments: { run_id: second.data.run_id } };
  const result = await agent.client.callTool(input, {
    onprogress: ({ message }) => {
      progressMessages.push(message ?? '');
      waiting.resolve();
    },
  });
  t.match(result.structuredContent, { final: true, result: 'passed' });
  t.match(progressMessages[0], /RT-document is queued, 1 before it/);
});

t.test('a wait is bounded, and ends when the client disconnects', async (t) => {
  const { agent, target } = await setUpTest(t);
  target.handler = () => {};
  const { data } = await agent.call('author__request_run', { text });
  const result = await agent.call('author__get_run_status', { run_id: data.run_id, wait_s: 1 });
  t.match(result, { text: /has not ended.*author__cancel_run/, data: { final: false, state: 'in_progress' } });
  const disconnect = new AbortController();
  const input = { name: 'author__get_run_status', arguments: { run_id: data.run_id, wait_s: 120 } };
  const waiting = Promise.withResolvers<void>();
  const onprogress = () => waiting.resolve();
  const call = agent.client.callTool(input, { signal: disconnect.signal, timeout: 150_000, onprogress });
  const rejection = t.rejects(call, /abort/i);
  await waiting.promise;
  disconnect.abort();
  await rejection;
  t.match((await agent.call('author__cancel_run', { run_id: data.run_id })).data, { cancel_requested: true });
  const end = await agent.call('author__get_run_status', { run_id: data.run_id });
  t.match(end, { text: /was cancelled/, data: { state: 'cancelled', final: true } });
});

t.test('a status-only scenario says that the status check was applied and is not counted', async (t) => {
  const { agent } = await setUpTest(t);
  const only = scenarioText('GET ${INGESTION_URL}/a', ['status=200']);
  const { data } = await agent.call('author__request_run', { text: only });
  const result = await agent.call('author__get_run_status', { run_id: data.run_id });
  t.match(result.data, { report: { assertions_enforced_count: 0, status_check_applied: true } });
  t.match(result.text, /assertions_enforced_count 0\. The status check was applied; it is never counted/);
});

t.test('parts of a report are read in full, in pieces', async (t) => {
  const { agent, target } = await setUpTest(t);
  const items = Array.from({ length: 2000 }, (_, index) => ({ id: index, name: `item ${index}` }));
  target.handler = respondWithJson({ count: 'none', items });
  const { data } = await agent.call('author__request_run', { text: text.replace('has count', 'has count equals 1') });
  const summary = await agent.call('author__get_run_status', { run_id: data.run_id });
  t.ok(summary.text.length < 8000);
  t.match(summary.data, {
    report: { response: { complete: false }, failed_checks: [{ actual: /none/, pointer: '/count' }] },
  });
  const part = await agent.call('author__get_run_status', { run_id: data.run_id, part: 'response' });
  t.match(part.text, /^200\ncontent-type: application\/json/i);
  t.match(part.text, /call again with offset \d+/);
  const rest = await agent.call('author__get_run_status', {
    run_id: data.run_id,
    part: 'response',
    offset: part.data.next_offset,
  });
  t.not(getText(rest, 'content'), getText(part, 'content'));
  t.match(
    (await agent.call('author__get_run_status', { run_id: data.run_id, part: 'checks' })).text,
    /"outcome": "failed"/,
  );
  t.match((await agent.call('author__get_run_status', { run_id: data.run_id, part: 'scenario' })).text, /## TRIGGER/);
});

t.test('a suite is requested by tags or ids, awaited by its last run, and listed', async (t) => {
  const { agent } = await setUpTest(t);
  await agent.call('author__write_scenario', { text: renameScenario('RT-1', 'http, smoke') });
  await agent.call('author__write_scenario', { text: renameScenario('RT-2', 'http') });
  await agent.call('author__write_scenario', { text: renameScenario('RT-3', 'smoke, http') });
  await agent.call('author__request_run', { scenario_id: 'RT-2' });
  const suite = await agent.call('author__request_suite', { tags: ['smoke'] });
  t.match(suite.data, { count: 2, runs: [{ scenario_id: 'RT-1' }, { scenario_id: 'RT-3' }] });
  await agent.call('author__get_run_status', { run_id: suite.data.last_run_id });
  const listed = await agent.call('author__list_runs', { suite: suite.data.suite });
  t.match(listed.data, { tally: { passed: 2 }, runs: [{ scenario_id: 'RT-3' }, { scenario_id: 'RT-1' }] });
  t.equal((await agent.call('author__request_suite', { ids: ['RT-2', 'RT-1'] })).data.count, 2);
  t.match(await agent.callExpectingError('author__request_suite', { tags: ['none'] }), {
    data: { code: 'AGENT_SUITE_EMPTY' },
  });
  t.match(await agent.callExpectingError('author__request_suite', { ids: Array(201).fill('RT-1') }), {
    data: { code: 'AGENT_SUITE_TOO_LARGE' },
  });
  t.match(await agent.callExpectingError('author__list_runs', { suite: 'x' }), {
    data: { code: 'AGENT_ARGUMENTS_INVALID' },
  });
});

t.test('a probe is one request with the rules of a scenario, and creates no run', async (t) => {
  const { agent, target } = await setUpTest(t);
  const headers = { Accept: 'application/json', 'X-Plain': '${PLAIN}' };
  const body = '{"a": "```"}\n\n## EXPECT\n';
  const input = { method: 'POST', path: '/a?b=c', headers, body };
  t.match((await agent.call('author__probe_target', input)).data, { status: 200, body: '{"count":1}' });
  const [arrived] = target.arrived;
  t.match(arrived, { method: 'POST', url: '/a?b=c', body });
  t.equal(arrived && getHeader(arrived, 'x-plain'), 'a-plain-value');
  t.match(arrived && getHeader(arrived, 'authorization'), /^Bearer /);
  await agent.call('author__probe_target', { method: 'GET', path: '/a', auth: false });
  const second = target.arrived[1];
  t.equal(second && getHeader(second, 'authorization'), undefined);
  t.match((await agent.call('author__list_runs')).data, { runs: [] });
  target.handler = respondWithJson({ error: 'none here' }, 404);
  const missing = await agent.call('author__probe_target', { method: 'GET', path: '/b' });
  t.match(missing.data, { status: 404, failure: null }, 'a status is no failure of a probe');
});

t.test('a probe is refused what a scenario may not send', async (t) => {
  const { agent, target } = await setUpTest(t);
  for (const [input, problem] of [
    [{ path: 'http://elsewhere/' }, /begins with `\/`/],
    [{ path: '/a\nX-Evil: 1' }, /must be a single line/],
    [{ path: '/a', headers: { 'X-A': 'b\r\nHost: elsewhere' } }, /must be a single line/],
    [{ path: '/a', headers: { Host: 'elsewhere' } }, /Host/],
    [{ path: '/a', headers: { 'X-Correlation-Id': 'mine' } }, /X-Correlation-Id/],
    [{ path: '/a', headers: { 'X-A': '${API_TOKEN}' } }, /API_TOKEN/],
    [{ path: '/${UNLISTED}' }, /UNLISTED/],
    [{ path: '/a b' }, /path|space/],
  ] as const) {
    const result = await agent.callExpectingError('author__probe_target', { method: 'GET', ...input });
    t.match(result.data, { code: 'AGENT_ARGUMENTS_INVALID' }, JSON.stringify(input));
    t.match(result.text, problem);
  }
  t.same(target.arrived, []);
});

t.test('a probe returns 1,500 characters of the body unless the agent asks for more', async (t) => {
  const { agent, target } = await setUpTest(t);
  target.handler = respondWithJson({ text: 'x'.repeat(7000) });
  const probe = async (more: object) => {
    const { data } = await agent.call('author__probe_target', { method: 'GET', path: '/a', ...more });
    return String(data.body).length;
  };
  t.ok((await probe({})) <= 1600, 'with the mark that it was cut');
  t.ok((await probe({ body_limit: 10_000 })) > 7000);
  t.ok((await probe({ body_limit: 0 })) < 100);
});

t.test('writing a scenario lists its warnings', async (t) => {
  const { agent } = await setUpTest(t);
  const withoutId = text.replace(/^X-Request-Id:.*\n/m, '');
  const written = await agent.call('author__write_scenario', { text: withoutId });
  t.match(written.data, {
    scenario_id: 'RT-document',
    warnings: [{ severity: 'warning', line: Number, cure: String }],
  });
  t.match(written.text, /warning/);
});

t.test('a probe waits for a run, and a run for a probe', async (t) => {
  const { agent, target, agentSetup } = await setUpTest(t);
  const open: (() => void)[] = [];
  target.handler = (request, response, arrived) => {
    open.push(() => respondWithJson({ count: 1 })(request, response, arrived));
  };
  const { data } = await agent.call('author__request_run', { text });
  await eventually(() => open.length === 1);
  const probe = agent.call('author__probe_target', { method: 'GET', path: '/probe' });
  await agent.call('author__get_executor_status', {});
  t.equal(target.arrived.length, 1, 'the probe has not been sent');
  open.shift()?.();
  await eventually(() => open.length === 1);
  await t.rejects(agentSetup.executor.runDirect(text), { code: 'EXECUTOR_BUSY' });
  const second = await agent.call('author__request_run', { text });
  await agent.call('author__get_executor_status', {});
  t.equal(target.arrived.length, 2, 'the run has not been sent');
  open.shift()?.();
  t.match((await probe).data, { status: 200 });
  await eventually(() => open.length === 1);
  open.shift()?.();
  t.match((await agent.call('author__get_run_status', { run_id: second.data.run_id })).data, { result: 'passed' });
  t.match((await agent.call('author__get_run_status', { run_id: data.run_id })).data, { result: 'passed' });
});

t.test('the guide is read by topic', async (t) => {
  const { agent } = await setUpTest(t);
  const fullText = await agent.call('author__get_guide');
  t.ok(fullText.text.length < 16_000);
  t.match(fullText.data, { topics: ['brief', 'work', 'example', 'sections', 'request', 'checks'] });
  t.match((await agent.call('author__get_guide', { topic: 'checks' })).text, /^## Checks/);
  t.match(await agent.callExpectingError('author__get_guide', { topic: 'check' }), {
    data: { code: 'AGENT_TOPIC_UNKNOWN' },
    text: /did you mean `checks`/,
  });
});

t.test('runs of other instances are unknown to this agent', async (t) => {
  const { agent, agentSetup } = await setUpTest(t);
  await agentSetup.vp.instances.create({ instance_id: 'other' });
  const [run] = await agentSetup.vp.runs.request('other', { scenarios: [{ text }] });
  const input = { run_id: run?.run_id };
  for (const name of ['author__get_run_status', 'author__get_run_logs', 'author__cancel_run']) {
    t.match(
      await agent.callExpectingError(name, input),
      { data: { code: /RUN_UNKNOWN|AGENT_INSTANCE_FOREIGN/ } },
      name,
    );
  }
  t.equal((await agentSetup.vp.runs.get(input.run_id ?? '')).state, 'queued');
  t.match((await agent.call('author__list_runs')).data, { runs: [] });
});

t.test('logs say why there are none', async (t) => {
  const { agent } = await setUpTest(t);
  const { data } = await agent.call('author__request_run', { text });
  await agent.call('author__get_run_status', { run_id: data.run_id });
  const logs = await agent.call('author__get_run_logs', { run_id: data.run_id });
  t.match(logs.data, { lines: [], problem: String, cure: String });
  t.match(logs.text, /^No lines: /);
});

t.test('an unreachable control plane is reported, and the executor status is still returned', async (t) => {
  const { agent, agentSetup } = await setUpTest(t);
  await agent.call('author__get_executor_status');
  await agentSetup.plane.close();
  const result = await agent.call('author__get_executor_status');
  t.match(result.data, { healthy: false, instance });
  t.match(result.text, /cannot be reached[\s\S]*Fix: /);
  t.match(await agent.callExpectingError('author__list_scenarios'), {
    data: { code: 'CONTROL_PLANE_UNREACHABLE', next: String },
  });
});
