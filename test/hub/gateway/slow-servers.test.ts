/** Servers that are slow, never end, echo and change all the time: only their own calls are affected. */
import t, { type Test } from 'tap';
import { type Clock, systemClock } from '../../../src/environment/clock.ts';
import { eventually } from '../../eventually.ts';
import { createDrippingResponse } from '../fixtures/dripping-response.ts';
import { createRawServer, createTextResult, createTool } from '../fixtures/raw-server.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway, type TestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

async function readErrorCode(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'answered',
    (error: unknown) => Object(Object(error).data).code ?? Object(error).code,
  );
}

async function startWithReference(
  t: Test,
  handleHostile: (request: Request) => Response | Promise<Response>,
  clock: Clock = systemClock,
) {
  const hostileServer = await startTestServer(t, handleHostile);
  const referenceServer = await startTestServer(t, createReferenceServer('newest').handle);
  const limits = { idleMs: 1500, totalMs: 4000 };
  const gateway = await startTestGateway(
    t,
    [createConnection('bad', hostileServer.url), createConnection('good', referenceServer.url)],
    { timeouts: limits, clock },
  );
  return {
    hostileServer: hostileServer,
    referenceServer: referenceServer,
    gateway: gateway,
    client: await gateway.client('ann', modernClient),
  };
}

t.test('a slow response and an endless stream time out', async (t) => {
  const json = 'application/json';
  const stream = 'text/event-stream';
  const createEvent = (method: string, params: object) =>
    `data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`;
  const slowResponses: Record<string, (params: Record<string, unknown>) => Response> = {
    bytes: () => createDrippingResponse(json, () => ' '),
    line: () => createDrippingResponse(stream, () => 'a'),
    comments: () => createDrippingResponse(stream, () => ': still here\n\n'),
    logs: () =>
      createDrippingResponse(stream, () => createEvent('notifications/message', { level: 'info', data: 'x' })),
    progress: ({ _meta: meta }) => {
      const { progressToken } = Object(meta);
      return createDrippingResponse(stream, (progress) =>
        createEvent('notifications/progress', { progressToken, progress }),
      );
    },
  };
  const names = Object.keys(slowResponses);
  const { client, gateway } = await startWithReference(
    t,
    createRawServer({
      tools: () => names.map((name) => createTool(name)),
      call: (params) => slowResponses[String(params.name)]?.(params) ?? {},
    }),
  );
  await client.listTools();
  const endedNames: string[] = [];
  const callSlowTool = async (name: string): Promise<void> => {
    const onprogress = name === 'progress' ? { onprogress: () => {} } : {};
    t.equal(
      await readErrorCode(client.callTool({ name: `bad__${name}`, arguments: {} }, onprogress)),
      'UPSTREAM_TIMED_OUT',
      name,
    );
    endedNames.push(name);
    t.match(await client.callTool({ name: 'good__echo', arguments: { text: name } }), createTextResult(name));
  };
  await Promise.all(names.map(callSlowTool));
  t.equal(endedNames.at(-1), 'progress', 'only progress extends the time, and not indefinitely');
  t.same(
    new Set(gateway.audit.filter(({ connection }) => connection?.name === 'bad').map(({ outcome }) => outcome)),
    new Set(['timeout']),
  );
});

/** A clock whose timers end after `release` was called, so that nothing times out before that, however slow the machine is. */
function createHeldClock() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const after: Clock['after'] = (delayMs, action) => {
    let isCancelled = false;
    const cancel = systemClock.after(delayMs, () => {
      void promise.then(() => {
        if (!isCancelled) action();
      });
    });
    return () => {
      isCancelled = true;
      cancel();
    };
  };
  return { clock: { ...systemClock, after }, release };
}

t.test('while a server hangs in a hundred calls, the others respond as before', async (t) => {
  let hangingCalls = 0;
  const { clock, release } = createHeldClock();
  const { client, gateway } = await startWithReference(
    t,
    createRawServer({
      call: () => {
        hangingCalls += 1;
        return new Promise(() => {});
      },
    }),
    clock,
  );
  await client.listTools();
  const echo = () => client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
  let endedCalls = 0;
  for (let round = 0; round < 20; round += 1) await echo();
  const hangingResults = Array.from({ length: 100 }, () =>
    readErrorCode(client.callTool({ name: 'bad__tool', arguments: {} })).finally(() => {
      endedCalls += 1;
    }),
  );
  await eventually(() => hangingCalls, { until: (count) => count === 100 });
  for (let round = 0; round < 30; round += 1) await echo();
  t.equal(endedCalls, 0, 'no call waits behind them');
  release();
  t.same(new Set(await Promise.all(hangingResults)), new Set(['UPSTREAM_TIMED_OUT']));
  t.equal(gateway.audit.length, 150);
});

t.test('a credential that a server echoes does not reach the caller', async (t) => {
  const describeCredential = (request: Request): string =>
    `you sent ${request.headers.get('authorization')}, and "${request.headers.get('authorization')}"`;
  const echoingServer = await startTestServer(
    t,
    createRawServer({
      tools: () => ['text', 'data', 'error', 'told'].map((name) => createTool(name)),
      async call({ name, _meta: meta }, request) {
        const echoedText = describeCredential(request);
        if (name === 'text') return { ...createTextResult(echoedText), structuredContent: { echoedText: echoedText } };
        if (name === 'data') return { content: [{ type: 'resource', resource: { uri: 'x:y', text: echoedText } }] };
        const { progressToken } = Object(meta);
        const id = progressToken ?? 1;
        if (name === 'error') {
          return Response.json({
            jsonrpc: '2.0',
            id,
            error: { code: -32000, message: echoedText, data: { echoedText: echoedText } },
          });
        }
        const progress = {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress: 1, message: echoedText },
        };
        const answer = { jsonrpc: '2.0', id, result: { ...createTextResult('done'), resultType: 'complete' } };
        return new Response([progress, answer].map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''), {
          headers: { 'Content-Type': 'text/event-stream' },
        });
      },
    }),
  );
  const credential = { kind: 'header', header: 'Authorization' } as const;
  const gateway = await startTestGateway(t, [createConnection('bad', echoingServer.url, { credential })]);
  const client = await gateway.client('ann', modernClient);
  const received: unknown[] = [];
  await client.listTools();
  for (const name of ['text', 'data', 'error', 'told']) {
    const onprogress = name === 'told' ? { onprogress: (progress: unknown) => void received.push(progress) } : {};
    const call = client.callTool({ name: `bad__${name}`, arguments: {} }, onprogress);
    received.push(await call.catch((error: unknown) => ({ error: String(error), data: Object(error).data })));
  }
  t.equal(received.length, 5);
  t.ok(echoingServer.receivedHeaders.some((headers) => headers.get('authorization') === 'Bearer upstream-secret'));
  t.notMatch(JSON.stringify(received), /upstream-secret/);
  t.equal(JSON.stringify(received).split('Bearer [hidden]').length, 13, 'everything else is delivered');
  t.notMatch(JSON.stringify([gateway.audit, gateway.states]), /upstream-secret/);
});

t.test('a server that reports a thousand changes of its tools is asked only a few times', async (t) => {
  const referenceServer = createReferenceServer('older');
  let lists = 0;
  const changingServer = await startTestServer(t, referenceServer.handle, 0, (_, { method }) => {
    if (method === 'tools/list') lists += 1;
  });
  const gateway = await startTestGateway(t, [createConnection('bad', changingServer.url)]);
  let changeCount = 0;
  const onChanged = (): void => {
    changeCount += 1;
  };
  const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged } };
  const client = await gateway.client('ann', { ...modernClient, listChanged });
  await client.listTools();
  const previousLists = lists;
  for (let round = 0; round < 1000; round += 1) {
    referenceServer.toolsChanged();
    if (round % 100 === 0) await client.listTools(undefined, { cacheMode: 'bypass' });
  }
  referenceServer.tools.push('last');
  referenceServer.toolsChanged();
  await eventually(() => changeCount);
  const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' });
  t.ok(
    tools.some(({ name }) => name === 'bad__last'),
    'the last change is seen',
  );
  t.ok(lists - previousLists <= 14, `asked ${lists - previousLists} times`);
  t.ok(changeCount >= 1 && changeCount < 30, `told ${changeCount} times`);
});

t.test('a server that restarts during many calls is used again at once', async (t) => {
  const referenceServer = createReferenceServer('newest');
  let upstream = await startTestServer(t, referenceServer.handle);
  const port = Number(new URL(upstream.url).port);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  await client.listTools();
  const inFlightCalls = Array.from({ length: 20 }, () =>
    readErrorCode(client.callTool({ name: 'good__slow', arguments: { ms: 3000 } })),
  );
  await eventually(() => referenceServer.calls, { until: (count) => count === 20 });
  await upstream.stop();
  t.same(
    new Set(await Promise.all(inFlightCalls)),
    new Set(['UPSTREAM_UNREACHABLE']),
    'a call is never sent twice automatically',
  );
  t.equal(referenceServer.calls, 20);
  upstream = await startTestServer(t, referenceServer.handle, port);
  t.match(await client.callTool({ name: 'good__echo', arguments: { text: 'back' } }), createTextResult('back'));
  t.equal(countFailures(gateway), 20);
});

function countFailures({ audit }: TestGateway): number {
  return audit.filter(({ outcome }) => outcome === 'failed').length;
}

t.test('a tool of a server that has not listed its tools yet is not called unknown', async (t) => {
  const hanging = await startTestServer(
    t,
    createRawServer({ any: (_request, method) => (method === 'tools/list' ? new Promise(() => {}) : undefined) }),
  );
  const gateway = await startTestGateway(t, [createConnection('slow', hanging.url)], {}, 50);
  const client = await gateway.client('ann', modernClient);
  t.equal(await readErrorCode(client.callTool({ name: 'slow__tool', arguments: {} })), 'UPSTREAM_UNREACHABLE');
  t.match(gateway.audit, [{ tool: 'slow__tool', outcome: 'failed', reason: 'UPSTREAM_UNREACHABLE' }]);
});
