import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { formatError } from '../../../src/errors/vp-error.ts';
import { createFailure } from '../../../src/executor/execution-failure.ts';
import type { Runner } from '../../../src/executor/runs/runner.ts';
import type { Report } from '../../../src/report/report.ts';
import {
  getHeader,
  type HttpTarget,
  type RequestHandler,
  respondWithJson,
  startHttpTarget,
} from '../../targets/http-target.ts';
import { findFailureCode } from '../failure-code.ts';
import { createRunRequest, scenarioText, type TestProjectOptions } from '../test-project.ts';
import { assertValidReport, createTestRunner } from '../test-runner.ts';

const token = 'sekrit-token-0123456789';

type Bench = { readonly target: HttpTarget; readonly runner: Runner; run(text: string): Promise<Report> };

/** A target with that handler, and a runner for it; every report is validated against the schema. */
async function createBench(t: Test, answer: RequestHandler, options: Partial<TestProjectOptions> = {}): Promise<Bench> {
  const target = await startHttpTarget(answer);
  const runner = createTestRunner(t, target, { project: { token, ...options } });
  const run = async (text: string): Promise<Report> =>
    assertValidReport(t, await runner.execute(createRunRequest(text)));
  return { target, runner, run };
}

const get = (...lines: string[]) => ['GET ${INGESTION_URL}/api/v2/document', ...lines].join('\n');

t.test('a run that passes', async (t) => {
  const { target, run } = await createBench(t, respondWithJson({ count: 3 }));
  const report = await run(
    scenarioText(get('X-Request-Id: ${correlation_id}'), ['status=200', 'body has count matching ^3$']),
  );
  t.match(report, {
    result: 'passed',
    failure: null,
    observed_status: 200,
    assertions_enforced_count: 1,
    failed_checks: [],
  });
  t.match(report.exchange.response, { status: 200, body: { text: '{"count":3}', size_bytes: 11, truncated: false } });
  t.ok(report.timings.total_ms >= (report.timings.body_ms ?? Infinity));
  const [arrived] = target.arrived;
  t.ok(arrived);
  if (!arrived) return;
  t.equal(getHeader(arrived, 'X-Correlation-Id'), report.correlation_id);
  t.equal(getHeader(arrived, 'X-Request-Id'), report.correlation_id);
  t.equal(getHeader(arrived, 'User-Agent'), 'vp/0.4.0');
  t.equal(getHeader(arrived, 'Authorization'), `Bearer ${token}`);
  t.equal(getHeader(arrived, 'Accept-Encoding'), undefined);
});

t.test('the displayed request is the sent request without secrets', async (t) => {
  const { target, run } = await createBench(t, respondWithJson({}));
  const report = await run(
    scenarioText(['POST ${INGESTION_URL}/a?b=1', 'Content-Type: application/json', '', '{"é":1}'].join('\n'), [
      'status=200',
    ]),
  );
  const { request } = report.exchange;
  t.match(request, { method: 'POST', url: `${target.origin}/a?b=1`, body: '{"é":1}' });
  const sent = Object.fromEntries(request?.headers ?? []);
  t.match(sent, { Authorization: '[redacted]', 'Content-Type': 'application/json', 'Content-Length': '8' });
  t.equal(target.arrived[0]?.body, '{"é":1}');
  const reportedNames = Object.keys(sent).map((name) => name.toLowerCase());
  const names = target.arrived[0]?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  t.strictSame(names?.filter((name) => name !== 'connection').sort(), reportedNames.sort());
});

t.test('Authorization and User-Agent of the scenario take precedence', async (t) => {
  const { target, run } = await createBench(t, respondWithJson({}, 401));
  await run(scenarioText(get('Authorization:'), ['status=401']));
  await run(scenarioText(get('Authorization: Basic eDp5', 'User-Agent: mine'), ['status=401']));
  t.strictSame(
    target.arrived.map((arrivedRequest) => getHeader(arrivedRequest, 'authorization')),
    [undefined, 'Basic eDp5'],
  );
  t.strictSame(
    target.arrived.map((arrivedRequest) => getHeader(arrivedRequest, 'user-agent')),
    ['vp/0.4.0', 'mine'],
  );
});

t.test('without a token no Authorization header is sent', async (t) => {
  const target = await startHttpTarget(respondWithJson({}));
  const runner = createTestRunner(t, target);
  await runner.execute(createRunRequest(scenarioText(get(), ['status=200'])));
  t.equal(target.arrived.map((arrivedRequest) => getHeader(arrivedRequest, 'authorization'))[0], undefined);
});

t.test('a target that echoes secrets reveals none of them', async (t) => {
  const echo: RequestHandler = (request, response) => {
    const { authorization = '' } = request.headers;
    const ownValue = `${authorization} ${request.headers['x-own']}`;
    const body = JSON.stringify({
      authorization,
      own: ownValue,
      url: request.url,
      basic: Buffer.from(`u:${token}`).toString('base64'),
    });
    response
      .writeHead(200, { 'x-echo': authorization, 'set-cookie': 'session=1', 'content-type': 'application/json' })
      .end(body);
  };
  const ownValue = 'own "value"/with specials';
  const { target, run } = await createBench(t, echo, { variables: { OWN: ownValue } });
  const trigger = ['GET ${INGESTION_URL}/a?own=${OWN}', 'X-Own: ${OWN}'].join('\n');
  const report = await run(
    scenarioText(trigger, [
      'status=200',
      `body has authorization equals Bearer ${token}`,
      'body has own matching ^never$',
      'body has url matching own',
    ]),
  );
  const reportText = JSON.stringify(report);
  t.equal(
    target.arrived.map((arrivedRequest) => getHeader(arrivedRequest, 'x-own'))[0],
    ownValue,
    'the target did get it',
  );
  t.notMatch(reportText, token);
  t.notMatch(reportText, Buffer.from(`u:${token}`).toString('base64'));
  for (const form of [
    ownValue,
    JSON.stringify(ownValue).slice(1, -1),
    encodeURIComponent(ownValue),
    JSON.stringify(ownValue),
  ])
    t.notOk(reportText.includes(form), form);
  t.equal(report.checks[1]?.outcome, 'failed', 'nor does a check tell whether it was guessed');
  t.match(report.checks[1], { expected: /\[redacted\]/, actual: /\[redacted\]/ });
});

t.test('a failed check reports expected and actual values', async (t) => {
  const { run } = await createBench(t, respondWithJson({ count: 0 }));
  const report = await run(scenarioText(get(), ['status=200', 'body has count matching ^[1-9]', 'body has nothing']));
  t.match(report, { result: 'failed', failure: { kind: 'body_mismatch' }, assertions_enforced_count: 2 });
  t.match(report.failed_checks, [
    { text: 'body has count matching ^[1-9]', actual: '0', line: 18 },
    { text: 'body has nothing' },
  ]);
});

t.test('a wrong status is reported in the words of the specification, and the body is still judged', async (t) => {
  const { run } = await createBench(t, respondWithJson({ error: 'no' }, 503));
  const report = await run(scenarioText(get(), ['status=200', 'body has error']));
  t.match(report.failure, { kind: 'status_mismatch', message: 'responder returned status 503 (codes=[200])' });
  t.match(report.checks[1], { outcome: 'passed' });
});

t.test('encoded bodies are decoded for judging and display', async (t) => {
  const { run } = await createBench(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"count":1}')),
  );
  const report = await run(scenarioText(get(), ['status=200', 'body has count equals 1']));
  t.match(report, { result: 'passed', exchange: { response: { body: { text: '{"count":1}', size_bytes: 11 } } } });
});

t.test('a gzip bomb is refused as too large', async (t) => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const { run } = await createBench(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  const report = await run(scenarioText(get(), ['status=200', 'body has count']));
  t.match(report.failure, { kind: 'response_too_large', message: /encoded as gzip/ });
  t.equal(findFailureCode(report.failure), 'EXECUTOR_RESPONSE_TOO_LARGE');
  t.equal(report.observed_status, 200);
});

t.test('a body that does not match its encoding is a failure', async (t) => {
  const { run } = await createBench(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'br' }).end('{"a":1}'),
  );
  const report = await run(scenarioText(get(), ['status=200']));
  t.equal(report.failure?.kind, 'protocol_error');
  t.equal(findFailureCode(report.failure), 'EXECUTOR_BODY_UNDECODABLE');
});

t.test('with an unsupported encoding the status is still judged', async (t) => {
  const { run } = await createBench(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'compress' }).end('abc'),
  );
  t.equal((await run(scenarioText(get(), ['status=200']))).result, 'passed');
  const report = await run(scenarioText(get(), ['status=200', 'body has a']));
  t.match(report.failed_checks[0]?.actual, /its Content-Encoding is compress/);
});

t.test('bodies that are not JSON, not text, or absent', async (t) => {
  const bodies: [string | Buffer, RegExp][] = [
    ['<html>', /not JSON/],
    [Buffer.from([0xff, 0x00, 0xfe]), /not text in UTF-8/],
    ['', /an empty body/],
  ];
  for (const [body, actual] of bodies) {
    const { run } = await createBench(t, (_request, response) => response.end(body));
    const report = await run(scenarioText(get(), ['status=200', 'body has a']));
    t.match(report.failed_checks[0]?.actual, actual);
  }
});

t.test('a long body is displayed truncated and judged completely', async (t) => {
  const { run } = await createBench(t, respondWithJson({ long: 'x'.repeat(200_000), last: 1 }));
  const report = await run(scenarioText(get(), ['status=200', 'body has last equals 1']));
  t.equal(report.result, 'passed');
  t.match(report.exchange.response?.body, { truncated: true, size_bytes: 200_020 });
  t.equal(report.exchange.response?.body.text?.length, 65_536);
});

t.test('more header lines than a report holds are all judged', async (t) => {
  const { run } = await createBench(t, (_request, response) => {
    const names = Array.from({ length: 1200 }, (_, index) => [`X-Line-${index}`, 'a'] as const);
    response.writeHead(200, [...names, ['X-Powered-By', 'x'] as const].flat()).end();
  });
  const report = await run(scenarioText(get(), ['status=200', 'header X-Powered-By absent', 'header X-Line-1199']));
  t.match(report, { result: 'failed', failed_checks: [{ text: 'header X-Powered-By absent', actual: '"x"' }] });
  t.equal(report.exchange.response?.headers.length, 1000);
});

t.test('deeply nested JSON ends in a report', async (t) => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const { run } = await createBench(t, (_request, response) => response.end(deep));
  const report = await run(scenarioText(get(), ['status=200', 'body has [0][0] matching ^x']));
  t.equal(report.result, 'failed');
});

t.test('a note says that bytes came behind the end of the response', async (t) => {
  const { run } = await createBench(t, ({ socket }) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"count":3}, {"count":4}'),
  );
  const report = await run(scenarioText(get(), ['status=200', 'body has count equals 3']));
  t.equal(report.result, 'passed');
  const { message, cure } = formatError('EVIDENCE_RESPONSE_SURPLUS', { bytes: 13 });
  t.same(report.notes, [`${message}: ${cure}`]);
});

t.test('a truncated body is displayed but not judged', async (t) => {
  const { run } = await createBench(t, (_request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"count":1', () => response.destroy());
  });
  const report = await run(scenarioText(get(), ['status=200', 'body has count']));
  t.equal(report.failure?.kind, 'protocol_error');
  t.equal(findFailureCode(report.failure), 'EXECUTOR_BODY_BROKEN_OFF');
  t.match(report.exchange.response?.body, { text: '{"count":1', truncated: true });
  t.strictSame(
    report.checks.map(({ outcome }) => outcome),
    ['passed', 'not_judged'],
  );
});

t.test('a timeout of the scenario ends the run with a timeout failure', async (t) => {
  const { run } = await createBench(t, () => {});
  const report = await run(scenarioText(get(), ['status=200'], 1));
  t.match(report, { result: 'failed', failure: { kind: 'timeout', message: /within 1 s/ }, observed_status: null });
  t.match(report.exchange, { request: { method: 'GET' }, response: null });
});

t.test('an unreadable scenario fails with its first error and line, and is not sent', async (t) => {
  const { target, run } = await createBench(t, respondWithJson({}));
  const report = await run(scenarioText(get(), ['staus=200']));
  t.match(report.failure, { message: /cannot be used: .*staus=200.* \(line 17\)/ });
  t.equal(findFailureCode(report.failure), 'EXECUTOR_SCENARIO_UNREADABLE');
  t.match(report, { scenario: { id: 'RT-document' }, exchange: { request: null }, checks: [] });
  t.equal(target.arrived.length, 0);
});

t.test('a variable without a value fails as secret_missing, and is not sent', async (t) => {
  const { target, run } = await createBench(t, respondWithJson({}));
  const report = await run(scenarioText(get('X-Key: ${ABSENT}'), ['status=200']));
  t.match(report.failure, { kind: 'secret_missing', message: /ABSENT/, cure: /\.env/ });
  t.strictSame(
    report.checks.map(({ outcome }) => outcome),
    ['not_judged'],
  );
  t.equal(target.arrived.length, 0);
});

t.test('a value with a line break never becomes a second header', async (t) => {
  const { target, run } = await createBench(t, respondWithJson({}), { variables: { OWN: 'a\r\nInjected: 1' } });
  const report = await run(scenarioText(get('X-Own: ${OWN}'), ['status=200']));
  t.match(report.failure, { kind: 'secret_missing', message: /line break/ });
  t.equal(target.arrived.length, 0);
});

t.test('non-ASCII letters of a variable are percent-encoded as UTF-8 in a path', async (t) => {
  const { target, run } = await createBench(t, respondWithJson({}), { variables: { OWN: 'ü b' } });
  const report = await run(scenarioText('GET ${INGESTION_URL}/documents/${OWN}', ['status=200']));
  t.equal(report.result, 'passed');
  t.equal(target.arrived[0]?.url, '/documents/%C3%BC%20b');
});

t.test('a run that is not executed still has a report', async (t) => {
  const { runner } = await createBench(t, respondWithJson({}));
  const report = runner.refuse(createRunRequest('# nothing'), createFailure('EXECUTOR_RUN_FORGOTTEN', {}));
  t.match(report, { result: 'failed', failure: { kind: 'executor_lost' } });
  t.equal(findFailureCode(report.failure), 'EXECUTOR_RUN_FORGOTTEN');
  assertValidReport(t, report);
});

t.test('a lease that ended before the first byte sends nothing', async (t) => {
  const { target, runner } = await createBench(t, respondWithJson({}));
  const refusal = () => createFailure('EXECUTOR_LEASE_ENDED', {});
  const report = await runner.execute(createRunRequest(scenarioText(get(), ['status=200'])), { beforeSend: refusal });
  t.equal(findFailureCode(report.failure), 'EXECUTOR_LEASE_ENDED');
  t.match(report, { failure: { kind: 'executor_lost' }, exchange: { request: null } });
  t.equal(target.arrived.length, 0);
});

t.test('concurrent runs do not interfere', async (t) => {
  const { run } = await createBench(t, (request, response) => {
    setTimeout(() => response.end(JSON.stringify({ id: request.headers['x-own'] })), Math.random() * 20);
  });
  const reports = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      run(scenarioText(get(`X-Own: n${index}`), ['status=200', `body has id equals n${index}`])),
    ),
  );
  t.ok(reports.every(({ result }) => result === 'passed'));
});

t.test('a pattern cannot be used to guess a secret that the target echoes', async (t) => {
  const echo: RequestHandler = (request, response) => {
    const authorization = request.headers.authorization ?? '';
    const encoded = Buffer.from(authorization).toString('base64');
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ authorization, encoded, nested: { headers: [authorization] } }));
  };
  const { run } = await createBench(t, echo);
  const guesses = [
    'body has authorization matching ^Bearer s',
    'body has authorization containing sekrit',
    `body has authorization equals Bearer ${token}`,
    'body has nested matching sekrit',
    `body has encoded equals ${Buffer.from(`Bearer ${token}`).toString('base64')}`,
  ];
  const report = await run(scenarioText(get(), [...guesses, 'body has authorization matching ^Bearer']));
  t.same(
    report.checks.map(({ outcome }) => outcome),
    [...guesses.map(() => 'failed'), 'passed'],
  );
  t.match(report.notes.join('\n'), /returned one of its own secrets/);
  t.notMatch(JSON.stringify(report.exchange), /sekrit/);
});

t.test('the excerpt of a body that is not JSON contains no beginning of a secret', async (t) => {
  const bodies = [
    `${'x'.repeat(190)}${token}`,
    `${token.repeat(16)}${'x'.repeat(100)}`,
    `${'x'.repeat(399)}${token}`,
    Buffer.concat([Buffer.from(token), Buffer.of(0xff, 0xfe)]),
  ];
  for (const body of bodies) {
    const { run } = await createBench(t, (_request, response) => response.end(body));
    const report = await run(scenarioText(get(), ['status=200', 'body has a']));
    t.match(report, { result: 'failed' });
    t.notMatch(JSON.stringify(report), /sek|73 65 6b/);
  }
});

t.test('a short secret does not conceal words of a body from checks', async (t) => {
  const { run } = await createBench(t, respondWithJson({ kind: 'signing' }), { token: 'signing' });
  t.match(await run(scenarioText(get(), ['status=200', 'body has kind equals signing'])), {
    result: 'passed',
    notes: [],
  });
});

t.test('variables of scenarios may be checked, and are still not displayed', async (t) => {
  const { run } = await createBench(t, respondWithJson({ tenant: 'acme-corporation' }), {
    variables: { TENANT: 'acme-corporation' },
  });
  const report = await run(scenarioText(get(), ['status=200', 'body has tenant equals acme-corporation']));
  t.match(report, { result: 'passed', notes: [] });
  t.notMatch(JSON.stringify(report.exchange), /acme/);
});
