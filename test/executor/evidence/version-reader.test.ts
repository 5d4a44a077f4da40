import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import type { TargetVersionConfig } from '../../../src/project/project-config.ts';
import type { Report } from '../../../src/report/report.ts';
import { type RequestHandler, startHttpTarget } from '../../targets/http-target.ts';
import { createRunRequest, scenarioText } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

const token = 'the-token-of-the-target';

/** A target whose health endpoint answers as `health` says. */
async function createBench(t: Test, targetVersion: TargetVersionConfig, health: RequestHandler) {
  const requests: string[] = [];
  const target = await startHttpTarget((request, response, received) => {
    requests.push(`${received.url} ${request.headers.authorization}`);
    if (received.url === '/health') health(request, response, received);
    else response.writeHead(200, { 'X-Build': 'b-17', 'X-App-Version': '9.9' }).end('{}');
  });
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const runner = createTestRunner(t, target, { project: { token }, config: { targetVersion }, clock });
  const run = (): Promise<Report> =>
    runner.execute(createRunRequest(scenarioText('GET ${INGESTION_URL}/', ['status=200'])));
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { run, requests, advance };
}

const atPath = (kind: 'header' | 'field', name: string): TargetVersionConfig => ({
  path: '/health',
  source: { kind, name },
});

t.test('a header of the response that the config names is the version', async (t) => {
  const { run, requests } = await createBench(
    t,
    { path: undefined, source: { kind: 'header', name: 'X-Build' } },
    () => {},
  );
  t.match(await run(), { result: 'passed', target_version: 'b-17', notes: [] });
  t.equal(requests.length, 1, 'nothing else is requested');
});

t.test('a field of the health endpoint is read after the response, at most every two seconds', async (t) => {
  let build = 41;
  const { run, requests, advance } = await createBench(t, atPath('field', 'build.number'), (_, response) =>
    response.end(JSON.stringify({ status: 'up', build: { number: build } })),
  );
  t.match(await run(), { result: 'passed', target_version: '41' });
  build = 42;
  t.match(await run(), { target_version: '41' });
  advance(2000);
  t.match(await run(), { target_version: '42' });
  const [first, second] = requests;
  t.match(first, /^\/ /);
  t.equal(second, `/health Bearer ${token}`);
  t.equal(requests.filter((line) => line.startsWith('/health')).length, 2);
});

t.test('a header of the health endpoint is read, and its status does not matter', async (t) => {
  const { run } = await createBench(t, atPath('header', 'X-Release'), (_, response) =>
    response.writeHead(503, { 'x-release': ' 2.0 ' }).end(),
  );
  t.match(await run(), { result: 'passed', target_version: '2.0' });
});

t.test('what cannot be read is a note, and does not change the result', async (t) => {
  const cases: readonly (readonly [RequestHandler, RegExp])[] = [
    [(_, response) => response.writeHead(404).end('no'), /there is no field `version` of GET \/health \(status 404\)/],
    [(_, response) => response.end('{"version":{"major":1}}'), /there is no field `version` of GET \/health/],
    [(_, response) => response.end(`{"version":"${token}"}`), /is not a version of up to 100 printable/],
    [(_, response) => response.end('{"version":"1\\u0000"}'), /is not a version of up to 100 printable/],
    [(_, response) => void response.destroy(), /could not be read: field `version` of GET \/health: /],
  ];
  for (const [health, expected] of cases) {
    const { run } = await createBench(t, atPath('field', 'version'), health);
    const report = await run();
    t.match(report, { result: 'passed', failure: null });
    t.equal(report.target_version, undefined);
    t.match(report.notes.join('\n'), expected);
    t.match(
      report.notes.join('\n'),
      'correct `observability.version` in platform-config.yaml',
      'EVIDENCE_VERSION_UNREAD',
    );
    t.notMatch(JSON.stringify(report), token);
  }
});
