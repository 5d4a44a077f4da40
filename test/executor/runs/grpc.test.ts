/** Methods of gRPC, from a server of @grpc/grpc-js to the verdict. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { createRunner } from '../../../src/executor/runs/runner.ts';
import type { NameResolver } from '../../../src/outbound/names/name-resolver.ts';
import { createTargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import { embedFiles } from '../../../src/scenario/embedded-files.ts';
import { eventually } from '../../eventually.ts';
import { createRootCertificate } from '../../targets/certificates.ts';
import { type GrpcTarget, type GrpcTargetOptions, readProtoFile, startGrpcTarget } from '../../targets/grpc-target.ts';
import { getPort } from '../../targets/raw-target.ts';
import { findFailureCode } from '../failure-code.ts';
import { createRunRequest, createTestProject, scenarioText } from '../test-project.ts';

type RunOptions = {
  readonly messages?: readonly string[];
  readonly headers?: string;
  readonly timeoutS?: number;
  readonly prove?: boolean;
  readonly around?: (text: string) => string;
  readonly beforeSend?: () => undefined;
  readonly signal?: AbortSignal;
  readonly readFile?: typeof readProtoFile;
};

function createCaller(t: Test, { origin }: Pick<GrpcTarget, 'origin'>, extraRoots: readonly string[] = []) {
  const dispatcher = createTargetDispatcher({ extraRoots });
  t.teardown(() => dispatcher.close());
  const project = createTestProject({ baseUrl: origin, token: 'a-token-of-the-target' });
  const runner = createRunner({ project, dispatcher, clock: systemClock, version: '0.4.0' });
  return (method: string, message: string, checks: readonly string[], options: RunOptions = {}) => {
    const {
      messages,
      headers = '',
      timeoutS = 20,
      prove = false,
      around = (text) => text,
      readFile = readProtoFile,
    } = options;
    const fence = messages ? `~~~messages\n${messages.join('\n')}\n~~~` : `~~~json\n${message}\n~~~`;
    const trigger = `GRPC shop.v1.Orders/${method}\nX-Request-Id: \${correlation_id}${headers}\n\n${fence}`;
    const text = embedFiles(around(scenarioText(trigger, checks, timeoutS)), readFile);
    return runner.execute({ ...createRunRequest(text), prove }, options);
  };
}

async function setUp(t: Test, options?: GrpcTargetOptions) {
  const target = await startGrpcTarget(t, options);
  return { target, call: createCaller(t, target) };
}

t.test('a method answers with JSON, the fields without a value among it', async (t) => {
  const { target, call } = await setUp(t);
  const report = await call(
    'CreateOrder',
    '{ "item": "lamp", "total": { "currency": "EUR", "minor_units": 12345678901234567 } }',
    [
      'status=200',
      'header grpc-status equals 0',
      'header x-served-by equals orders',
      'body has orderId equals 9007199254740993',
      'body has state equals OPEN',
      'body has total.minorUnits equals 12345678901234567',
      'body has isGift equals false',
      'body tags length = 0',
      'body has no note',
    ],
    { prove: true },
  );
  t.match(report, { result: 'passed' });
  t.match(report.exchange.request, { method: 'POST', url: `${target.origin}/shop.v1.Orders/CreateOrder` });
  const [received] = target.calls;
  t.match(received?.metadata.getMap(), { authorization: 'Bearer a-token-of-the-target', 'x-correlation-id': /^tr-/ });
  t.equal(target.calls.length, 1);
  t.notMatch(JSON.stringify(report), 'a-token-of-the-target');
  t.equal(report.proof?.checks.find(({ text }) => text.startsWith('body has state'))?.verdict, 'proven');
});

t.test('an error is a status, with its message and its details', async (t) => {
  const { call } = await setUp(t);
  t.match(
    await call('GetOrder', '{ "orderId": 404 }', [
      'status=404',
      'header grpc-status equals 5',
      'header grpc-message equals no order “404”',
      'header x-trailer equals last',
      'body has code equals 5',
    ]),
    { result: 'passed' },
  );
  t.match(
    await call('CreateOrder', '{}', [
      'status=400',
      'body has message equals bad',
      'body has details[0].fieldViolations[0].field equals item',
      'body has details[1].value equals YWJj',
    ]),
    { result: 'passed' },
  );
  t.match(await call('GetOrder', '{ "orderId": "503" }', ['status=503']), { result: 'passed' });
  t.match(await call('GetOrder', '{ "orderId": "401" }', ['status=200']), {
    result: 'failed',
    failed_checks: [{ text: 'status=200', actual: '401' }],
  });
});

t.test('the schema comes from files with what they import, or from either version of reflection', async (t) => {
  const checks = ['status=200', 'body has orderId equals 7'];
  for (const reflection of ['v1', 'v1alpha', 'single files'] as const) {
    const { call } = await setUp(t, { reflection });
    t.match(await call('GetOrder', '{ "orderId": 7 }', checks), { result: 'passed' }, reflection);
  }
  const { target, call } = await setUp(t, { reflection: 'none' });
  const unknown = await call('GetOrder', '{ "orderId": 7 }', checks);
  t.match(unknown, { result: 'failed', failure: { message: /UNIMPLEMENTED/ }, exchange: { request: null } });
  t.equal(findFailureCode(unknown.failure), 'EXECUTOR_GRPC_SCHEMA_MISSING');
  t.equal(target.calls.length, 0);
  const headers = '\nproto: shop/v1/orders.proto';
  t.match(await call('GetOrder', '{ "orderId": 7 }', checks, { headers }), { result: 'passed' });
  for (const [from, to, reason] of [
    ['message Order {', 'message Order', /orders\.proto: illegal .*line \d+/],
    ['Money total = 5', 'Monney total = 5', /no such Type or Enum 'Monney'/],
  ] as const) {
    const damaged = (name: string): string | undefined => readProtoFile(name)?.replace(from, to);
    const report = await call('GetOrder', '{ "orderId": 7 }', checks, { headers, readFile: damaged });
    t.match(report.failure?.message, reason);
    t.equal(findFailureCode(report.failure), 'EXECUTOR_GRPC_SCHEMA_INVALID');
  }
});

t.test('what does not fit the schema is not sent', async (t) => {
  const { target, call } = await setUp(t);
  for (const [method, message, code, reason] of [
    ['GetOrder', '{ "order": 7 }', 'EXECUTOR_GRPC_MESSAGE_INVALID', /unknown field: "order"/],
    ['GetOrder', '{ "orderId": "seven" }', 'EXECUTOR_GRPC_MESSAGE_INVALID', /invalid integer/],
    ['GetOrders', '{}', 'EXECUTOR_GRPC_METHOD_UNKNOWN', /does not have shop\.v1\.Orders\/GetOrders/],
  ] as const) {
    const report = await call(method, message, ['status=200']);
    t.match(report, { failure: { message: reason }, exchange: { request: null } });
    t.equal(findFailureCode(report.failure), code);
  }
  const around = (text: string): string => text.replace('shop.v1.Orders', 'shop.v1.Order');
  const unknown = await call('GetOrder', '{}', ['status=200'], { around });
  t.match(unknown.failure, { message: /does not have shop\.v1\.Order$/, cure: /did you mean shop\.v1\.Orders\?/ });
  t.equal(target.calls.length, 0);
});

t.test('steps capture, a call is repeated until its check holds, and the cleanup calls too', async (t) => {
  const { target, call } = await setUp(t);
  const create = `### create\n\nGRPC shop.v1.Orders/CreateOrder\n\n~~~json\n{ "item": "lamp" }\n~~~\n\n- capture order_id = body.orderId\n`;
  const remove =
    '### remove\n\nGRPC shop.v1.Orders/DeleteOrder\n\n~~~json\n{ "orderId": ${order_id} }\n~~~\n\n- status=200\n';
  let sent = 0;
  const beforeSend = (): undefined => {
    sent += 1;
  };
  const report = await call(
    'GetOrder',
    '{ "orderId": "${order_id}" }',
    ['status=200', 'until body has item equals lamp within 5s repeatable', 'body has orderId equals ${order_id}'],
    {
      around: (text) => `${text.replace('## TRIGGER', `## STEPS\n\n${create}\n## TRIGGER`)}\n## CLEANUP\n\n${remove}`,
      beforeSend,
    },
  );
  t.match(report, {
    result: 'passed',
    steps: [{ name: 'create', outcome: 'passed' }],
    cleanup: [{ name: 'remove', outcome: 'passed' }],
  });
  t.same(
    target.calls.map(({ method }) => method),
    ['CreateOrder', 'GetOrder', 'DeleteOrder'],
  );
  t.equal(sent, 2, 'the questions about the schema are not announced');
});

t.test('a step is called several times at once, each on its own connection, with one schema', async (t) => {
  const { target, call } = await setUp(t);
  const step =
    '### read\n\nGRPC shop.v1.Orders/GetOrder\n\n~~~json\n{ "orderId": 5 }\n~~~\n\n- status=200\n- body has orderId equals 5\n- concurrent 8';
  const around = (text: string): string => text.replace('## TRIGGER', `## STEPS\n\n${step}\n\n## TRIGGER`);
  t.match(await call('GetOrder', '{ "orderId": 1 }', ['status=200'], { around }), { result: 'passed' });
  t.equal(target.calls.length, 9);
  t.equal(target.reflections(), 1);
});

t.test('an error fails a step without a check of the status', async (t) => {
  const { target, call } = await setUp(t);
  const step =
    '### look\n\nGRPC shop.v1.Orders/GetOrder\n\n~~~json\n{ "orderId": 404 }\n~~~\n\n- capture item = body.item';
  const around = (text: string): string => text.replace('## TRIGGER', `## STEPS\n\n${step}\n\n## TRIGGER`);
  t.match(await call('GetOrder', '{ "orderId": 1 }', ['status=200'], { around }), {
    result: 'failed',
    failure: { message: /look/ },
  });
  t.equal(target.calls.length, 1);
});

t.test('a stream is received until a check holds, by its number, for a time, and to its end', async (t) => {
  const { target, call } = await setUp(t);
  const watch = '{ "orderId": 7, "messages": 4 }';
  const open = '{ "orderId": 408, "messages": 3 }';
  t.match(await call('WatchOrder', watch, ['status=200', 'receive messages', 'body length = 4']), { result: 'passed' });
  const until = 'receive messages until body some state equals PAID within 10s';
  t.match(await call('WatchOrder', open, ['status=200', until, 'body length = 3'], { prove: true }), {
    result: 'passed',
  });
  t.match(await call('WatchOrder', open, ['receive 2 messages within 10s', 'body has [1].item equals item 2']), {
    result: 'passed',
  });
  t.match(await call('WatchOrder', open, ['receive messages for 500ms', 'body length = 3']), { result: 'passed' });
  await eventually(() => target.cancelled() === 3, { description: 'streams of which enough came are cancelled' });
});

t.test('a stream that ends early, with an error or by a crash, never passes', async (t) => {
  const { call } = await setUp(t);
  t.match(await call('WatchOrder', '{ "orderId": 7, "messages": 1 }', ['receive 2 messages within 10s']), {
    result: 'failed',
    failed_checks: [{ actual: 'the stream ended after 1 message' }],
  });
  t.match(await call('WatchOrder', '{ "orderId": 503, "messages": 1 }', ['status=503', 'receive messages']), {
    result: 'failed',
    failed_checks: [{ actual: 'the target ended the call with status UNAVAILABLE, after 1 message' }],
  });
  t.match(await call('WatchOrder', '{ "orderId": 500, "messages": 1 }', ['receive messages']), {
    result: 'failed',
    failure: { kind: 'protocol_error' },
  });
});

t.test('a stream that nothing receives says what to write; its error is an ordinary one', async (t) => {
  const { call } = await setUp(t);
  const unreceived = await call('WatchOrder', '{ "orderId": 7, "messages": 1 }', ['status=200']);
  t.match(unreceived.failure, { message: /answers with a stream/, cure: /receive messages/ });
  t.equal(findFailureCode(unreceived.failure), 'EXECUTOR_GRPC_STREAM');
  t.match(await call('WatchOrder', '{ "orderId": 404 }', ['status=404', 'body has code equals 5']), {
    result: 'passed',
  });
  t.match(await call('GetOrder', '{ "orderId": 7 }', ['status=200', 'receive messages']), {
    failure: { message: /answers with one message/, cure: /remove the bullet/ },
    exchange: { request: null },
  });
});

t.test('several messages are sent as a stream', async (t) => {
  const { call } = await setUp(t);
  const messages = ['{ "item": "lamp" }', '{ "item": "chair" }'];
  t.match(
    await call('AddItems', '', ['status=200', 'body has count equals 2', 'body has items[1] equals chair'], {
      messages,
    }),
    { result: 'passed' },
  );
  const answers = ['status=200', 'body length = 2', 'body has [1].item equals chair'];
  t.match(await call('Negotiate', '', ['receive messages', ...answers], { messages }), { result: 'passed' });
  t.match(await call('Negotiate', '', ['receive messages for 400ms', ...answers], { messages }), { result: 'passed' });
  t.match(await call('GetOrder', '', ['status=200'], { messages }), { failure: { message: /takes one message/ } });
});

t.test('time, cancelling and size end a call', async (t) => {
  const { target, call } = await setUp(t);
  t.match(await call('GetOrder', '{ "orderId": 408 }', ['status=504'], { timeoutS: 1 }), {
    result: 'failed',
    failure: { kind: 'timeout' },
  });
  const deadlineMs = target.calls[0]?.deadlineMs ?? 0;
  t.ok(deadlineMs > 1000 && deadlineMs <= 2000, 'the target has longer than the run waits');
  const deadline = { headers: '\ngrpc-timeout: 50m' };
  t.match(await call('GetOrder', '{ "orderId": 408 }', ['status=504'], deadline), { result: 'passed' });
  const controller = new AbortController();
  const running = call('GetOrder', '{ "orderId": 408 }', ['status=200'], { signal: controller.signal });
  await eventually(() => target.calls.length === 3, { description: 'the call has arrived' });
  controller.abort();
  t.match(await running, { result: null });
  await eventually(() => target.cancelled() === 3, { description: 'the target learns that nobody waits' });
  t.match(await call('GetOrder', '{ "orderId": 10 }', ['status=200']), { failure: { kind: 'response_too_large' } });
});

t.test('TLS needs a known root, and HTTP/2 on the other side', async (t) => {
  const root = createRootCertificate(t.testdir());
  const target = await startGrpcTarget(t, { keys: root.leaf('localhost') });
  const message = '{ "orderId": 7 }';
  t.match(await createCaller(t, target, [root.cert])('GetOrder', message, ['status=200']), { result: 'passed' });
  t.match(await createCaller(t, target)('GetOrder', message, ['status=200']), {
    failure: { message: /not signed by a root known here/ },
  });
  const plain = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  const secure = createTlsServer(root.leaf('localhost'), (_request, response) => response.end('{}')).listen(
    0,
    '127.0.0.1',
  );
  t.teardown(() => [plain, secure].map((server) => server.close()));
  await Promise.all([once(plain, 'listening'), once(secure, 'listening')]);
  for (const origin of [`http://127.0.0.1:${getPort(plain)}`, `https://localhost:${getPort(secure)}`]) {
    const report = await createCaller(t, { origin }, [root.cert])('GetOrder', message, ['status=200']);
    t.equal(findFailureCode(report.failure), 'EXECUTOR_GRPC_NOT_HTTP2', report.failure?.message ?? '');
    t.match(
      report,
      { result: 'failed', failure: { kind: 'protocol_error', message: /does not speak HTTP\/2/ } },
      origin,
    );
  }
});

t.test('a server that is away is not one that answers UNAVAILABLE', async (t) => {
  const { target, call } = await setUp(t);
  target.server.forceShutdown();
  const headers = '\nproto: shop/v1/orders.proto';
  t.match(await call('GetOrder', '{ "orderId": 1 }', ['status=503'], { headers }), {
    result: 'failed',
    failure: { kind: 'target_unreachable' },
  });
});

t.test('the schema is asked for once for all cases of a run', async (t) => {
  const { target, call } = await setUp(t);
  const around = (text: string): string =>
    text.replace('## TRIGGER', '## CASES\n\n| id |\n| --- |\n| 1 |\n| 2 |\n| 3 |\n\n## TRIGGER');
  t.match(await call('GetOrder', '{ "orderId": ${id} }', ['status=200', 'body has orderId equals ${id}'], { around }), {
    result: 'passed',
  });
  t.equal(target.calls.length, 3);
  t.equal(target.reflections(), 1);
});

t.test('secrets in messages and metadata are not displayed', async (t) => {
  const { call } = await setUp(t);
  const item = '{ "item": "a-token-of-the-target" }';
  const report = await call('CreateOrder', item, ['status=200', 'body has item equals lamp'], {
    headers: '\nx-echo: ${correlation_id}',
  });
  t.match(report, { result: 'failed', failed_checks: [{ text: 'body has item equals lamp' }] });
  t.match(report.exchange.response?.body?.text, /"item":"\[redacted\]"/);
  t.notMatch(JSON.stringify(report), 'a-token-of-the-target');
});

t.test('the address is resolved by our own resolver, and failures name where it was configured', async (t) => {
  const target = await startGrpcTarget(t);
  const { port } = new URL(target.origin);
  const names: string[] = [];
  const resolver: NameResolver = {
    resolve: async (name) => {
      names.push(name);
      if (name !== 'orders.example') throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      return [{ address: '127.0.0.1', family: 4 }];
    },
  };
  const dispatcher = createTargetDispatcher({ resolver });
  t.teardown(() => dispatcher.close());
  const http = createTestProject({ baseUrl: 'http://app.example' });
  const run = (baseUrl: string) => {
    const grpc = { baseUrl, baseUrlSource: 'grpc' } as const;
    const project = { ...http, targets: { ...http.targets, grpc } };
    const runner = createRunner({ project, dispatcher, clock: systemClock, version: '0.4.0' });
    return runner.execute(createRunRequest(scenarioText('GRPC shop.v1.Orders/GetOrder', ['status=200'])));
  };
  t.match(await run(`http://orders.example:${port}`), { result: 'passed' });
  t.match(await run(`http://other.example:${port}`), {
    failure: { kind: 'target_unreachable', cure: /targets\.grpc\.base_url/ },
  });
  t.same(names, ['orders.example', 'orders.example', 'other.example'], 'for the schema and for the call');
});
