/** Checks and captures of the log and the database in steps. */
import { PassThrough } from 'node:stream';
import t, { type Test } from 'tap';
import type { ObservedQueryResult } from '../../../src/check/observation.ts';
import { ReportSchema } from '../../../src/contract/report-schema.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import type { DatabaseQuery, TargetDatabase } from '../../../src/executor/database/target-database.ts';
import { defaultEvidenceWaitTimes } from '../../../src/executor/evidence/collect-evidence.ts';
import { createRunner } from '../../../src/executor/runs/runner.ts';
import { createValidator } from '../../../src/http/schema/validator.ts';
import { openStreamSource } from '../../../src/logs/sources/stream-source.ts';
import { createTargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import type { Report } from '../../../src/report/report.ts';
import { startHttpTarget } from '../../targets/http-target.ts';
import { createRunRequest, createTestProject } from '../test-project.ts';

const wire = createValidator<Report>(ReportSchema);
const waitTimes = { ...defaultEvidenceWaitTimes, checkedMs: 600, firstLineMs: 150, quietCheckedMs: 40 };

const text = `# Scenario: GET account

## Metadata

- ID: RT-GET-account
- Layer: HTTP Ingestion + Database + Log

## STEPS

### sign up

POST \${INGESTION_URL}/account
X-Request-Id: \${correlation_id}

- status=201
- capture job = log job.id
- capture code = db code

## TRIGGER

GET \${INGESTION_URL}/account/\${job}?code=\${code}
X-Request-Id: \${correlation_id}

## VERIFY

~~~sql
SELECT code FROM account WHERE id = \${body.id}
~~~

## EXPECT

### Runnable

- status=200

## CLEANUP

### remove

DELETE \${INGESTION_URL}/account/\${code}
`;

function rows(...codes: (string | null)[]): ObservedQueryResult {
  return { kind: 'rows', columns: ['code'], rows: codes.map((code) => [code]), rowCount: codes.length, more: false };
}

type BenchOptions = {
  readonly line?: string;
  readonly delayMs?: number;
  readonly results: (count: number) => ObservedQueryResult;
};

async function createBench(t: Test, { line = '{"job":{"id":"j-7"}}', delayMs = 30, results }: BenchOptions) {
  const stream = new PassThrough();
  const log = openStreamSource(stream, systemClock);
  const queries: DatabaseQuery[] = [];
  const target = await startHttpTarget((request, response) => {
    const id = String(request.headers['x-request-id']);
    if (request.method === 'POST')
      setTimeout(() => stream.write(`${line.replace('{', `{"requestId":"${id}",`)}\n`), delayMs);
    const status = request.method === 'POST' ? 201 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"id":42}');
  });
  const dispatcher = createTargetDispatcher();
  const database: TargetDatabase = {
    query: async (query) => results(queries.push(query)),
    describe: async () => [],
    grants: async () => ({ writable: [], unreadable: [], hidden: [], tooPowerful: [] }),
    close: async () => undefined,
  };
  const project = { ...createTestProject({ baseUrl: target.origin }), redactedCaptures: new Set(['code']) };
  const evidenceSources = { log, database };
  const options = { project, dispatcher, clock: systemClock, version: '0.4.0', evidenceSources };
  const runner = createRunner({ ...options, evidenceWaitTimes: waitTimes });
  t.teardown(async () => {
    dispatcher.close();
    await log.close();
    await target.close();
  });
  return {
    queries,
    log: () => target.arrived.map(({ method, url }) => `${method} ${url}`),
    async run(scenarioText = text): Promise<Report> {
      const report = await runner.execute(createRunRequest(scenarioText));
      t.strictSame(wire.isValid(report) ? [] : wire.listViolations(report, true), [], 'the report fits the wire');
      return report;
    },
  };
}

t.test('a step waits for its line and its row, and captures from both', async (t) => {
  const bench = await createBench(t, { results: (count) => (count < 3 ? rows() : rows('secret-4711')) });
  const report = await bench.run();
  t.match(report, { result: 'passed', steps: [{ outcome: 'passed' }] });
  t.same(bench.log(), ['POST /account', 'GET /account/j-7?code=secret-4711', 'DELETE /account/secret-4711']);
  t.match(bench.queries[0], { values: ['42'] }, 'with the body of the step');
  t.notMatch(JSON.stringify(report), 'secret-4711', 'the config says that it is a secret');
});

t.test('a row that is missing, null or one of several fails the step', async (t) => {
  for (const [result, actual] of [
    [rows(), 'no row'],
    [rows(null), 'null'],
    [rows('a1', 'b2'), '2 rows: let the query pick one'],
  ] as const) {
    const bench = await createBench(t, { results: () => result });
    const report = await bench.run();
    t.match(report.failure, { kind: 'evidence_mismatch', message: /^step `sign up`: / }, actual);
    t.match(report.failed_checks, [{ text: 'capture code = db code', actual }]);
    t.same(bench.log(), ['POST /account'], 'nothing else is sent: the cleanup lacks the code');
  }
});

t.test('a line without the field, or with null, fails the step', async (t) => {
  const bench = await createBench(t, { line: '{"job":{"id":null}}', results: () => rows('c1') });
  const report = await bench.run();
  t.match(report.failed_checks, [{ text: 'capture job = log job.id', actual: 'null' }]);
  t.equal(report.result, 'failed');
});

t.test('evidence that is unavailable judges nothing, and the steps end', async (t) => {
  const unavailable: ObservedQueryResult = {
    kind: 'unavailable',
    problem: 'no connection',
    cure: 'start it',
    isFinal: true,
  };
  const bench = await createBench(t, { results: () => unavailable });
  const report = await bench.run();
  t.match(report.failure, { kind: 'evidence_unavailable', message: /^step `sign up`: .*no connection/ });
  t.match(report.steps, [{ outcome: 'not_judged' }]);
});

t.test('under Runnable they are captured for the cleanup', async (t) => {
  const bench = await createBench(t, { results: () => rows('c9') });
  const moved = text
    .replace('- capture code = db code\n', '')
    .replace('?code=${code}', '')
    .replace('- status=200', '- status=200\n- capture code = db code');
  t.match(await bench.run(moved), { result: 'passed' });
  t.same(bench.log().at(-1), 'DELETE /account/c9');
});
