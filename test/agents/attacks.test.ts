/** Attempts of a test agent to learn secrets: each test fails when one succeeds. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';
import { defaultEvidenceWaitTimes } from '../../src/executor/evidence/collect-evidence.ts';
import { scenarioText } from '../executor/test-project.ts';
import { type RequestHandler, startHttpTarget } from '../targets/http-target.ts';
import { type Agent, createAgentTestSetup, secrets } from './agent-test-setup.ts';

const token = secrets.API_TOKEN;

/** A target that echoes its request in several encodings. */
const echo: RequestHandler = (request, response) => {
  const auth = request.headers.authorization ?? '';
  const body = JSON.stringify({
    auth,
    bare: auth.replace('Bearer ', ''),
    url: encodeURIComponent(auth),
    base64: Buffer.from(auth).toString('base64'),
    base64url: Buffer.from(`x${auth}`).toString('base64url'),
    hex: Buffer.from(auth).toString('hex'),
    nested: JSON.stringify({ inside: [auth] }),
    list: [auth, { [auth]: 1 }],
  });
  response.writeHead(200, { 'content-type': 'application/json', 'x-echo': auth, authorization: auth });
  response.end(body);
};

const spellings = [
  token,
  encodeURIComponent(token),
  Buffer.from(token).toString('base64').replace(/=+$/, ''),
  Buffer.from(token).toString('base64url').slice(0, -2),
  Buffer.from(token).toString('hex'),
  secrets.DATABASE_PASSWORD,
];

function holdsNone(t: Test, value: unknown, label: string): void {
  const text = JSON.stringify(value);
  for (const secret of spellings) t.notOk(text.includes(secret), `${label} without ${secret.slice(0, 4)}…`);
}

async function setUpTest(t: Test): Promise<Agent & { verdict(checks: readonly string[]): Promise<unknown> }> {
  const target = await startHttpTarget(echo);
  t.teardown(() => target.close());
  const environment = await createAgentTestSetup(t, {
    baseUrl: target.origin,
    config: 'scenarios:\n  variables: [PLAIN]\n',
  });
  const agent = await environment.agent('test');
  return {
    ...agent,
    async verdict(checks) {
      const text = scenarioText('GET ${INGESTION_URL}/echo', ['status=200', ...checks]);
      const { data } = await agent.call('author__request_run', { text });
      const result = await agent.call('author__get_run_status', { run_id: data.run_id });
      holdsNone(t, result, checks.join());
      return result.data.result;
    },
  };
}

t.test('placeholders of targets’ secrets and of unlisted names are refused', async (t) => {
  const agent = await setUpTest(t);
  for (const name of ['API_TOKEN', 'DATABASE_PASSWORD', 'UNLISTED', 'PATH', 'VP_EXECUTOR_KEY']) {
    const text = scenarioText(`GET \${INGESTION_URL}/echo?x=\${${name}}`, ['status=200']);
    t.match(await agent.call('author__validate_scenario', { text }), { data: { valid: false } }, name);
    t.match(
      await agent.callExpectingError('author__write_scenario', { text }),
      { data: { code: 'SCENARIO_REFUSED' } },
      name,
    );
    t.match(
      await agent.callExpectingError('author__request_run', { text }),
      { data: { code: 'SCENARIO_REFUSED' } },
      name,
    );
    const probe = { method: 'GET', path: `/echo?x=\${${name}}` };
    t.match(
      await agent.callExpectingError('author__probe_target', probe),
      { data: { code: 'AGENT_ARGUMENTS_INVALID' } },
      name,
    );
  }
});

t.test('an endpoint that echoes the token does not reveal it, in any encoding', async (t) => {
  const agent = await setUpTest(t);
  const probe = await agent.call('author__probe_target', { method: 'GET', path: '/echo' });
  t.match(probe.text, /\[redacted\]/);
  holdsNone(t, probe, 'a probe');
  const { data } = await agent.call('author__request_run', {
    text: scenarioText('GET ${INGESTION_URL}/echo', ['status=200', 'body has auth equals nothing']),
  });
  holdsNone(t, await agent.call('author__get_run_status', { run_id: data.run_id }), 'a report');
  for (const part of ['checks', 'request', 'response', 'scenario']) {
    holdsNone(t, await agent.call('author__get_run_status', { run_id: data.run_id, part }), part);
  }
  holdsNone(t, await agent.call('author__list_runs'), 'a list');
});

t.test('no check is an oracle of the token: right and wrong guesses give the same result', async (t) => {
  const agent = await setUpTest(t);
  const first = token.charAt(0);
  const pairs: readonly (readonly [right: string, wrong: string])[] = [
    [`body has auth matching ^Bearer ${first}`, 'body has auth matching ^Bearer Z'],
    [`body has bare matching ^${first}`, 'body has bare matching ^Z'],
    [`body has bare matching ^.{${token.length}}$`, 'body has bare matching ^.{99}$'],
    [`body has auth containing ${token.slice(0, 3)}`, 'body has auth containing Zzz'],
    [`body has bare equals ${token}`, 'body has bare equals Zzz'],
    [`body has hex containing ${Buffer.from(token.slice(0, 2)).toString('hex')}`, 'body has hex containing 5a5a'],
    [`body has nested containing ${token.slice(0, 3)}`, 'body has nested containing Zzz'],
    [`body has list[0] containing ${token.slice(0, 3)}`, 'body has list[0] containing Zzz'],
    [`body has list containing ${token.slice(0, 3)}`, 'body has list containing Zzz'],
  ];
  for (const [right, wrong] of pairs)
    t.equal(await agent.verdict([right]), await agent.verdict([wrong]), right.slice(0, 30));
});

t.test('a target that logs its token does not reveal it to agents, and log checks are not an oracle', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vp-attacks-'));
  const logFrom = join(folder, 'app.log');
  writeFileSync(logFrom, '');
  const target = await startHttpTarget((request, response, arrived) => {
    const { authorization = '', 'x-request-id': requestId } = request.headers;
    appendFileSync(logFrom, `${JSON.stringify({ level: 50, requestId, msg: authorization })}\n`);
    echo(request, response, arrived);
  });
  t.teardown(async () => {
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const config =
    'observability:\n  logstore:\n    log_format: json\n    correlation_field: requestId\n    level_field: level\n    error_match: 50\n';
  // Neither guess holds, so both are waited for in full.
  const evidenceWaitTimes = { ...defaultEvidenceWaitTimes, checkedMs: 2000 };
  const options = { baseUrl: target.origin, config, logSource: logFrom, evidenceWaitTimes };
  const environment = await createAgentTestSetup(t, options);
  const [agent, product] = [await environment.agent('test'), await environment.agent('product')];
  const trigger = 'GET ${INGESTION_URL}/echo\nX-Request-Id: ${correlation_id}';
  const results: unknown[] = [];
  for (const guess of [`^Bearer ${token.charAt(0)}`, '^Bearer Z']) {
    const text = scenarioText(trigger, ['status=200', `log has msg matching ${guess}`]);
    const input = { text: text.replace('HTTP Ingestion', 'HTTP Ingestion + Log') };
    const { data } = await agent.call('author__request_run', input);
    const result = await agent.call('author__get_run_status', { run_id: data.run_id });
    const logs = await agent.call('author__get_run_logs', { run_id: data.run_id });
    t.match(logs.data, { line_count: 1, lines: [{ text: /\[redacted\]/ }] });
    holdsNone(t, [result, logs], guess);
    results.push(result.data.result);
  }
  t.equal(results[0], results[1], 'a right and a wrong guess fare alike');
  const summary = await product.call('product__get_error_summary');
  t.match(summary.data, { errors: [{ level: '50' }] });
  holdsNone(t, summary, 'the summary');
});

t.test('a proof does not reveal the token', async (t) => {
  const agent = await setUpTest(t);
  const checks = ['status=200', 'body has auth', 'body has bare matching .*', 'body has nested'];
  const { data } = await agent.call('author__request_run', {
    text: scenarioText('GET ${INGESTION_URL}/echo', checks),
    prove: true,
  });
  const result = await agent.call('author__get_run_status', { run_id: data.run_id });
  t.match(result.data, { result: 'passed' });
  holdsNone(t, result, 'a report with a proof');
  holdsNone(t, await agent.call('author__get_run_status', { run_id: data.run_id, part: 'proof' }), 'a proof');
});

t.test('an agent that guesses the whole token gets it redacted in its own text', async (t) => {
  const agent = await setUpTest(t);
  const refusal = await agent.callExpectingError('author__get_scenario', { scenario_id: token });
  holdsNone(t, refusal, 'an error');
});

t.test('status and definitions contain names, never values', async (t) => {
  const agent = await setUpTest(t);
  const status = await agent.call('author__get_executor_status');
  t.match(status.data, { placeholders: ['INGESTION_URL', 'correlation_id', 'PLAIN'] });
  holdsNone(t, status, 'status');
  t.notMatch(JSON.stringify(status), 'a-plain-value');
  holdsNone(t, await agent.client.listTools(), 'definitions');
});
