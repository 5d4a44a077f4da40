/** Servers that die, hang, lie, flood and pry touch nothing but their own calls. */
import t, { type Test } from 'tap';
import { goodServer } from '../hostile/good-server.ts';
import { served } from '../hostile/listening.ts';
import { events, plainTool, rawServer, text } from '../hostile/raw-server.ts';
import { connectionTo, house, newest } from './house.ts';

/** The code of ours that a refused call tells. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return 'answered';
  } catch (error) {
    return Object(Object(error).data).code ?? Object(error).code;
  }
}

async function beside(t: Test, hostile: (request: Request) => Response | Promise<Response>, listBoundMs?: number) {
  const bad = await served(t, hostile);
  const good = await served(t, goodServer('newest').answer);
  const home = await house(
    t,
    [connectionTo('bad', bad.url), connectionTo('good', good.url)],
    { connectMs: 10_000 },
    listBoundMs,
  );
  return { bad, good, home, client: await home.client('ann', newest) };
}

t.test('a server that is away leaves the others their tools, and the list says who is missing', async (t) => {
  const good = await served(t, goodServer('newest').answer);
  const home = await house(t, [connectionTo('away', 'http://127.0.0.1:9/mcp'), connectionTo('good', good.url)]);
  const client = await home.client('ann', newest);
  const list = await client.listTools();
  t.ok(list.tools.some(({ name }) => name === 'good__echo'));
  t.match(list._meta, { 'vp/missing_connections': [{ connection: 'away', code: 'UPSTREAM_UNREACHABLE' }] });
  const status = await client.callTool({ name: 'vp_hub_status', arguments: {} });
  t.match(status.structuredContent, {
    connections: [{ connection: 'good', tools: 7 }],
    missing: [{ connection: 'away' }],
  });
  t.equal(await codeOf(client.callTool({ name: 'away__tool', arguments: {} })), 'UPSTREAM_UNREACHABLE');
  t.match(home.states, [/^c-away failing away cannot be reached: ECONNREFUSED$/, 'c-good connected']);
});

t.test('a server that hangs delays nobody beyond the bound, and its calls time out', async (t) => {
  let hangs = false;
  const { home, client } = await beside(
    t,
    rawServer({ any: async () => (hangs ? new Promise<Response>(() => {}) : undefined) }),
    1500,
  );
  t.equal((await client.listTools()).tools.length, 9);
  hangs = true;
  t.equal(await codeOf(client.callTool({ name: 'bad__tool', arguments: {} })), 'UPSTREAM_TIMED_OUT');
  t.match(home.audit, [{ tool: 'tool', outcome: 'timeout', reason: 'UPSTREAM_TIMED_OUT' }]);
  home.connections.splice(0, 1, connectionTo('bad', home.connections[0]?.url ?? '', { revision: 2 }));
  home.changed();
  const began = performance.now();
  const list = await client.listTools(undefined, { cacheMode: 'bypass' });
  t.ok(performance.now() - began < 6000, 'within the bound');
  t.ok(list.tools.some(({ name }) => name === 'good__echo'));
  t.match(list._meta, { 'vp/missing_connections': [{ connection: 'bad', code: 'UPSTREAM_TIMED_OUT' }] });
});

t.test(
  'a server that dies in the midst of a call fails that call at once, and is found again when it is back',
  async (t) => {
    const dying = rawServer({
      call: () =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode(': alive\n\n'));
              setTimeout(() => controller.close(), 50);
            },
          }),
          { headers: { 'Content-Type': 'text/event-stream' } },
        ),
    });
    const { bad, client, home } = await beside(t, dying);
    const began = performance.now();
    t.equal(await codeOf(client.callTool({ name: 'bad__tool', arguments: {} })), 'UPSTREAM_UNREACHABLE');
    t.ok(performance.now() - began < 2000, 'nobody waits for the time limit');
    await bad.stop();
    t.equal(await codeOf(client.callTool({ name: 'bad__tool', arguments: {} })), 'UPSTREAM_UNREACHABLE');
    await served(t, rawServer({}), Number(new URL(bad.url).port));
    t.match(await client.callTool({ name: 'bad__tool', arguments: {} }), text('done'));
    t.match(home.states.at(-1), 'c-bad connected');
  },
);

t.test('an older server that has forgotten its sessions is greeted anew within the call', async (t) => {
  const older = goodServer('older');
  const upstream = await served(t, older.answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const client = await home.client('ann');
  const echo = { name: 'good__echo', arguments: { text: 'one' } };
  t.match((await client.callTool(echo)).content, [{ text: 'one' }]);
  older.forget();
  t.match((await client.callTool(echo)).content, [{ text: 'one' }]);
  t.equal(older.calls, 2);
});

t.test('what is no MCP is told as such', async (t) => {
  const answers: Record<string, () => Response | Record<string, unknown>> = {
    html: () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }),
    broken: () => new Response('{"jsonrpc":', { headers: { 'Content-Type': 'application/json' } }),
    shape: () => ({ content: 'words' }),
    blocks: () => ({ content: [{ type: 'text' }] }),
  };
  const tools = Object.keys(answers);
  const listed = tools.map((name) => plainTool(name));
  const rubbish = rawServer({ tools: () => listed, call: ({ name }) => answers[String(name)]?.() ?? {} });
  const { client } = await beside(t, rubbish);
  for (const name of tools) {
    t.equal(await codeOf(client.callTool({ name: `bad__${name}`, arguments: {} })), 'UPSTREAM_ANSWER_INVALID', name);
  }
  t.match(await client.callTool({ name: 'good__echo', arguments: { text: 'still' } }), text('still'));
});

t.test('a result of 50 MB is broken off, whatever length it tells', async (t) => {
  const chunk = new Uint8Array(1_000_000).fill(97);
  let sent = 0;
  const large = (type: string) =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 1;
          if (sent > 50) controller.close();
          else controller.enqueue(chunk);
        },
      }),
      { headers: { 'Content-Type': type } },
    );
  const flood = rawServer({
    tools: () => [plainTool('json'), plainTool('stream')],
    call: ({ name }) => large(name === 'json' ? 'application/json' : 'text/event-stream'),
  });
  const { client } = await beside(t, flood);
  t.equal(await codeOf(client.callTool({ name: 'bad__json', arguments: {} })), 'UPSTREAM_ANSWER_TOO_LARGE');
  t.ok(sent < 20, 'the rest is not fetched');
  sent = 0;
  t.equal(await codeOf(client.callTool({ name: 'bad__stream', arguments: {} })), 'UPSTREAM_ANSWER_TOO_LARGE');
});

t.test('thousands of notifications are cut off, and the answer comes', async (t) => {
  const flood = rawServer({
    async call(params, request) {
      const progressToken = Object(params._meta).progressToken;
      const id = Number(request.headers.get('x-id') ?? 0);
      const told = Array.from({ length: 5000 }, (_, progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress },
      }));
      return events([
        ...told,
        { jsonrpc: '2.0', id: progressToken ?? id, result: { resultType: 'complete', ...text('done') } },
      ]);
    },
  });
  const { client } = await beside(t, flood);
  let heard = 0;
  const onprogress = (): void => {
    heard += 1;
  };
  t.match(await client.callTool({ name: 'bad__tool', arguments: {} }, { onprogress }), text('done'));
  t.equal(heard, 2000);
});

t.test('neither the hub’s token nor anything else of the caller’s request reaches a server', async (t) => {
  const newer = await served(t, goodServer('newest').answer);
  const older = await served(t, goodServer('older').answer);
  const credential = { kind: 'header', header: 'Authorization' } as const;
  const home = await house(t, [connectionTo('newer', newer.url, { credential }), connectionTo('older', older.url)]);
  const client = await home.client('ann', newest);
  await client.listTools();
  await client.callTool({ name: 'newer__echo', arguments: { text: 'x' } });
  await client.callTool({ name: 'older__echo', arguments: { text: 'x' } });
  t.ok(newer.seen.length > 2 && older.seen.length > 2);
  for (const headers of [...newer.seen, ...older.seen]) {
    const whole = JSON.stringify([...headers]);
    t.notMatch(whole, /ann/);
    t.notMatch(whole, /cookie/i);
  }
  t.ok(newer.seen.every((headers) => headers.get('authorization') === 'Bearer upstream-secret'));
  t.ok(older.seen.every((headers) => headers.get('authorization') === null));
});

t.test('a redirect is not followed, least of all with a credential', async (t) => {
  const thief = await served(t, () => new Response('thanks'));
  const places = [thief.url, 'http://169.254.169.254/latest/meta-data/'];
  let place = '';
  const redirecting = await served(t, () => new Response(null, { status: 307, headers: { Location: place } }));
  const credential = { kind: 'header', header: 'Authorization' } as const;
  for (place of places) {
    const home = await house(t, [connectionTo('bad', redirecting.url, { credential })]);
    const client = await home.client('ann', newest);
    const { _meta } = await client.listTools();
    t.match(_meta, { 'vp/missing_connections': [{ connection: 'bad', code: 'UPSTREAM_REDIRECTED' }] });
  }
  t.same(thief.seen, []);
});

t.test(
  'names that are too long, hide characters or break lines are shown safely, and still mean the right tool',
  async (t) => {
    const names = [
      'a'.repeat(90),
      `${'a'.repeat(89)}b`,
      'line\r\nX-Evil: 1',
      'zero\u200bwidth',
      'zerowidth',
      'good__echo',
    ];
    const called: unknown[] = [];
    const odd = rawServer({
      tools: () => [...names.map((name) => plainTool(name)), plainTool('big', { description: 'x'.repeat(1_000_000) })],
      call: ({ name }) => {
        called.push(name);
        return text('done');
      },
    });
    const { client } = await beside(t, odd);
    const shown = (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith('bad__'));
    t.equal(shown.length, names.length, 'a megabyte of description is left out');
    t.equal(new Set(shown).size, names.length);
    for (const name of shown) t.match(name, /^bad__[A-Za-z0-9_.-]{1,59}$/);
    t.ok(shown.includes('bad__zerowidth') && shown.includes('bad__good__echo'), 'plain names stay as they are');
    for (const name of shown) await client.callTool({ name, arguments: {} });
    t.same(new Set(called), new Set(names));
    t.same(
      (await client.listTools(undefined, { cacheMode: 'bypass' })).tools
        .map(({ name }) => name)
        .filter((name) => name.startsWith('bad__')),
      shown,
    );
  },
);

t.test('a tool that is not allowed is refused when it is called by name, and the audit has it', async (t) => {
  const { home, client, good } = await beside(t, rawServer({}));
  home.hidden.add('logs');
  home.decide = ({ tool }) =>
    tool === 'logs'
      ? { allowed: false, reason: 'logs is switched off', cure: 'ask an owner of the hub' }
      : { allowed: true, redact: { keep: false, hide: [] } };
  t.notOk((await client.listTools()).tools.some(({ name }) => name === 'good__logs'));
  const before = good.seen.length;
  t.match(await client.callTool({ name: 'good__logs', arguments: {} }), {
    isError: true,
    content: [{ text: 'Not allowed: logs is switched off. ask an owner of the hub' }],
  });
  t.equal(await codeOf(client.callTool({ name: 'good__nothing', arguments: {} })), 'HUB_TOOL_UNKNOWN');
  t.equal(await codeOf(client.callTool({ name: 'nothing', arguments: {} })), 'HUB_TOOL_UNKNOWN');
  t.equal(good.seen.length, before, 'nothing of it went out');
  t.match(home.audit, [
    { tool: 'logs', outcome: 'denied', reason: 'logs is switched off' },
    { tool: 'good__nothing', outcome: 'denied', reason: 'HUB_TOOL_UNKNOWN' },
    { tool: 'nothing', outcome: 'denied' },
  ]);
});

t.test('a server that does not accept the credential is told apart from one that is away', async (t) => {
  const { home, client } = await beside(t, () => new Response('Bearer upstream-secret is wrong', { status: 401 }));
  const { _meta } = await client.listTools();
  t.match(_meta, { 'vp/missing_connections': [{ connection: 'bad', code: 'UPSTREAM_SIGN_IN_NEEDED' }] });
  t.match(home.states, [/^c-bad needs_sign_in/]);
  t.notMatch(JSON.stringify([home.states, _meta]), /upstream-secret/);
});
