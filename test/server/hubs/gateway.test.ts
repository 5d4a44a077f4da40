/** The MCP endpoints of hubs: access, refusals and the audit. */
import { request as httpRequest } from 'node:http';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { processEnvironment } from '../../../src/environment/environment.ts';
import { listen } from '../../../src/http/listener/listen.ts';
import { createMemoryLog } from '../../http/memory-log.ts';
import { pickCalls } from '../../hub/fixtures/audit-calls.ts';
import { createHub, createToken, readJson } from '../../hub/fixtures/hub-people.ts';
import { createReferenceServer } from '../../hub/fixtures/reference-server.ts';
import { modernClient } from '../../hub/fixtures/test-gateway.ts';
import { startTestHub } from '../../hub/fixtures/test-hub.ts';
import { startTestServer as listening } from '../../hub/fixtures/test-server.ts';
import { origin } from '../test-server.ts';

async function startConnectedHub(t: Test, clock = systemClock) {
  const people = await startTestHub(t, {}, [], clock);
  const { ana } = people;
  const posted: string[] = [];
  const upstream = await listening(t, createReferenceServer('newest').handle, 0, (headers, body) =>
    posted.push(JSON.stringify([[...headers], body])),
  );
  await ana.ask('POST', '/api/v1/hubs/acme/connections', { name: 'good', kind: 'http', url: upstream.url });
  const { token } = await createToken(ana, 'acme');
  return { ...people, upstream, posted, token };
}

type ConnectedHub = Awaited<ReturnType<typeof startConnectedHub>>;

const body = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};

function post(
  { api }: ConnectedHub,
  path: string,
  headers: Record<string, string>,
  message: unknown = body,
): Promise<Response> {
  const all = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
  return api.fetch(new Request(`${origin}${path}`, { method: 'POST', headers: all, body: JSON.stringify(message) }));
}

async function connectClient(
  { api }: ConnectedHub,
  path: string,
  token: string | undefined,
  options: ClientOptions = modernClient,
) {
  const client = new Client({ name: 'test', version: '1' }, options);
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}${path}`), {
    fetch: (url, init) => api.fetch(new Request(url, init)),
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

t.test('a token reaches the tools of its hub, and the audit records the call of its creator', async (t) => {
  const hub = await startConnectedHub(t);
  for (const options of [modernClient, {}]) {
    for (const path of ['/agent/mcp', '/hub/acme/mcp']) {
      const client = await connectClient(hub, path, hub.token, options);
      const { tools } = await client.listTools();
      t.ok(
        tools.some(({ name }) => name === 'good__echo'),
        path,
      );
      const answer = await client.callTool({ name: 'good__echo', arguments: { text: 'secret words' } });
      t.match(answer.content, [{ text: 'secret words' }]);
      await client.close();
    }
  }
  const items = pickCalls((await hub.gateway.audit.search(hub.hub.hub_id, { limit: 10 })).items);
  t.equal(items.length, 4);
  t.match(items[0], {
    person: 'Ana',
    via: 'token',
    via_name: 'ci',
    method: 'tools/call',
    connection: 'good',
    tool: 'echo',
    outcome: 'ok',
    client: 'test',
  });
  t.notMatch(JSON.stringify([...hub.upstream.receivedHeaders].map((headers) => [...headers])), hub.token);
  t.ok(hub.posted.length >= 4);
  const half = hub.token.slice(4, 24);
  for (const sent of hub.posted) t.notOk(sent.includes(half), 'neither the token nor half of it went out');
});

t.test(
  'a call is found in the audit by its request id, in every protocol version and also when it was refused',
  async (t) => {
    const hub = await startConnectedHub(t);
    const { search } = hub.gateway.audit;
    for (const [era, options] of Object.entries({ newest: modernClient, older: {} })) {
      const client = new Client({ name: 'test', version: '1' }, options);
      const transport = new StreamableHTTPClientTransport(new URL(`${origin}/agent/mcp`), {
        fetch: (url, init) => hub.api.fetch(new Request(url, init), { requestId: `asked-${era}` }),
        requestInit: { headers: { Authorization: `Bearer ${hub.token}` } },
      });
      await client.connect(transport);
      await client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
      await client.callTool({ name: 'good__nothing', arguments: {} }).catch(() => undefined);
      await client.close();
      const { items } = await search(hub.hub.hub_id, { requestId: `asked-${era}`, limit: 10 });
      t.match(
        items.map(({ outcome, request_id: id }) => [outcome, id]),
        [
          ['denied', `asked-${era}`],
          ['ok', `asked-${era}`],
        ],
      );
    }
  },
);

t.test('rebound host names and pages of other origins reach no hub', async (t) => {
  const hub = await startConnectedHub(t);
  const { clock, random } = processEnvironment();
  const listened = await listen({
    handler: (request) => hub.api.fetch(request),
    host: '127.0.0.1',
    port: 0,
    clock,
    random,
    log: createMemoryLog().log,
  });
  t.teardown(() => listened.close(0));
  const { port } = new URL(listened.url);
  const status = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const all = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
      const calling = httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers: all }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      calling.on('error', reject);
      calling.end(JSON.stringify(body));
    });
  const own = { Authorization: `Bearer ${hub.token}`, Host: `127.0.0.1:${port}` };
  for (const path of ['/agent/mcp', '/hub/acme/mcp', '/mcp']) {
    t.equal(await status(path, own), 200, path);
    t.equal(await status(path, { ...own, Origin: `http://127.0.0.1:${port}` }), 200, path);
    const hosts = [
      'evil.example',
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example`,
      'evil-localhost',
      '169.254.169.254',
    ];
    for (const Host of hosts) t.equal(await status(path, { ...own, Host }), 421, `${path} ${Host}`);
    const origins = [
      'https://evil.example',
      'null',
      `http://127.0.0.1.evil.example:${port}`,
      `http://localhost.evil.example:${port}`,
      'http://127.0.0.1:1',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port}.evil.example`,
    ];
    for (const Origin of origins) t.equal(await status(path, { ...own, Origin }), 403, `${path} ${Origin}`);
  }
});

t.test('refusals of /agent/mcp are missing_token, invalid_token and 403, without metadata', async (t) => {
  const hub = await startConnectedHub(t);
  const missing = await post(hub, '/agent/mcp', {});
  t.equal(missing.status, 401);
  t.equal(Object(await missing.json()).code, 'missing_token');
  t.notMatch(missing.headers.get('www-authenticate'), /resource_metadata/);
  for (const header of ['Bearer nonsense', 'Basic abc', 'Bearer', `Bearer ${hub.token}x`]) {
    const invalid = await post(hub, '/agent/mcp', { Authorization: header });
    t.equal(invalid.status, 401, header);
    t.equal(Object(await invalid.json()).code, 'invalid_token', header);
  }
  t.equal((await post(hub, '/agent/mcp', { Authorization: `Bearer ${hub.token}` })).status, 200);
  const memberToken = await createToken(hub.max, 'acme');
  t.equal((await post(hub, '/agent/mcp', { Authorization: `Bearer ${memberToken.token}` })).status, 200);
  await hub.max.ask('POST', '/api/v1/hubs/acme/leave');
  const removedResponse = await post(hub, '/agent/mcp', { Authorization: `Bearer ${memberToken.token}` });
  t.equal(removedResponse.status, 403);
  t.equal(Object(await removedResponse.json()).code, 'membership_required');
});

t.test('a token of another hub is ERR_SCOPE_UNAVAILABLE at /hub/<slug>/mcp', async (t) => {
  const hub = await startConnectedHub(t);
  await createHub(hub.eve, 'other');
  const { token } = await createToken(hub.eve, 'other');
  const answer = await post(hub, '/hub/acme/mcp', { Authorization: `Bearer ${token}` });
  t.equal(answer.status, 403);
  t.match(await answer.json(), { code: 'ERR_SCOPE_UNAVAILABLE', error: 'ERR_SCOPE_UNAVAILABLE' });
  t.match(hub.api.security.at(-1), { event: 'hub_token_elsewhere', level: 'warn', address: String });
  t.equal((await post(hub, '/hub/other/mcp', { Authorization: `Bearer ${token}` })).status, 200);
});

t.test('/mcp serves only its own tools to every caller', async (t) => {
  const hub = await startConnectedHub(t);
  for (const token of [undefined, 'nonsense', hub.token]) {
    for (const options of [modernClient, {}]) {
      const client = await connectClient(hub, '/mcp', token, options);
      const { tools } = await client.listTools();
      t.same(
        tools.map(({ name }) => name),
        ['about', 'how_to_connect', 'my_hubs'],
      );
      const hubs = await client.callTool({ name: 'my_hubs', arguments: {} });
      t.match(hubs.content, [{ text: token === hub.token ? 'acme (owner)' : /^This request has no valid token/ }]);
      const how = await client.callTool({ name: 'how_to_connect', arguments: {} });
      t.match(how.content, [{ text: /localhost:7700\/agent\/mcp/ }]);
      await client.close();
    }
  }
});

t.test('a malformed body and one that is too large are refused', async (t) => {
  const hub = await startConnectedHub(t);
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${hub.token}` };
  const send = (text: string) =>
    hub.api.fetch(new Request(`${origin}/agent/mcp`, { method: 'POST', headers, body: text }));
  t.equal((await send('{"jsonrpc"')).status, 400);
  t.equal((await send(`"${'x'.repeat(5_000_000)}"`)).status, 413);
});

t.test('an empty Authorization header is a missing one, and /mcp answers whatever it holds', async (t) => {
  const hub = await startConnectedHub(t);
  for (const header of ['', ' ']) {
    const missing = await post(hub, '/agent/mcp', { Authorization: header });
    t.same([missing.status, Object(await missing.json()).code], [401, 'missing_token']);
    t.equal(Object(await (await post(hub, '/memory/mcp', { Authorization: header })).json()).code, 'missing_token');
  }
  for (const header of ['', 'Bearer', 'Bearer nonsense', 'Basic abc', `Bearer ${'x'.repeat(2000)}`])
    t.equal((await post(hub, '/mcp', { Authorization: header })).status, 200, header);
});

t.test('a client that accepts every type, or names none, is served', async (t) => {
  const hub = await startConnectedHub(t);
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'good__echo', arguments: { text: 'hi' } },
  };
  for (const Accept of ['*/*', 'text/html, */*;q=0.1', undefined]) {
    const headers = new Headers({ 'Content-Type': 'application/json', Authorization: `Bearer ${hub.token}` });
    if (Accept !== undefined) headers.set('Accept', Accept);
    for (const [path, message] of [
      ['/agent/mcp', body],
      ['/agent/mcp', call],
      ['/mcp', body],
    ] as const) {
      const init = { method: 'POST', headers, body: JSON.stringify(message) };
      const response = await hub.api.fetch(new Request(`${origin}${path}`, init));
      t.equal(response.status, 200, `${path} ${Accept}`);
      t.match(await response.text(), /"result"/);
    }
  }
});

t.test('what /mcp takes without a token is small', async (t) => {
  const hub = await startConnectedHub(t);
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key${index}`, 1]));
  for (const experimental of [keys, { text: 'x'.repeat(9000) }]) {
    const message = { ...body, params: { ...body.params, capabilities: { experimental } } };
    t.equal((await post(hub, '/mcp', {}, message)).status, 413);
    t.equal((await post(hub, '/mcp', { Authorization: `Bearer ${hub.token}` }, message)).status, 413);
  }
});

t.test('large and refused messages of a token count, and those of others do not', async (t) => {
  const hub = await startConnectedHub(t);
  const headers = { Authorization: `Bearer ${hub.token}` };
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
  const sendDeep = () => {
    const all = { 'Content-Type': 'application/json', Accept: '*/*', ...headers };
    return hub.api.fetch(new Request(`${origin}/agent/mcp`, { method: 'POST', headers: all, body: deep }));
  };
  let refused = 0;
  while ((await sendDeep()).status === 413 && refused < 2000) refused += 1;
  t.equal(refused, 601, 'six hundred a minute');
  const limited = await post(hub, '/agent/mcp', headers);
  t.equal(limited.status, 429);
  t.match(limited.headers.get('retry-after'), /^\d+$/);
  t.match(await limited.json(), { code: 'too_many_attempts', message: /very large/ });
  const { token } = await createToken(hub.max, 'acme');
  t.equal((await post(hub, '/agent/mcp', { Authorization: `Bearer ${token}` })).status, 200);
});

t.test('a body is not read before its sender is authenticated', async (t) => {
  const hub = await startConnectedHub(t);
  for (const path of ['/agent/mcp', '/hub/acme/mcp', '/hub/unknown/mcp'])
    for (const bearer of [undefined, 'Bearer wrong', 'Basic eDp5']) {
      let pulls = 0;
      const stream = new ReadableStream(
        {
          pull(controller) {
            pulls += 1;
            controller.enqueue(new Uint8Array(1000));
            if (pulls > 100) controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { 'Content-Type': 'application/json', ...(bearer ? { Authorization: bearer } : {}) };
      const init = { method: 'POST', headers, body: stream, duplex: 'half' } as const;
      const answer = await hub.api.fetch(new Request(`${origin}${path}`, init));
      t.equal(answer.status, 401);
      t.equal(pulls, 0, `${path} ${bearer}`);
    }
});

t.test('a token that is revoked while a slow body arrives is refused', async (t) => {
  let delayMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + delayMs };
  const passTime = async () => {
    delayMs += 1100;
  };
  const hub = await startConnectedHub(t, clock);
  const { token, hub_token: made } = await createToken(hub.ana, 'acme');
  const text = JSON.stringify(body);
  const send = (meanwhile: () => Promise<unknown>) => {
    const stream = new ReadableStream(
      {
        async pull(controller) {
          await meanwhile();
          controller.enqueue(new TextEncoder().encode(text));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const accept = 'application/json, text/event-stream';
    const headers = { 'Content-Type': 'application/json', Accept: accept, Authorization: `Bearer ${token}` };
    const init = { method: 'POST', headers, body: stream, duplex: 'half' } as const;
    return hub.api.fetch(new Request(`${origin}/agent/mcp`, init));
  };
  t.equal((await send(passTime)).status, 200);
  const ended = await send(async () => {
    await hub.ana.ask('DELETE', `/api/v1/hub-tokens/${made.token_id}`);
    await passTime();
  });
  t.equal(ended.status, 401);
});

t.test('a body with a content coding is refused', async (t) => {
  const hub = await startConnectedHub(t);
  const credential = { Authorization: `Bearer ${hub.token}` };
  t.equal((await post(hub, '/agent/mcp', { ...credential, 'Content-Encoding': 'gzip' })).status, 415);
  t.equal((await post(hub, '/agent/mcp', { ...credential, 'Content-Encoding': 'identity' })).status, 200);
});

t.test('a call of an unknown tool is in the audit too', async (t) => {
  const hub = await startConnectedHub(t);
  const client = await connectClient(hub, '/agent/mcp', hub.token);
  await client.listTools();
  const refused = await client.callTool({ name: 'good__nothing', arguments: {} }).catch((error: unknown) => error);
  t.match(Object(refused).data, { code: 'HUB_TOOL_UNKNOWN' });
  const { items } = await readJson<{ items: { outcome: string }[] }>(
    Promise.resolve(Response.json(await hub.gateway.audit.search(hub.hub.hub_id, { limit: 10 }))),
  );
  t.equal(items[0]?.outcome, 'denied');
});
