/** The addresses of the hub service on a real control plane: who gets in where, what refusals say, what the audit keeps. */
import { request as httpRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { processEnvironment } from '../../src/environment/environment.ts';
import { listen } from '../../src/http/listen.ts';
import { keptLog } from '../http/kept-log.ts';
import { connected } from '../hub/connected.ts';
import { newest } from '../hub/gateway/house.ts';
import { goodServer } from '../hub/hostile/good-server.ts';
import { served as listening } from '../hub/hostile/listening.ts';
import { json, makeHub, makeToken } from '../hub/hub-people.ts';
import { origin } from './served.ts';

async function opened(t: Test) {
  const people = await connected(t);
  const { ana } = people;
  const posted: string[] = [];
  const upstream = await listening(t, goodServer('newest').answer, 0, (headers, body) =>
    posted.push(JSON.stringify([[...headers], body])),
  );
  await ana.ask('POST', '/api/v1/hubs/acme/connections', { name: 'good', kind: 'http', url: upstream.url });
  const { token } = await makeToken(ana, 'acme');
  return { ...people, upstream, posted, token };
}

type Opened = Awaited<ReturnType<typeof opened>>;

const body = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};

function post(
  { api }: Opened,
  path: string,
  headers: Record<string, string>,
  message: unknown = body,
): Promise<Response> {
  const all = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers };
  return api.fetch(new Request(`${origin}${path}`, { method: 'POST', headers: all, body: JSON.stringify(message) }));
}

async function clientOf({ api }: Opened, path: string, token: string | undefined, options: ClientOptions = newest) {
  const client = new Client({ name: 'test', version: '1' }, options);
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${origin}${path}`), {
    fetch: (url, init) => api.fetch(new Request(url, init)),
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

t.test('a token reaches the tools of its hub, and the audit has the call under its maker', async (t) => {
  const home = await opened(t);
  for (const options of [newest, {}]) {
    for (const path of ['/agent/mcp', '/hub/acme/mcp']) {
      const client = await clientOf(home, path, home.token, options);
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
  const { items } = await home.gateway.audit.search(home.hub.hub_id, { limit: 10 });
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
  t.notMatch(JSON.stringify([...home.upstream.seen].map((headers) => [...headers])), home.token);
  t.ok(home.posted.length >= 4);
  const half = home.token.slice(4, 24);
  for (const sent of home.posted) t.notOk(sent.includes(half), 'neither the token nor half of it went out');
});

t.test(
  'a call is found in the audit by the id of its request, in every era and also where it was refused',
  async (t) => {
    const home = await opened(t);
    const { search } = home.gateway.audit;
    for (const [era, options] of Object.entries({ newest, older: {} })) {
      const client = new Client({ name: 'test', version: '1' }, options);
      const transport = new StreamableHTTPClientTransport(new URL(`${origin}/agent/mcp`), {
        fetch: (url, init) => home.api.fetch(new Request(url, init), { requestId: `asked-${era}` }),
        requestInit: { headers: { Authorization: `Bearer ${home.token}` } },
      });
      await client.connect(transport);
      await client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
      await client.callTool({ name: 'good__nothing', arguments: {} }).catch(() => undefined);
      await client.close();
      const { items } = await search(home.hub.hub_id, { requestId: `asked-${era}`, limit: 10 });
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

t.test('names that were made to point here, and pages of other origins, reach no hub', async (t) => {
  const home = await opened(t);
  const { clock, random } = processEnvironment();
  const listened = await listen({
    handler: (request) => home.api.fetch(request),
    host: '127.0.0.1',
    port: 0,
    clock,
    random,
    log: keptLog().log,
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
  const own = { Authorization: `Bearer ${home.token}`, Host: `127.0.0.1:${port}` };
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

t.test('refusals of /agent/mcp say missing_token, invalid_token and 403, and nothing to discover', async (t) => {
  const home = await opened(t);
  const missing = await post(home, '/agent/mcp', {});
  t.equal(missing.status, 401);
  t.equal(Object(await missing.json()).code, 'missing_token');
  t.notMatch(missing.headers.get('www-authenticate'), /resource_metadata/);
  for (const header of ['Bearer nonsense', 'Basic abc', 'Bearer', `Bearer ${home.token}x`]) {
    const invalid = await post(home, '/agent/mcp', { Authorization: header });
    t.equal(invalid.status, 401, header);
    t.equal(Object(await invalid.json()).code, 'invalid_token', header);
  }
  t.equal((await post(home, '/agent/mcp', { Authorization: `Bearer ${home.token}` })).status, 200);
  const left = await makeToken(home.max, 'acme');
  t.equal((await post(home, '/agent/mcp', { Authorization: `Bearer ${left.token}` })).status, 200);
  await home.max.ask('POST', '/api/v1/hubs/acme/leave');
  const gone = await post(home, '/agent/mcp', { Authorization: `Bearer ${left.token}` });
  t.equal(gone.status, 403);
  t.equal(Object(await gone.json()).code, 'membership_required');
});

t.test('a token of another hub is ERR_SCOPE_UNAVAILABLE at /hub/<slug>/mcp', async (t) => {
  const home = await opened(t);
  await makeHub(home.eve, 'other');
  const { token } = await makeToken(home.eve, 'other');
  const answer = await post(home, '/hub/acme/mcp', { Authorization: `Bearer ${token}` });
  t.equal(answer.status, 403);
  t.match(await answer.json(), { code: 'ERR_SCOPE_UNAVAILABLE', error: 'ERR_SCOPE_UNAVAILABLE' });
  t.match(home.api.security.at(-1), { event: 'hub_token_elsewhere', level: 'warn', address: String });
  t.equal((await post(home, '/hub/other/mcp', { Authorization: `Bearer ${token}` })).status, 200);
});

t.test('/mcp answers everybody with 200 and its own tools alone', async (t) => {
  const home = await opened(t);
  for (const token of [undefined, 'nonsense', home.token]) {
    for (const options of [newest, {}]) {
      const client = await clientOf(home, '/mcp', token, options);
      const { tools } = await client.listTools();
      t.same(
        tools.map(({ name }) => name),
        ['about', 'how_to_connect', 'my_hubs'],
      );
      const hubs = await client.callTool({ name: 'my_hubs', arguments: {} });
      t.match(hubs.content, [{ text: token === home.token ? 'acme (owner)' : /^No valid token/ }]);
      const how = await client.callTool({ name: 'how_to_connect', arguments: {} });
      t.match(how.content, [{ text: /localhost:7700\/agent\/mcp/ }]);
      await client.close();
    }
  }
});

t.test('a body that is no JSON and one that is too large are told as such', async (t) => {
  const home = await opened(t);
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${home.token}` };
  const send = (text: string) =>
    home.api.fetch(new Request(`${origin}/agent/mcp`, { method: 'POST', headers, body: text }));
  t.equal((await send('{"jsonrpc"')).status, 400);
  t.equal((await send(`"${'x'.repeat(5_000_000)}"`)).status, 413);
});

t.test('a body is not read before its sender is let in', async (t) => {
  const home = await opened(t);
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
      const answer = await home.api.fetch(new Request(`${origin}${path}`, init));
      t.equal(answer.status, 401);
      t.equal(pulls, 0, `${path} ${bearer}`);
    }
});

t.test('a token that ends while a slow body arrives lets nobody in', async (t) => {
  const home = await opened(t);
  const { token, hub_token: made } = await makeToken(home.ana, 'acme');
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
    return home.api.fetch(new Request(`${origin}/agent/mcp`, init));
  };
  t.equal((await send(() => setTimeout(1100))).status, 200);
  const ended = await send(async () => {
    await home.ana.ask('DELETE', `/api/v1/hub-tokens/${made.token_id}`);
    await setTimeout(1100);
  });
  t.equal(ended.status, 401);
});

t.test('a body in another coding is refused', async (t) => {
  const home = await opened(t);
  const by = { Authorization: `Bearer ${home.token}` };
  t.equal((await post(home, '/agent/mcp', { ...by, 'Content-Encoding': 'gzip' })).status, 415);
  t.equal((await post(home, '/agent/mcp', { ...by, 'Content-Encoding': 'identity' })).status, 200);
});

t.test('a call of a tool that nobody offers is in the audit too', async (t) => {
  const home = await opened(t);
  const client = await clientOf(home, '/agent/mcp', home.token);
  await client.listTools();
  const refused = await client.callTool({ name: 'good__nothing', arguments: {} }).catch((error: unknown) => error);
  t.match(Object(refused).data, { code: 'HUB_TOOL_UNKNOWN' });
  const { items } = await json<{ items: { outcome: string }[] }>(
    Promise.resolve(Response.json(await home.gateway.audit.search(home.hub.hub_id, { limit: 10 }))),
  );
  t.equal(items[0]?.outcome, 'denied');
});
