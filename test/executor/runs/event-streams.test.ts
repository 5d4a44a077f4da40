/** Streams of server-sent events, from a real server to the verdict: what ended early or was cut never passes. */
import type { ServerResponse } from 'node:http';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { getHeader, type RequestHandler, respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createRunRequest, scenarioText } from '../test-project.ts';
import { createTestRunner } from '../test-runner.ts';

async function setUpRunner(t: Test, handler: RequestHandler) {
  const target = await startHttpTarget(handler);
  const runner = createTestRunner(t, target, { project: { token: 'a-token-of-the-target' } });
  const run = (
    checks: readonly string[],
    { prove = false, timeoutS = 5, signal = undefined as AbortSignal | undefined } = {},
  ) => {
    const trigger = 'GET ${INGESTION_URL}/events\nX-Request-Id: ${correlation_id}';
    const request = createRunRequest(scenarioText(trigger, checks, timeoutS));
    return runner.execute({ ...request, prove }, { signal });
  };
  return { target, run };
}

/** Writes the events and, unless `ends`, leaves the stream open; `closed` counts the readers that left. */
function streamEvents(texts: readonly string[], ends: boolean, type = 'text/event-stream') {
  const state = { closed: 0, response: undefined as ServerResponse | undefined };
  const handler: RequestHandler = (_request, response) => {
    state.response = response;
    response.once('close', () => {
      state.closed += 1;
    });
    response.writeHead(200, { 'content-type': type });
    for (const text of texts) response.write(text);
    if (ends) response.end();
  };
  return { state, handler };
}

const events = [
  ': hello\n\n',
  'id: 7\nevent: order\ndata: {"state":"open","total":9.50}\n\n',
  'data: {"state":\ndata: "paid"}\n\ndata: later\n\n',
];

t.test('events are received until the check holds, and the stream is left then', async (t) => {
  const { state, handler } = streamEvents(events, false);
  const { target, run } = await setUpRunner(t, handler);
  const checks = [
    'status=200',
    'header Content-Type containing text/event-stream',
    'receive events until body some data.state equals paid within 10s',
    'body length = 2',
    'body has [0].event equals order',
    'body has [0].data.total equals 9.50',
  ];
  const report = await run(checks, { prove: true });
  t.match(report, { result: 'passed', exchange: { response: { body: { text: /^\[\{"event":"order","id":"7"/ } } } });
  t.equal(report.exchange.response?.body.text?.includes('later'), false, 'what came afterwards is not looked at');
  await eventually(() => state.closed === 1, { description: 'the stream is closed' });
  const [arrived] = target.arrived;
  t.match(arrived && getHeader(arrived, 'x-correlation-id'), /^tr-/);
  t.equal(arrived && getHeader(arrived, 'accept'), 'text/event-stream');
  const proof = report.proof?.checks.find(({ text }) => text.startsWith('receive'));
  t.equal(proof?.verdict, 'proven', JSON.stringify(proof));
});

t.test('a stream that ends within a field that no reader knows is cut, and the executor goes on', async (t) => {
  const junk = Array.from({ length: 1_000 }, (_, index) => `junk${index}: x\n`).join('');
  const { run } = await setUpRunner(t, streamEvents(['data: 1\n\n', junk, 'junk: x'], true).handler);
  const report = await run(['status=200', 'receive events', 'body length = 1']);
  t.match(report, { result: 'failed', checks: [{}, { actual: /cut|ended within/ }, {}] });
});

t.test('a number of events, a time, and the end of the stream', async (t) => {
  const open = await setUpRunner(t, streamEvents(events, false).handler);
  t.match(await open.run(['status=200', 'receive 3 events within 10s', 'body has [2].data equals later']), {
    result: 'passed',
  });
  t.match(await open.run(['status=200', 'receive events for 300ms', 'body length = 3']), { result: 'passed' });
  const ended = await setUpRunner(t, streamEvents(events, true).handler);
  t.match(await ended.run(['status=200', 'receive events', 'body length = 3']), { result: 'passed' });
});

t.test('a stream that ends before the moment fails, whatever its events are', async (t) => {
  const { run } = await setUpRunner(t, streamEvents(events, true).handler);
  const until = 'receive events until body some data.state equals shipped within 10s';
  t.match(await run(['status=200', until]), {
    result: 'failed',
    failed_checks: [{ text: until, actual: /none of .*; the stream ended after 3 events$/ }],
  });
  t.match(await run(['status=200', 'receive 4 events within 10s']), {
    result: 'failed',
    failed_checks: [{ expected: '4 events within 10 s', actual: 'the stream ended after 3 events' }],
  });
  t.match(await run(['status=200', 'receive events for 10s', 'body length = 3']), {
    result: 'failed',
    failed_checks: [{ actual: 'the stream ended after 3 events' }],
  });
});

t.test('an empty stream satisfies no check that it is received until', async (t) => {
  const { run } = await setUpRunner(t, streamEvents([': only a comment\n\n'], true).handler);
  for (const check of ['body length = 0', 'body text matching .*', 'body has no error'])
    t.match(await run(['status=200', `receive events until ${check} within 10s`]), {
      result: 'failed',
      failed_checks: [{ actual: /the stream ended after 0 events$/ }],
    });
});

t.test('the time is over: the check fails with what came last', async (t) => {
  const { state, handler } = streamEvents(events.slice(0, 2), false);
  const { run } = await setUpRunner(t, handler);
  const report = await run(['status=200', 'receive events until body some data.state equals paid within 200ms']);
  t.match(report, {
    result: 'failed',
    failed_checks: [{ actual: /^none of 1, such as "open".*; 1 event in the time$/ }],
    exchange: { response: { body: { text: /"state":"open"/ } } },
  });
  await eventually(() => state.closed === 1, { description: 'the stream is closed' });
});

t.test('an event that was cut is not received', async (t) => {
  const cut = await setUpRunner(t, streamEvents([...events, 'data: {"state":"shipped"}\n'], true).handler);
  t.match(await cut.run(['status=200', 'receive events', 'body length = 3']), {
    result: 'failed',
    failed_checks: [{ actual: 'the stream ended within a message, after 3 events' }],
  });
  const until = 'receive events until body some data.state equals shipped within 10s';
  t.match(await cut.run(['status=200', until]), { result: 'failed' });
  const { target, run } = cut;
  target.handler = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(events[1], () => response.destroy());
  };
  t.match(await run(['status=200', 'receive events']), {
    result: 'failed',
    failure: { kind: 'protocol_error', message: /the body ended early/ },
  });
});

t.test('another response is no stream', async (t) => {
  const { target, run } = await setUpRunner(t, respondWithJson([{ data: { state: 'paid' } }]));
  const until = 'receive events until body some data.state equals paid within 10s';
  const expected = {
    result: 'failed',
    failed_checks: [{ text: until, actual: /^no stream: status 200, application\/json/ }],
  };
  t.match(await run(['status=200', until]), expected);
  target.handler = respondWithJson([{ data: { state: 'paid' } }], 401);
  t.match(await run(['status=401', until]), {
    result: 'failed',
    failed_checks: [{ actual: /^no stream: status 401/ }],
  });
  target.handler = streamEvents(events, true, 'text/event-streams').handler;
  t.match(await run(['status=200', 'receive events']), { result: 'failed' });
});

t.test('a stream has bounds: messages, bytes, time and cancelling', async (t) => {
  const many = await setUpRunner(t, streamEvents(['data: 1\n\n'.repeat(1001)], true).handler);
  t.match(await many.run(['status=200', 'receive events']), {
    result: 'failed',
    failed_checks: [{ actual: 'more than 1000 events, which is the limit' }],
  });
  t.match(await many.run(['status=200', 'receive 1000 events within 10s']), { result: 'passed' });
  many.target.handler = streamEvents([`data: ${'x'.repeat(11 * 1024 * 1024)}`], false).handler;
  t.match(await many.run(['status=200', 'receive 2 events within 10s']), { failure: { kind: 'response_too_large' } });
  many.target.handler = streamEvents(events, false).handler;
  t.match(await many.run(['status=200', 'receive events'], { timeoutS: 1 }), { failure: { kind: 'timeout' } });
  const controller = new AbortController();
  const { state, handler } = streamEvents(events, false);
  many.target.handler = handler;
  const running = many.run(['status=200', 'receive events for 60s'], { signal: controller.signal });
  await eventually(() => state.response !== undefined, { description: 'the stream is open' });
  controller.abort();
  t.match(await running, { result: null });
});

t.test('secrets of the target in events are not displayed', async (t) => {
  const { handler } = streamEvents(['data: a-token-of-the-target\n\n'], true);
  const { run } = await setUpRunner(t, handler);
  const report = await run(['status=200', 'receive events', 'body has [0].data']);
  t.equal(report.result, 'passed');
  t.notMatch(JSON.stringify(report), 'a-token-of-the-target');
});

t.test('what a step captured is waited for in the stream', async (t) => {
  const { handler } = streamEvents(['data: {"id":"a"}\n\n', 'data: {"id":"b"}\n\n'], false);
  const { target } = await setUpRunner(t, (request, response, arrived) =>
    (request.url === '/orders' ? respondWithJson({ id: 'b' }, 201) : handler)(request, response, arrived),
  );
  const runner = createTestRunner(t, { origin: target.origin });
  const step =
    '## STEPS\n\n### create\n\nPOST ${INGESTION_URL}/orders\n\n- status=201\n- capture id = body.id\n\n## TRIGGER';
  const checks = ['status=200', 'receive events until body some data.id equals ${id} within 10s', 'body length = 2'];
  const text = scenarioText('GET ${INGESTION_URL}/events\nX-Request-Id: ${correlation_id}', checks);
  t.match(await runner.execute(createRunRequest(text.replace('## TRIGGER', step))), { result: 'passed' });
});
