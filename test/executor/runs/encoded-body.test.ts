/** Bodies that are encoded, and checks that need the clock or the request's URL, from the text to the verdict. */
import t, { type Test } from 'tap';
import { getHeader, respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createRunRequest, scenarioText } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

async function setUpRunner(t: Test) {
  const target = await startHttpTarget(respondWithJson({ at: new Date().toISOString(), data: { id: 1 } }));
  const runner = createTestRunner(t, target, { project: { token: 'a-token-of-the-target' } });
  const run = (trigger: string, checks: string[]) =>
    runner.execute(createRunRequest(scenarioText(`${trigger}\nX-Request-Id: \${correlation_id}`, checks)));
  return { target, runner, run };
}

t.test('a form and a query arrive encoded with their type', async (t) => {
  const { target, runner } = await setUpRunner(t);
  const send = (fence: string) =>
    runner.execute(
      createRunRequest(
        scenarioText(`POST \${INGESTION_URL}/a\nX-Request-Id: \${correlation_id}\n\n${fence}`, ['status=200']),
      ),
    );
  t.match(await send('~~~form\nname = Ann & Ben\n~~~'), { result: 'passed' });
  const report = await send('~~~graphql\n{ me { id } }\n~~~');
  t.match(report, { result: 'passed', checks: [{}, { text: 'body has no errors', outcome: 'passed' }] });
  const [form, query] = target.arrived;
  t.equal(form && getHeader(form, 'content-type'), 'application/x-www-form-urlencoded');
  t.equal(form?.body, 'name=Ann+%26+Ben');
  t.equal(query && getHeader(query, 'content-type'), 'application/json');
  t.equal(query?.body, '{"query":"{ me { id } }"}');
});

t.test('an answer with errors fails a query that expects none', async (t) => {
  const { target, runner } = await setUpRunner(t);
  target.handler = respondWithJson({ data: null, errors: [{ message: 'denied' }] });
  const text = scenarioText(
    'POST ${INGESTION_URL}/graphql\nX-Request-Id: ${correlation_id}\n\n~~~graphql\n{ me { id } }\n~~~',
    ['status=200'],
  );
  t.match(await runner.execute(createRunRequest(text)), {
    result: 'failed',
    failed_checks: [{ text: 'body has no errors', actual: /denied/ }],
  });
});

t.test('dates, durations and redirects are judged by what the executor saw', async (t) => {
  const { target, run } = await setUpRunner(t);
  const checks = [
    'status=200',
    'body has at within 1m of now',
    'duration <= 30s',
    'header Content-Type containing json',
  ];
  t.match(await run('GET ${INGESTION_URL}/a', checks), { result: 'passed', assertions_enforced_count: 2 });
  target.handler = (_request, response) => {
    response.writeHead(302, { location: `${target.origin}/login` });
    response.end();
  };
  t.match(await run('GET ${INGESTION_URL}/a', ['status=3xx', 'redirect to /login']), { result: 'passed' });
  t.match(await run('GET ${INGESTION_URL}/a', ['status=3xx', 'redirect to /logout']), {
    result: 'failed',
    failure: { kind: 'body_mismatch', message: /response headers did not satisfy/ },
  });
  t.match(await run('GET ${INGESTION_URL}/a', ['status=200', 'duration > 10m']), {
    failed_checks: [{ text: 'status=200' }, { text: 'duration > 10m' }],
  });
});

t.test('cookies are judged as they were set, and their values are never displayed', async (t) => {
  const { target, run } = await setUpRunner(t);
  const secret = 'a-session-of-somebody';
  target.handler = (_request, response) => {
    response.setHeader('Set-Cookie', ['theme=dark', `session=${secret}; Path=/; HttpOnly`]);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{}');
  };
  const holding = ['cookie session HttpOnly', 'cookie theme equals dark', 'cookie other absent'];
  t.match(await run('GET ${INGESTION_URL}/a', ['status=200', ...holding]), { result: 'passed' });
  const failing = ['cookie session absent', 'cookie session equals x', 'cookie session Secure', 'cookie theme absent'];
  const report = await run('GET ${INGESTION_URL}/a', ['status=200', ...failing]);
  t.match(report, { result: 'failed', failed_checks: failing.map((text) => ({ text })) });
  t.notMatch(JSON.stringify(report), secret);
});
