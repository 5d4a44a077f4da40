import t, { type Test } from 'tap';
import { formatError } from '../../../src/errors/vp-error.ts';
import { createFailure } from '../../../src/executor/execution-failure.ts';
import type { ChainProgress } from '../../../src/executor/runs/chain-journal.ts';
import type { ExecuteOptions } from '../../../src/executor/runs/run-context.ts';
import type { Report } from '../../../src/report/report.ts';
import { formatStepFacts } from '../../../src/report/text/text-steps.ts';
import type { RunRequest } from '../../../src/run/run-request.ts';
import { getHeader, type RequestHandler, respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { findFailureCode } from '../failure-code.ts';
import { createRunRequest, type TestProjectOptions } from '../test-project.ts';
import { assertValidReport, createTestRunner } from '../test-runner.ts';

/** Creates an order, reads it, changes it, and removes it again. */
const orderText = `# Scenario: GET order

## Metadata

- ID: RT-GET-order
- Layer: HTTP Ingestion

## STEPS

### sign in

POST \${INGESTION_URL}/session

- status=200
- capture token = body.token
- capture sid = cookie sid

### create order

POST \${INGESTION_URL}/orders
Authorization: Bearer \${token}
Cookie: sid=\${sid}
Content-Type: application/json

~~~json
{ "note": "\${token}" }
~~~

- status=201
- capture order_id = body.id
- capture note = body.note
- capture etag = header ETag

## TRIGGER

GET \${INGESTION_URL}/orders/\${order_id}
If-Match: \${etag}
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=200
- body has id equals \${order_id}
- body has note matching ^\${note}$

## TIMEOUT

5s

## CLEANUP

Text is never executed.

### remove order

DELETE \${INGESTION_URL}/orders/\${order_id}

- status=204

### remove what nobody captured

DELETE \${INGESTION_URL}/orders/\${order_id}/rest
`;

type Routes = Record<string, RequestHandler>;

const noted = 'a "b" (c)+';
const routes: Routes = {
  'POST /session': (_request, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'set-cookie': 'sid=cookie-value-77; Path=/; HttpOnly',
    });
    response.end('{"token": "tok-secret-1"}');
  },
  'POST /orders': (_request, response) => {
    response.writeHead(201, { 'content-type': 'application/json', etag: '"v1"' });
    response.end(JSON.stringify({ id: 42, note: noted }));
  },
  'GET /orders/42': respondWithJson({ id: 42, note: noted }),
  'DELETE /orders/42': (_request, response) => {
    response.writeHead(204);
    response.end();
  },
  'DELETE /orders/42/rest': respondWithJson({}, 200),
};

async function createBench(t: Test, changes: Routes = {}, options: Partial<TestProjectOptions> = {}) {
  const all = { ...routes, ...changes };
  const target = await startHttpTarget((request, response, arrived) => {
    const handler = all[`${request.method} ${request.url}`] ?? respondWithJson({}, 404);
    handler(request, response, arrived);
  });
  const runner = createTestRunner(t, target, { project: options, config: { redactedCaptures: new Set(['token']) } });
  const validate = (report: Report): Report => assertValidReport(t, report);
  return {
    target,
    log: () => target.arrived.map(({ method, url }) => `${method} ${url}`),
    run: async (text: string, more: Partial<RunRequest> = {}, execute: ExecuteOptions = {}) =>
      validate(await runner.execute({ ...createRunRequest(text), ...more }, execute)),
    recover: async (text: string, progress: ChainProgress, isCopy = false) => {
      const journal = async () => true;
      return validate(await runner.recover(createRunRequest(text), progress, { journal, isCopy }));
    },
  };
}

const allRequests = ['POST /session', 'POST /orders', 'GET /orders/42', 'DELETE /orders/42', 'DELETE /orders/42/rest'];

t.test('steps, trigger and cleanup are sent in their order with what was captured', async (t) => {
  const { run, log, target } = await createBench(t);
  const report = await run(orderText);
  t.match(report, { result: 'passed', failure: null, observed_status: 200, assertions_enforced_count: 2, notes: [] });
  t.same(log(), allRequests);
  const [, create, read] = target.arrived;
  t.equal(create && getHeader(create, 'Authorization'), 'Bearer tok-secret-1');
  t.equal(create && getHeader(create, 'Cookie'), 'sid=cookie-value-77');
  t.equal(create?.body, '{ "note": "tok-secret-1" }');
  t.equal(read && getHeader(read, 'If-Match'), '"v1"');
  t.match(report.steps, [
    { name: 'sign in', outcome: 'passed', problem: null, exchange: { response: { status: 200 } } },
    {
      name: 'create order',
      outcome: 'passed',
      checks: [{ text: 'status=201' }, { kind: 'capture', actual: '42' }, {}, {}],
    },
  ]);
  t.match(report.cleanup, [{ name: 'remove order', outcome: 'passed' }, { outcome: 'passed' }]);
  t.match(
    report.checks.filter(({ step }) => step === undefined),
    [{ text: 'status=200' }, {}, {}],
  );
  const { before_ms: beforeMs = 0, total_ms: totalMs } = report.timings;
  t.ok(beforeMs > 0);
  const starts = [...(report.steps ?? []), ...(report.cleanup ?? [])].map(({ at_ms: atMs = -1 }) => atMs);
  const times = [0, ...starts.slice(0, 2), beforeMs, beforeMs + totalMs, ...starts.slice(2)];
  t.same(
    times,
    times.toSorted((a, b) => a - b),
    'steps, trigger and cleanup begin one after another',
  );
});

t.test('captured values that the config names, and cookies, are nowhere in the report', async (t) => {
  const { run } = await createBench(t);
  const text = JSON.stringify(await run(orderText, { prove: true }));
  t.notMatch(text, 'tok-secret-1');
  t.notMatch(text, 'cookie-value-77');
});

t.test('a failing step ends the run as failed; nothing after it is sent but the cleanup', async (t) => {
  const { run, log } = await createBench(t, { 'POST /orders': respondWithJson({ id: 42 }, 500) });
  const report = await run(orderText);
  t.same(log(), ['POST /session', 'POST /orders', 'DELETE /orders/42', 'DELETE /orders/42/rest']);
  t.match(report, {
    result: 'failed',
    failure: { kind: 'status_mismatch', message: 'step `create order`: responder returned status 500 (codes=[201])' },
    observed_status: null,
    exchange: { request: null, response: null },
  });
  t.match(report.failed_checks[0], { text: 'status=201', step: 'create order', pointer: null });
  t.same(
    report.checks.filter(({ step }) => step === undefined).map(({ outcome }) => outcome),
    ['not_judged', 'not_judged', 'not_judged'],
  );
});

t.test('a value that cannot be captured fails its step, and the cleanup says what it lacks', async (t) => {
  const { run, log } = await createBench(t, { 'POST /orders': respondWithJson({ id: null, note: 'n' }, 201) });
  const report = await run(orderText);
  t.same(log(), ['POST /session', 'POST /orders']);
  t.match(report.failure, { kind: 'body_mismatch', message: /^step `create order`: / });
  t.match(report.failed_checks, [
    { text: 'capture order_id = body.id', expected: 'a value of `id` that is not null', actual: 'null' },
    { text: 'capture etag = header ETag', actual: 'no such header' },
  ]);
  t.match(report.cleanup, [
    { outcome: 'not_sent', problem: formatError('STEP_CAPTURE_ABSENT', { placeholder: '${order_id}' }).message },
    { outcome: 'not_sent' },
  ]);
  t.match(report.notes, [/^the cleanup `remove order` was not sent: /, /^the cleanup /]);
});

t.test('a step without a check of the status fails on an error of the target', async (t) => {
  const { run } = await createBench(t, { 'POST /session': respondWithJson({ token: 'tok-secret-1' }, 503) });
  const report = await run(
    orderText
      .replace('- status=200\n- capture token', '- capture token')
      .replace('- capture sid = cookie sid\n', '')
      .replace('Cookie: sid=${sid}\n', ''),
  );
  t.match(report.failure, {
    kind: 'status_mismatch',
    message: `step \`sign in\`: ${formatError('STEP_STATUS_UNEXPECTED', { status: 503 }).message}`,
  });
  t.match(report.steps, [{ outcome: 'failed' }, { outcome: 'not_sent', problem: null }]);
});

t.test('a failing cleanup is a note and never changes the verdict', async (t) => {
  const { run, log } = await createBench(t, { 'DELETE /orders/42': respondWithJson({}, 500) });
  const report = await run(orderText);
  t.equal(report.result, 'passed');
  t.same(log(), allRequests, 'the others are sent nevertheless');
  t.match(report.cleanup, [{ outcome: 'failed', problem: /500/ }, { outcome: 'passed' }]);
  t.match(report.notes, [/^the cleanup `remove order` failed: responder returned status 500/]);
  t.same(report.failed_checks, []);
});

t.test('a note names the step behind whose response bytes came', async (t) => {
  const { run } = await createBench(t, {
    'DELETE /orders/42': ({ socket }) => socket.end('HTTP/1.1 204 No Content\r\n\r\n{}'),
  });
  const { result, notes } = await run(orderText);
  t.equal(result, 'passed');
  const { message, cure } = formatError('EVIDENCE_RESPONSE_SURPLUS', { bytes: 2 });
  t.same(notes, [`step \`remove order\`: ${message}: ${cure}`]);
});

const concurrentText = `# Scenario: GET counter

## Metadata

- ID: RT-GET-counter
- Layer: HTTP Ingestion

## STEPS

### increment at once

POST \${INGESTION_URL}/increments

- concurrent 8
- status=200

## TRIGGER

GET \${INGESTION_URL}/counter
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=200
- body has count equals 8

## CLEANUP

### reset

DELETE \${INGESTION_URL}/counter

- status=204
`;

/** Answers only when all eight requests are there, so that they are known to be on their way at once; `write` gives the status. */
function createCounter(write: (read: number, counter: { count: number }) => number): Routes {
  const counter = { count: 0 };
  const waiting: (() => void)[] = [];
  return {
    'POST /increments': (_request, response) => {
      const read = counter.count;
      waiting.push(() => void response.writeHead(write(read, counter)).end());
      if (waiting.length === 8) for (const respond of waiting) respond();
    },
    'GET /counter': (_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(counter));
    },
    'DELETE /counter': (_request, response) => {
      response.writeHead(204).end();
    },
  };
}

t.test('a step that is sent at once shows a missing lock, and passes with one', async (t) => {
  const unlocked = await createBench(
    t,
    createCounter((read, counter) => {
      counter.count = read + 1;
      return 200;
    }),
  );
  const lost = await unlocked.run(concurrentText);
  t.match(lost, { result: 'failed', failed_checks: [{ text: 'body has count equals 8', actual: '1' }] });
  t.match(lost.steps, [{ outcome: 'passed', concurrent: { requests: 8, passed: 8 } }]);
  const locked = await createBench(
    t,
    createCounter((_read, counter) => {
      counter.count += 1;
      return 200;
    }),
  );
  t.equal((await locked.run(concurrentText)).result, 'passed');
  t.equal(locked.log().filter((line) => line === 'POST /increments').length, 8);
});

t.test('all checks must hold for each response to requests that are sent at once', async (t) => {
  const { run, log } = await createBench(
    t,
    createCounter((_read, counter) => {
      counter.count += 1;
      return counter.count > 5 ? 500 : 200;
    }),
  );
  const report = await run(concurrentText);
  t.match(report, { result: 'failed', failure: { kind: 'status_mismatch', message: /^step `increment at once`: / } });
  t.match(report.steps, [
    { outcome: 'failed', concurrent: { requests: 8, passed: 5 }, exchange: { response: { status: 500 } } },
  ]);
  t.equal(log().at(-1), 'DELETE /counter', 'and they are cleaned up');
  t.match(report.steps?.map(formatStepFacts), [/^failed · status 500 · sent 8 times at once, 5 passed · /]);
});

t.test('requests that are sent at once have one position in the journal, and none is sent without it', async (t) => {
  const { run, recover, log } = await createBench(t);
  const positions: number[] = [];
  const journal = async ({ position }: ChainProgress) => {
    positions.push(position);
    return false;
  };
  t.equal((await run(concurrentText, {}, { journal })).result, 'failed');
  t.same(positions, [0]);
  t.same(log(), []);
  const report = await recover(concurrentText, { position: 0, captures: [], withheld: [] });
  t.match(report.steps, [{ outcome: 'not_known' }]);
  t.same(log(), ['DELETE /counter'], 'after a crash none of them is sent again');
});

t.test('a cancelled run is cleaned up too', async (t) => {
  const cancel = new AbortController();
  const { run, log } = await createBench(t, { 'GET /orders/42': () => cancel.abort() });
  const report = await run(orderText, {}, { signal: cancel.signal });
  t.equal(report.result, null);
  t.same(log(), allRequests);
});

t.test('nothing was sent, so nothing is cleaned up', async (t) => {
  const { run, log } = await createBench(t);
  const cancel = new AbortController();
  cancel.abort();
  const report = await run(orderText, {}, { signal: cancel.signal });
  t.same(log(), []);
  t.match(report.cleanup, [{ outcome: 'not_sent', problem: null }, { outcome: 'not_sent' }]);
  t.notMatch(report.notes.join(), /the cleanup/);
});

t.test('until repeats the request until its check holds, and reports what was seen last', async (t) => {
  let calls = 0;
  const counting: RequestHandler = (request, response, arrived) => {
    calls += 1;
    respondWithJson({ id: 42, note: noted, state: calls < 3 ? 'open' : 'done' })(request, response, arrived);
  };
  const { run } = await createBench(t, { 'GET /orders/42': counting });
  const text = (within: string) =>
    orderText.replace('- body has id', `- until body has state equals done within ${within} every 50ms\n- body has id`);
  t.match(await run(text('20s')), { result: 'passed', attempts: 3, assertions_enforced_count: 3 });
  calls = -1_000_000;
  const late = await run(text('120ms'));
  t.equal(late.result, 'failed');
  t.ok((late.attempts ?? 0) > 1);
  t.match(late.failed_checks, [{ text: 'until body has state equals done within 120ms every 50ms', actual: '"open"' }]);
});

t.test('a captured value that makes no check is not judged', async (t) => {
  const { run, log } = await createBench(t, {
    'POST /orders': (_request, response) => {
      response.writeHead(201, { 'content-type': 'application/json', etag: '"v1"' });
      response.end(JSON.stringify({ id: 42, note: 'two\nlines' }));
    },
  });
  const report = await run(orderText);
  t.match(report, {
    result: 'failed',
    failure: { kind: 'secret_missing', message: /with the captured value of `note`, line \d+/ },
  });
  t.notOk(log().includes('GET /orders/42'));
});

t.test('a proof covers captures and the checks of steps', async (t) => {
  const { run } = await createBench(t);
  const { proof } = await run(orderText, { prove: true });
  const verdicts = Object.fromEntries((proof?.checks ?? []).map(({ text, verdict }) => [text, verdict]));
  t.match(verdicts, { 'status=201': 'proven', 'capture order_id = body.id': 'proven', 'status=200': 'proven' });
});

t.test('a proof takes away the header or cookie of a capture, and says that a status is always there', async (t) => {
  const { run } = await createBench(t);
  const text = orderText.replace('- capture order_id', '- capture code = status\n- capture order_id');
  const { proof } = await run(text, { prove: true });
  const captures = (proof?.checks ?? []).filter(({ text: check }) => /^capture \w+ = (?!body)/.test(check));
  t.match(captures, [
    { text: 'capture sid = cookie sid', verdict: 'proven', example: 'cookie `sid` is missing' },
    {
      text: 'capture code = status',
      verdict: 'not_tried',
      advice: 'every response has a status, so no response can make this fail',
    },
    { text: 'capture etag = header ETag', verdict: 'proven', example: 'header `ETag` is missing' },
  ]);
});

t.test('each position is noted before its request is sent, without secrets', async (t) => {
  const { run, log } = await createBench(t);
  const seen: { progress: ChainProgress; sent: number }[] = [];
  await run(
    orderText,
    {},
    {
      journal: async (progress) => {
        seen.push({ progress: structuredClone(progress), sent: log().length });
        return true;
      },
    },
  );
  t.same(
    seen.map(({ progress, sent }) => [progress.position, sent]),
    [
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ],
  );
  t.notMatch(JSON.stringify(seen), /tok-secret-1|cookie-value-77/);
  t.same(seen[4]?.progress.withheld, ['token', 'sid']);
  t.match(seen[4]?.progress.captures, [{ name: 'order_id', text: '42', isText: false }, {}, {}]);
});

t.test('a position that cannot be noted is not sent', async (t) => {
  const { run, log } = await createBench(t);
  const report = await run(orderText, {}, { journal: async ({ position }) => position < 1 });
  t.same(log(), ['POST /session']);
  t.match(report.failure, {
    kind: 'executor_lost',
    message: `step \`create order\`: ${createFailure('EXECUTOR_JOURNAL_UNWRITTEN', {}).message}`,
  });
});

const captured = [{ name: 'order_id', text: '42', isText: false }];

t.test('after a crash only the cleanup is sent, from where it was', async (t) => {
  const { recover, log } = await createBench(t);
  const report = await recover(orderText, { position: 2, captures: captured, withheld: ['token', 'sid'] });
  t.same(log(), ['DELETE /orders/42', 'DELETE /orders/42/rest']);
  t.match(report, {
    result: 'failed',
    failure: {
      kind: 'executor_lost',
      message: 'the executor ended during the run (while its request may have been on its way)',
    },
    steps: [{ outcome: 'not_known' }, { outcome: 'not_known' }],
    cleanup: [{ outcome: 'passed' }, { outcome: 'passed' }],
  });
  t.equal(findFailureCode(report.failure), 'EXECUTOR_RUN_INTERRUPTED');
  const { recover: again, log: logAgain } = await createBench(t);
  const second = await again(orderText, { position: 3, captures: captured, withheld: [] });
  t.same(logAgain(), ['DELETE /orders/42/rest'], 'one that may have been sent is not sent again');
  t.match(second.cleanup, [
    { outcome: 'not_known', problem: formatError('STEP_SENT_BEFORE_CRASH', {}).message },
    { outcome: 'passed' },
  ]);
});

t.test(
  'after a crash a cleanup whose value was not stored, or may have been sent, is reported and not sent',
  async (t) => {
    const { recover, log } = await createBench(t);
    const withheld = await recover(orderText, { position: 2, captures: [], withheld: ['order_id'] });
    t.match(withheld.cleanup, [
      { outcome: 'not_sent', problem: formatError('STEP_CAPTURE_WITHHELD', { placeholder: '${order_id}' }).message },
      {},
    ]);
    const copy = await recover(orderText, { position: 2, captures: captured, withheld: [] }, true);
    t.match(copy.cleanup, [{ outcome: 'not_sent', problem: formatError('STEP_COPY_RESTORED', {}).message }, {}]);
    t.same(log(), []);
  },
);
