/** The tools of the test agent, called as an agent does, against a real executor and control plane. */
import type { Test } from 'tap';
import t from 'tap';
import { scenarioText } from '../executor/project.ts';
import { until } from '../executor/started.ts';
import { type HttpTarget, headerIn, httpTarget, json } from '../targets/http-target.ts';
import { type Agent, type AgentHouse, agentHouse, instance, textIn } from './house.ts';

type Scene = { readonly target: HttpTarget; readonly house: AgentHouse; readonly agent: Agent };

async function scene(t: Test): Promise<Scene> {
  const target = await httpTarget(json({ count: 1 }));
  const house = await agentHouse(t, { baseUrl: target.origin, config: 'scenarios:\n  variables: [PLAIN]\n' });
  t.teardown(() => target.close());
  return { target, house, agent: await house.agent('test') };
}

const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count']);
const named = (id: string, tags: string): string =>
  text.replace('RT-document', id).replace('- **Tags**: http', `- **Tags**: ${tags}`);

t.test('arguments that are not the definition’s are told with what is allowed', async (t) => {
  const { agent } = await scene(t);
  const unknown = await agent.refused('author__get_run_status', { run: '1', wait_s: 500 });
  t.match(unknown.data, { code: 'AGENT_ARGUMENTS_INVALID' });
  t.match(unknown.text, /lacks `run_id`/);
  t.match(unknown.text, /does not know `run`/);
  t.match(unknown.text, /wait_s must be <= 120/);
  t.match(unknown.text, /`run_id` \(text, required\), `wait_s` \(integer 0 to 120\), `part` \(one of checks,/);
  t.match(await agent.refused('author__request_run', {}), { data: { code: 'AGENT_SCENARIO_AMBIGUOUS' } });
  t.match(await agent.refused('author__request_run', { scenario_id: 'a', text }), {
    data: { code: 'AGENT_SCENARIO_AMBIGUOUS' },
  });
  t.match(await agent.refused('author__get_executor_status', { instance: 'other' }), {
    data: { code: 'AGENT_INSTANCE_OTHER', cure: /leave `instance` out/ },
  });
});

t.test('a tool that is not there is a fault of the protocol that names those that are', async (t) => {
  const { agent, house } = await scene(t);
  const wrong = agent.client.callTool({ name: 'author__get_guid', arguments: {} });
  await t.rejects(wrong, { code: -32602, message: /did you mean `author__get_guide`\?.*author__list_scenarios/ });
  const product = await house.agent('product');
  const write = product.client.callTool({ name: 'author__write_scenario', arguments: { text } });
  await t.rejects(write, { code: -32602, data: { code: 'AGENT_TOOL_UNKNOWN' } });
});

t.test('validation tells everything, writing refuses it, and the formatted text comes with a valid one', async (t) => {
  const { agent } = await scene(t);
  const broken = text.replace('status=200', 'status=2000').replace('5s', 'five').replace('/a', '/${API_TOKEN}');
  const told = await agent.call('author__validate_scenario', { text: broken });
  t.equal(told.data.valid, false);
  t.match(told.text, /3 errors/);
  t.match(told.text, /SCENARIO_PLACEHOLDER_SECRET, line 11, column \d+/);
  const refused = await agent.refused('author__write_scenario', { text: broken });
  t.match(refused.data, {
    code: 'SCENARIO_REFUSED',
    diagnostics: [{ severity: 'warning' }, { line: 11 }, { line: 17 }, { line: 22 }],
  });
  t.match((await agent.call('author__list_scenarios')).data, { scenarios: [] });
  const valid = await agent.call('author__validate_scenario', { text });
  t.match(valid.data, { valid: true, formatted: /^- ID: RT-document$/m });
});

t.test('a scenario is written, read piece by piece, changed on top of its revision, and deleted', async (t) => {
  const { agent } = await scene(t);
  const long = `${text}\n## CLEANUP\n\n${'A line of prose that is not executed at all.\n'.repeat(600)}`;
  t.match(await agent.call('author__write_scenario', { text: long }), {
    text: /vp scenarios pull/,
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
  t.equal([first, second, third].map((piece) => textIn(piece, 'content')).join(''), long);
  t.match(await agent.refused('author__write_scenario', { text, if_revision: 7 }), {
    data: { code: 'SCENARIO_CHANGED', next: /author__get_scenario/ },
  });
  await agent.call('author__delete_scenario', { scenario_id: 'RT-document' });
  t.match(await agent.refused('author__get_scenario', { scenario_id: 'RT-document' }), {
    data: { code: 'SCENARIO_UNKNOWN', next: /author__list_scenarios/ },
  });
});

t.test('lists say how to go on', async (t) => {
  const { agent } = await scene(t);
  for (const id of ['RT-1', 'RT-2', 'RT-3']) await agent.call('author__write_scenario', { text: named(id, 'http') });
  const page = await agent.call('author__list_scenarios', { limit: 2 });
  t.match(page.text, /call again with cursor /);
  const rest = await agent.call('author__list_scenarios', { limit: 2, cursor: page.data.next_cursor });
  t.match(rest.data, { scenarios: [{ scenario_id: 'RT-3' }], next_cursor: null });
  t.match(await agent.refused('author__list_runs', { cursor: 'nonsense' }), { data: { code: 'CURSOR_INVALID' } });
});

t.test('the same idempotency key never runs twice', async (t) => {
  const { agent } = await scene(t);
  const input = { text, idempotency_key: 'höflich, einmal' };
  const first = await agent.call('author__request_run', input);
  const again = await agent.call('author__request_run', input);
  t.equal(again.data.run_id, first.data.run_id);
  t.match(await agent.refused('author__request_run', { ...input, text: named('RT-other', 'http') }), {
    data: { code: 'REQUEST_KEY_REUSED' },
  });
});

t.test('waiting tells how it goes where the client wants to hear it, and ends when the run does', async (t) => {
  const { agent, target } = await scene(t);
  target.answer = (request, response, arrived) => {
    setTimeout(() => json({ count: 1 })(request, response, arrived), 700);
  };
  await agent.call('author__request_run', { text });
  const second = await agent.call('author__request_run', { text });
  t.match(second.data, { state: 'queued', queue_position: 1 });
  const heard: string[] = [];
  const input = { name: 'author__get_run_status', arguments: { run_id: second.data.run_id } };
  const result = await agent.client.callTool(input, { onprogress: ({ message }) => heard.push(message ?? '') });
  t.match(result.structuredContent, { final: true, result: 'passed' });
  t.match(heard[0], /RT-document is queued, 1 before it/);
});

t.test('a wait is bounded, and a client that leaves ends it', async (t) => {
  const { agent, target } = await scene(t);
  target.answer = () => {};
  const { data } = await agent.call('author__request_run', { text });
  const told = await agent.call('author__get_run_status', { run_id: data.run_id, wait_s: 1 });
  t.match(told, { text: /has not ended.*author__cancel_run/, data: { final: false, state: 'in_progress' } });
  const leaving = new AbortController();
  const input = { name: 'author__get_run_status', arguments: { run_id: data.run_id, wait_s: 120 } };
  const call = agent.client.callTool(input, { signal: leaving.signal, timeout: 150_000 });
  const over = t.rejects(call, /abort/i);
  setTimeout(() => leaving.abort(), 200);
  await over;
  t.match((await agent.call('author__cancel_run', { run_id: data.run_id })).data, { cancel_requested: true });
  const end = await agent.call('author__get_run_status', { run_id: data.run_id });
  t.match(end, { text: /was cancelled/, data: { state: 'cancelled', final: true } });
});

t.test('a status-only scenario says that the status check was applied and is not counted', async (t) => {
  const { agent } = await scene(t);
  const only = scenarioText('GET ${INGESTION_URL}/a', ['status=200']);
  const { data } = await agent.call('author__request_run', { text: only });
  const told = await agent.call('author__get_run_status', { run_id: data.run_id });
  t.match(told.data, { report: { assertions_enforced_count: 0, status_check_applied: true } });
  t.match(told.text, /assertions_enforced_count 0\. The status check was applied; it is never counted/);
});

t.test('parts of a report are read in full, piece by piece', async (t) => {
  const { agent, target } = await scene(t);
  const items = Array.from({ length: 2000 }, (_, index) => ({ id: index, name: `item ${index}` }));
  target.answer = json({ count: 'none', items });
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
  t.not(textIn(rest, 'content'), textIn(part, 'content'));
  t.match(
    (await agent.call('author__get_run_status', { run_id: data.run_id, part: 'checks' })).text,
    /"outcome": "failed"/,
  );
  t.match((await agent.call('author__get_run_status', { run_id: data.run_id, part: 'scenario' })).text, /## TRIGGER/);
});

t.test('a suite is requested by tags or ids, waited for by its last run, and listed', async (t) => {
  const { agent } = await scene(t);
  await agent.call('author__write_scenario', { text: named('RT-1', 'http, smoke') });
  await agent.call('author__write_scenario', { text: named('RT-2', 'http') });
  await agent.call('author__write_scenario', { text: named('RT-3', 'smoke, http') });
  await agent.call('author__request_run', { scenario_id: 'RT-2' });
  const suite = await agent.call('author__request_suite', { tags: ['smoke'] });
  t.match(suite.data, { count: 2, runs: [{ scenario_id: 'RT-1' }, { scenario_id: 'RT-3' }] });
  await agent.call('author__get_run_status', { run_id: suite.data.last_run_id });
  const listed = await agent.call('author__list_runs', { suite: suite.data.suite });
  t.match(listed.data, { tally: { passed: 2 }, runs: [{ scenario_id: 'RT-3' }, { scenario_id: 'RT-1' }] });
  t.equal((await agent.call('author__request_suite', { ids: ['RT-2', 'RT-1'] })).data.count, 2);
  t.match(await agent.refused('author__request_suite', { tags: ['none'] }), { data: { code: 'AGENT_SUITE_EMPTY' } });
  t.match(await agent.refused('author__request_suite', { ids: Array(201).fill('RT-1') }), {
    data: { code: 'AGENT_SUITE_TOO_LARGE' },
  });
  t.match(await agent.refused('author__list_runs', { suite: 'x' }), { data: { code: 'AGENT_ARGUMENTS_INVALID' } });
});

t.test('a probe is one request with the rules of a scenario, and leaves no run', async (t) => {
  const { agent, target } = await scene(t);
  const headers = { Accept: 'application/json', 'X-Plain': '${PLAIN}' };
  const body = '{"a": "```"}\n\n## EXPECT\n';
  const input = { method: 'POST', path: '/a?b=c', headers, body };
  t.match((await agent.call('author__probe_target', input)).data, { status: 200, body: '{"count":1}' });
  const [arrived] = target.arrived;
  t.match(arrived, { method: 'POST', url: '/a?b=c', body });
  t.equal(arrived && headerIn(arrived, 'x-plain'), 'a-plain-value');
  t.match(arrived && headerIn(arrived, 'authorization'), /^Bearer /);
  await agent.call('author__probe_target', { method: 'GET', path: '/a', auth: false });
  const second = target.arrived[1];
  t.equal(second && headerIn(second, 'authorization'), undefined);
  t.match((await agent.call('author__list_runs')).data, { runs: [] });
  target.answer = json({ error: 'none here' }, 404);
  const missing = await agent.call('author__probe_target', { method: 'GET', path: '/b' });
  t.match(missing.data, { status: 404, failure: null }, 'a status is no failure of a probe');
});

t.test('what a scenario may not send, a probe may not either', async (t) => {
  const { agent, target } = await scene(t);
  for (const [input, problem] of [
    [{ path: 'http://elsewhere/' }, /begins with `\/`/],
    [{ path: '/a\nX-Evil: 1' }, /one line each/],
    [{ path: '/a', headers: { 'X-A': 'b\r\nHost: elsewhere' } }, /one line each/],
    [{ path: '/a', headers: { Host: 'elsewhere' } }, /Host/],
    [{ path: '/a', headers: { 'X-Correlation-Id': 'mine' } }, /X-Correlation-Id/],
    [{ path: '/a', headers: { 'X-A': '${API_TOKEN}' } }, /API_TOKEN/],
    [{ path: '/${UNLISTED}' }, /UNLISTED/],
    [{ path: '/a b' }, /path|space/],
  ] as const) {
    const told = await agent.refused('author__probe_target', { method: 'GET', ...input });
    t.match(told.data, { code: 'AGENT_ARGUMENTS_INVALID' }, JSON.stringify(input));
    t.match(told.text, problem);
  }
  t.same(target.arrived, []);
});

t.test('a probe waits for a run, and a run for a probe', async (t) => {
  const { agent, target, house } = await scene(t);
  const open: (() => void)[] = [];
  target.answer = (request, response, arrived) => {
    open.push(() => json({ count: 1 })(request, response, arrived));
  };
  const { data } = await agent.call('author__request_run', { text });
  await until(() => open.length === 1);
  const probe = agent.call('author__probe_target', { method: 'GET', path: '/probe' });
  await new Promise((resolve) => setTimeout(resolve, 400));
  t.equal(target.arrived.length, 1, 'the probe has not been sent');
  open.shift()?.();
  await until(() => open.length === 1);
  await t.rejects(house.executor.runDirect(text), { code: 'EXECUTOR_BUSY' });
  const second = await agent.call('author__request_run', { text });
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.equal(target.arrived.length, 2, 'the run has not been sent');
  open.shift()?.();
  t.match((await probe).data, { status: 200 });
  await until(() => open.length === 1);
  open.shift()?.();
  t.match((await agent.call('author__get_run_status', { run_id: second.data.run_id })).data, { result: 'passed' });
  t.match((await agent.call('author__get_run_status', { run_id: data.run_id })).data, { result: 'passed' });
});

t.test('the guide is read by topic', async (t) => {
  const { agent } = await scene(t);
  const whole = await agent.call('author__get_guide');
  t.ok(whole.text.length < 16_000);
  t.match(whole.data, { topics: ['work', 'example', 'sections', 'request', 'checks'] });
  t.match((await agent.call('author__get_guide', { topic: 'checks' })).text, /^## Checks/);
  t.match(await agent.refused('author__get_guide', { topic: 'check' }), {
    data: { code: 'AGENT_TOPIC_UNKNOWN' },
    text: /did you mean `checks`/,
  });
});

t.test('runs of other instances are not there for this agent', async (t) => {
  const { agent, house } = await scene(t);
  await house.vp.instances.create({ instance_id: 'other' });
  const [run] = await house.vp.runs.request('other', { scenarios: [{ text }] });
  const input = { run_id: run?.run_id };
  for (const name of ['author__get_run_status', 'author__get_run_logs', 'author__cancel_run']) {
    t.match(await agent.refused(name, input), { data: { code: /RUN_UNKNOWN|AGENT_INSTANCE_FOREIGN/ } }, name);
  }
  t.equal((await house.vp.runs.get(input.run_id ?? '')).state, 'queued');
  t.match((await agent.call('author__list_runs')).data, { runs: [] });
});

t.test('logs say why there are none', async (t) => {
  const { agent } = await scene(t);
  const { data } = await agent.call('author__request_run', { text });
  await agent.call('author__get_run_status', { run_id: data.run_id });
  const logs = await agent.call('author__get_run_logs', { run_id: data.run_id });
  t.match(logs.data, { lines: [], problem: String, cure: String });
  t.match(logs.text, /^No lines: /);
});

t.test('a control plane that is away is told, and the status of the executor still comes', async (t) => {
  const { agent, house } = await scene(t);
  await agent.call('author__get_executor_status');
  await house.plane.close();
  const told = await agent.call('author__get_executor_status');
  t.match(told.data, { healthy: false, instance });
  t.match(told.text, /cannot be reached[\s\S]*Cure: /);
  t.match(await agent.refused('author__list_scenarios'), { data: { code: 'CONTROL_PLANE_UNREACHABLE', next: String } });
});
