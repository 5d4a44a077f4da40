/** Servers that drip, never end, echo and change all the time: their own calls end, the others do not notice. */
import t, { type Test } from 'tap';
import { dripping } from '../hostile/dripping.ts';
import { goodServer } from '../hostile/good-server.ts';
import { served } from '../hostile/listening.ts';
import { plainTool, rawServer, text } from '../hostile/raw-server.ts';
import { connectionTo, type House, house, newest } from './house.ts';

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'answered',
    (error: unknown) => Object(Object(error).data).code ?? Object(error).code,
  );
}

async function beside(t: Test, hostile: (request: Request) => Response | Promise<Response>) {
  const bad = await served(t, hostile);
  const good = await served(t, goodServer('newest').answer);
  const limits = { silenceMs: 1500, wholeMs: 4000 };
  const home = await house(t, [connectionTo('bad', bad.url), connectionTo('good', good.url)], { limits });
  return { bad, good, home, client: await home.client('ann', newest) };
}

t.test('an answer that comes byte by byte, and a stream without an end, are given up in time', async (t) => {
  const json = 'application/json';
  const stream = 'text/event-stream';
  const message = (method: string, params: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`;
  const kinds: Record<string, (params: Record<string, unknown>) => Response> = {
    bytes: () => dripping(json, () => ' '),
    line: () => dripping(stream, () => 'a'),
    comments: () => dripping(stream, () => ': still here\n\n'),
    logs: () => dripping(stream, () => message('notifications/message', { level: 'info', data: 'x' })),
    progress: ({ _meta: meta }) => {
      const { progressToken } = Object(meta);
      return dripping(stream, (progress) => message('notifications/progress', { progressToken, progress }));
    },
  };
  const names = Object.keys(kinds);
  const { client, home } = await beside(
    t,
    rawServer({
      tools: () => names.map((name) => plainTool(name)),
      call: (params) => kinds[String(params.name)]?.(params) ?? {},
    }),
  );
  await client.listTools();
  for (const name of names) {
    const began = performance.now();
    const onprogress = name === 'progress' ? { onprogress: () => {} } : {};
    t.equal(
      await codeOf(client.callTool({ name: `bad__${name}`, arguments: {} }, onprogress)),
      'UPSTREAM_TIMED_OUT',
      name,
    );
    t.ok(
      performance.now() - began < (name === 'progress' ? 8000 : 4000),
      `${name}: progress alone buys time, and not for ever`,
    );
    t.match(await client.callTool({ name: 'good__echo', arguments: { text: name } }), text(name));
  }
  t.same(
    new Set(home.audit.filter(({ connection }) => connection?.name === 'bad').map(({ outcome }) => outcome)),
    new Set(['timeout']),
  );
});

t.test('while a server hangs in a hundred calls, the others answer as before', async (t) => {
  let hanging = 0;
  const { client, home } = await beside(
    t,
    rawServer({
      call: () => {
        hanging += 1;
        return new Promise(() => {});
      },
    }),
  );
  await client.listTools();
  const echo = async (): Promise<number> => {
    const began = performance.now();
    await client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
    return performance.now() - began;
  };
  for (let round = 0; round < 20; round += 1) await echo();
  const slow = Array.from({ length: 100 }, () => codeOf(client.callTool({ name: 'bad__tool', arguments: {} })));
  while (hanging < 100) await new Promise((resolve) => setTimeout(resolve, 5));
  const times: number[] = [];
  for (let round = 0; round < 30; round += 1) times.push(await echo());
  t.ok(Math.max(...times) < 1000, 'nobody waits behind them');
  t.same(new Set(await Promise.all(slow)), new Set(['UPSTREAM_TIMED_OUT']));
  t.equal(home.audit.length, 150);
});

t.test('a credential that a server echoes does not reach the caller', async (t) => {
  const said = (request: Request): string =>
    `you sent ${request.headers.get('authorization')}, and "${request.headers.get('authorization')}"`;
  const echoing = await served(
    t,
    rawServer({
      tools: () => ['text', 'data', 'error', 'told'].map((name) => plainTool(name)),
      async call({ name, _meta: meta }, request) {
        const words = said(request);
        if (name === 'text') return { ...text(words), structuredContent: { words } };
        if (name === 'data') return { content: [{ type: 'resource', resource: { uri: 'x:y', text: words } }] };
        const { progressToken } = Object(meta);
        const id = progressToken ?? 1;
        if (name === 'error') {
          return Response.json({ jsonrpc: '2.0', id, error: { code: -32000, message: words, data: { words } } });
        }
        const progress = {
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress: 1, message: words },
        };
        const answer = { jsonrpc: '2.0', id, result: { ...text('done'), resultType: 'complete' } };
        return new Response([progress, answer].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''), {
          headers: { 'Content-Type': 'text/event-stream' },
        });
      },
    }),
  );
  const credential = { kind: 'header', header: 'Authorization' } as const;
  const home = await house(t, [connectionTo('bad', echoing.url, { credential })]);
  const client = await home.client('ann', newest);
  const heard: unknown[] = [];
  await client.listTools();
  for (const name of ['text', 'data', 'error', 'told']) {
    const onprogress = name === 'told' ? { onprogress: (progress: unknown) => void heard.push(progress) } : {};
    const call = client.callTool({ name: `bad__${name}`, arguments: {} }, onprogress);
    heard.push(await call.catch((error: unknown) => ({ error: String(error), data: Object(error).data })));
  }
  t.equal(heard.length, 5);
  t.ok(echoing.seen.some((headers) => headers.get('authorization') === 'Bearer upstream-secret'));
  t.notMatch(JSON.stringify(heard), /upstream-secret/);
  t.equal(JSON.stringify(heard).split('Bearer [hidden]').length, 13, 'everything else is told');
  t.notMatch(JSON.stringify([home.audit, home.states]), /upstream-secret/);
});

t.test('a server that says a thousand times that its tools changed is asked a few times', async (t) => {
  const good = goodServer('older');
  let lists = 0;
  const changing = await served(t, good.answer, 0, (_, { method }) => {
    if (method === 'tools/list') lists += 1;
  });
  const home = await house(t, [connectionTo('bad', changing.url)]);
  let told = 0;
  const onChanged = (): void => {
    told += 1;
  };
  const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged } };
  const client = await home.client('ann', { ...newest, listChanged });
  await client.listTools();
  const before = lists;
  for (let round = 0; round < 1000; round += 1) {
    good.toolsChanged();
    if (round % 100 === 0) await client.listTools(undefined, { cacheMode: 'bypass' });
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  t.ok(lists - before <= 12, `asked ${lists - before} times`);
  t.ok(told >= 1 && told < 30, `told ${told} times`);
});

t.test('a server that is started anew in the midst of many calls is used again at once', async (t) => {
  const good = goodServer('newest');
  let upstream = await served(t, good.answer);
  const port = Number(new URL(upstream.url).port);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const client = await home.client('ann', newest);
  await client.listTools();
  const flying = Array.from({ length: 20 }, () =>
    codeOf(client.callTool({ name: 'good__slow', arguments: { ms: 3000 } })),
  );
  while (good.calls < 20) await new Promise((resolve) => setTimeout(resolve, 5));
  await upstream.stop();
  t.same(new Set(await Promise.all(flying)), new Set(['UPSTREAM_UNREACHABLE']), 'a call is never sent twice by itself');
  t.equal(good.calls, 20);
  upstream = await served(t, good.answer, port);
  t.match(await client.callTool({ name: 'good__echo', arguments: { text: 'back' } }), text('back'));
  t.equal(failures(home), 20);
});

function failures({ audit }: House): number {
  return audit.filter(({ outcome }) => outcome === 'failed').length;
}
