/** Scenarios with CASES, and the example of docs/how-to/cases.md. */
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { formatError } from '../../../src/errors/vp-error.ts';
import type { ChainProgress } from '../../../src/executor/runs/chain-journal.ts';
import type { ExecuteOptions } from '../../../src/executor/runs/run-context.ts';
import type { Report } from '../../../src/report/report.ts';
import { formatScenario } from '../../../src/scenario/format.ts';
import { getHeader, type RequestHandler, respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createRunRequest } from '../test-project.ts';
import { assertValidReport, createTestRunner } from '../test-runner.ts';

const [, example = ''] =
  /```markdown\n([\s\S]*?)\n```\n\n`vp run`/.exec(readFileSync('docs/how-to/cases.md', 'utf8')) ?? [];

/** Answers as the how-to says, unless `changes` has the request. */
async function createBench(t: Test, changes: Record<string, RequestHandler> = {}) {
  const target = await startHttpTarget((request, response, arrived) => {
    const { method = '', url = '' } = request;
    const own = changes[`${method} ${url}`];
    if (own) return own(request, response, arrived);
    const page = Number(/page=(.*)$/.exec(url)?.[1]);
    if (method === 'DELETE') return respondWithJson({}, 200)(request, response, arrived);
    if (method === 'POST') {
      const { quantity } = JSON.parse(arrived.body);
      const reply = quantity > 0 ? respondWithJson({ quantity }, 201) : respondWithJson({ message: 'at least 1' }, 422);
      return reply(request, response, arrived);
    }
    const reply = page >= 1 ? respondWithJson({ data: [] }) : respondWithJson({ message: 'pages begin at 1' }, 422);
    return reply(request, response, arrived);
  });
  const runner = createTestRunner(t, target);
  const validate = (report: Report): Report => assertValidReport(t, report);
  return {
    target,
    log: () => target.arrived.map(({ method, url }) => `${method} ${url}`),
    run: async (text: string, options: ExecuteOptions & { prove?: boolean } = {}) =>
      validate(await runner.execute({ ...createRunRequest(text), prove: options.prove ?? false }, options)),
    recover: async (text: string, progress: ChainProgress) =>
      validate(await runner.recover(createRunRequest(text), progress, { journal: async () => true, isCopy: false })),
  };
}

const pages = `# Scenario: GET page

## Metadata

- ID: RT-GET-page
- Layer: HTTP Ingestion

## TRIGGER

GET \${INGESTION_URL}/orders?page=\${page}
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=\${status}
- body has message containing \${text}

## CASES

| case     | page | status | text  |
| -------- | ---- | ------ | ----- |
| zero     | 0    | 422    | pages |
| negative | -1   | 422    | begin |
| letter   | x    | 422    | at 1  |
`;

const statusOnly = pages.replace('- body has message containing ${text}\n', '- body text containing ${text}\n');

t.test('the example of the how-to is formatted and passes', async (t) => {
  const { run, target } = await createBench(t);
  const report = await run(example);
  t.match(report, { result: 'passed', failure: null, displayed_case: 'one' });
  t.same(
    report.cases?.map(({ name, outcome }) => [name, outcome]),
    [
      ['one', 'passed'],
      ['none', 'passed'],
      ['too few', 'passed'],
    ],
  );
  t.match(target.arrived[0]?.body, '{ "item": "lamp", "quantity": 1 }');
  t.equal(
    formatScenario(example, {}, () => {}),
    `${example}\n`,
  );
});

t.test('each case is sent with its values and its own correlation id', async (t) => {
  const { run, log, target } = await createBench(t);
  const report = await run(pages);
  t.same(log(), ['GET /orders?page=0', 'GET /orders?page=-1', 'GET /orders?page=x']);
  t.match(report, {
    result: 'passed',
    correlation_id: 'tr-20261120T143012345-abcdef',
    assertions_enforced_count: 3,
    cases: [
      { name: 'zero', outcome: 'passed', observed_status: 422, check_count: 2, failed_checks: [], exchange: null },
      { name: 'negative', correlation_id: 'tr-20261120T143012345-abcdef-0002' },
      { name: 'letter' },
    ],
  });
  t.same(
    target.arrived.map((arrived) => getHeader(arrived, 'X-Request-Id')),
    report.cases?.map((entry) => entry.correlation_id),
  );
});

t.test('one case that fails makes the run fail, and is displayed', async (t) => {
  const { run } = await createBench(t, { 'GET /orders?page=-1': respondWithJson({ data: [] }) });
  const report = await run(pages);
  t.match(report, {
    result: 'failed',
    failure: { kind: 'status_mismatch', message: 'case `negative`: responder returned status 200 (codes=[422])' },
    displayed_case: 'negative',
    observed_status: 200,
    exchange: { request: { url: /page=-1$/ } },
    cases: [
      { outcome: 'passed', problem: null },
      {
        outcome: 'failed',
        problem: 'responder returned status 200 (codes=[422])',
        failed_checks: [{ text: 'status=${status}', expected: '422', actual: '200' }, {}],
        exchange: { response: { status: 200 } },
      },
      { outcome: 'passed' },
    ],
  });
});

t.test('a false check outweighs an earlier case without an answer', async (t) => {
  const { run } = await createBench(t, {
    'GET /orders?page=0': (request) => request.socket.destroy(),
    'GET /orders?page=x': respondWithJson({ data: [] }),
  });
  const report = await run(pages);
  t.match(report, { displayed_case: 'letter', failure: { kind: 'status_mismatch' } });
  t.same(
    report.cases?.map(({ outcome }) => outcome),
    ['not_judged', 'passed', 'failed'],
  );
});

t.test('three cases without an answer end the run, and the others are reported as not sent', async (t) => {
  const { run, log } = await createBench(
    t,
    Object.fromEntries(['0', '-1', 'x'].map((page) => [`GET /orders?page=${page}`, () => {}])),
  );
  const text = `${pages}| fourth   | 4    | 200    | data  |\n\n## TIMEOUT\n\n1s\n`;
  const report = await run(text);
  t.equal(log().length, 3);
  t.match(report, { result: 'failed', failure: { kind: 'timeout' } });
  t.match(report.cases?.[3], {
    outcome: 'not_sent',
    problem: formatError('CASE_RUN_ENDED', {}).message,
    total_ms: null,
  });
});

t.test('a cancelled run sends no further case, and never passes', async (t) => {
  const cancel = new AbortController();
  const { run, log } = await createBench(t, { 'GET /orders?page=-1': () => cancel.abort() });
  const report = await run(pages, { signal: cancel.signal });
  t.equal(report.result, null);
  t.same(log(), ['GET /orders?page=0', 'GET /orders?page=-1']);
  t.same(
    report.cases?.map(({ outcome }) => outcome),
    ['passed', 'not_judged', 'not_sent'],
  );
});

const withCleanup = `${pages}
## CLEANUP

### remove

DELETE \${INGESTION_URL}/orders/\${page}
`;

t.test('each case has its own steps and cleanup, noted in the journal with its position', async (t) => {
  const { run, log } = await createBench(t);
  const seen: (readonly [number | undefined, number])[] = [];
  const report = await run(withCleanup, {
    journal: async (progress) => {
      seen.push([progress.case, progress.position]);
      return true;
    },
  });
  t.equal(report.result, 'passed');
  t.same(log().slice(0, 4), ['GET /orders?page=0', 'DELETE /orders/0', 'GET /orders?page=-1', 'DELETE /orders/-1']);
  t.same(
    seen,
    [0, 1, 2].flatMap((index) => [
      [index, 0],
      [index, 1],
    ]),
  );
});

t.test('after a crash the case that was being sent is cleaned up, and no request is sent twice', async (t) => {
  const { recover, log } = await createBench(t);
  const values = ['case', 'negative', 'page', '-1', 'status', '422', 'text', 'begin'];
  const captures = [0, 2, 4, 6].map((at) => ({ name: values[at] ?? '', text: values[at + 1] ?? '', isText: true }));
  const report = await recover(withCleanup, { position: 0, case: 1, captures, withheld: [] });
  t.same(log(), ['DELETE /orders/-1']);
  t.match(report, { result: 'failed', failure: { kind: 'executor_lost' }, displayed_case: 'negative' });
  t.same(
    report.cases?.map(({ outcome }) => outcome),
    ['not_known', 'not_judged', 'not_sent'],
  );
  t.match(report.cases?.[0], { problem: formatError('CASE_NOT_KNOWN', {}).message });
});

t.test('a proof covers what any case shows', async (t) => {
  const { run } = await createBench(t);
  const { proof } = await run(statusOnly, { prove: true });
  t.match(proof, { problem: null, checks: [{ text: 'status=${status}', verdict: 'proven' }, { verdict: 'proven' }] });
  t.ok((proof?.checks[0]?.changes ?? 0) > 3, 'of all cases');
});

t.test('a thousand failing cases make a report of bounded size', async (t) => {
  const { run } = await createBench(t);
  const rows = Array.from({ length: 1000 }, (_, index) => `| ${index + 1} | 422 | begin |`);
  const text = `${pages.slice(0, pages.indexOf('| case'))}| page | status | text |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
  const report = await run(text);
  t.equal(report.cases?.filter(({ outcome }) => outcome === 'failed').length, 1000);
  t.equal(report.cases?.filter(({ exchange }) => exchange !== null).length, 20);
  t.ok(JSON.stringify(report).length < 1_000_000);
});
