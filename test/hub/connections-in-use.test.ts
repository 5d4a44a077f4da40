/** Servers looked at before they are connected, and tools called by hand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { HubConnectionProbed, HubToolCalled, HubToolsOffered } from '../../src/contract/hub-connect-api.ts';
import { type Connected, connected } from './connected.ts';
import { goodServer } from './hostile/good-server.ts';
import { served } from './hostile/listening.ts';
import { plainTool, rawServer, text } from './hostile/raw-server.ts';
import { json, refusalOf } from './hub-people.ts';

const path = '/api/v1/hubs/acme';
const secret = 'a-very-secret-value-4711';

const probe = (home: Connected, body: object): Promise<HubConnectionProbed> =>
  json(home.ana.ask('POST', `${path}/connections/probe`, body));
const call = (who: Connected['ana'], name: string, args?: object) =>
  who.ask('POST', `${path}/tools/call`, { name, ...(args ? { arguments: args } : {}) });

t.test('a probe tells what a server is and offers, in either era, and keeps nothing', async (t) => {
  const home = await connected(t);
  for (const [era, version] of [
    ['newest', '2026-07-28'],
    ['older', '2025-11-25'],
  ] as const) {
    const upstream = await served(t, goodServer(era).answer);
    const told = await probe(home, { kind: 'http', url: upstream.url });
    t.match(told, {
      server: { name: `good-${era}`, version: '1.0.0' },
      protocol_version: version,
      tools_count: 7,
      resources_count: 1,
      prompts_count: 1,
      problem: null,
      warning: null,
    });
    t.match(told.tools[0], { name: 'echo', title: null, description: 'The tool echo' });
  }
  t.same((await json<{ items: [] }>(home.ana.ask('GET', `${path}/connections`))).items, []);
  t.same((await json<{ items: [] }>(home.ana.ask('GET', `${path}/tools`))).items, [], 'no tool was pinned');
});

t.test('a probe sends the credential that was written, once, and neither keeps nor tells it', async (t) => {
  const home = await connected(t);
  const upstream = await served(t, goodServer('newest').answer);
  const credential = { kind: 'header', header: 'X-Api-Key', value: secret };
  const told = await probe(home, { kind: 'http', url: upstream.url, credential });
  t.equal(told.problem, null);
  t.ok(upstream.seen.every((headers) => headers.get('x-api-key') === secret));
  t.notMatch(JSON.stringify([told, home.lines, home.api.lines, home.api.security]), secret);
  for (const name of readdirSync(t.testdirName))
    if (name.endsWith('.db') || name.endsWith('-wal'))
      t.notOk(readFileSync(join(t.testdirName, name)).includes(secret), name);
});

t.test('what is wrong with a server stands in the answer, in words without its own', async (t) => {
  const home = await connected(t);
  const locked = await served(t, () => new Response(`Bearer ${secret}`, { status: 401 }));
  const html = await served(t, () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }));
  const oauth = { kind: 'oauth', sharing: 'shared' };
  const codes: [object, string][] = [
    [{ kind: 'http', url: locked.url }, 'UPSTREAM_SIGN_IN_NEEDED'],
    [{ kind: 'http', url: locked.url, credential: oauth }, 'UPSTREAM_SIGN_IN_NEEDED'],
    [{ kind: 'http', url: 'http://127.0.0.1:9/mcp' }, 'UPSTREAM_UNREACHABLE'],
    [{ kind: 'http', url: html.url }, 'UPSTREAM_UNREACHABLE'],
  ];
  for (const [body, code] of codes) {
    const told = await probe(home, body);
    t.match(told, { problem: { code }, server: null, tools: [] }, JSON.stringify(body));
    t.ok(told.problem?.cure);
    t.notMatch(JSON.stringify(told), secret);
  }
});

t.test('a server that hangs is given up in time', { timeout: 30_000 }, async (t) => {
  const home = await connected(t);
  const hangs = await served(t, () => new Promise<Response>(() => {}));
  const began = performance.now();
  const told = await probe(home, { kind: 'http', url: hangs.url });
  t.ok(performance.now() - began < 12_000);
  t.match(told.problem, { code: /^UPSTREAM_(TIMED_OUT|UNREACHABLE)$/ });
});

t.test('a probe leads nowhere that a connection would not, and only its owners look', async (t) => {
  const home = await connected(t, { allowPrivate: false });
  const body = { kind: 'http', url: 'https://tools.example.com/mcp' };
  const at = `${path}/connections/probe`;
  for (const url of ['https://127.0.0.1/', 'https://[::ffff:a9fe:a9fe]/', 'http://tools.example.com/', 'file:///etc'])
    t.equal(await refusalOf(home.ana.ask('POST', at, { ...body, url })), '422 CONNECTION_URL_REFUSED', url);
  t.equal(await refusalOf(home.ana.ask('POST', at, { kind: 'http' })), '422 CONNECTION_INVALID');
  t.equal(await refusalOf(home.ana.ask('POST', at, { kind: 'stdio', command: 'sh' })), '422 CONNECTION_INVALID');
  t.equal(await refusalOf(home.max.ask('POST', at, body)), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await refusalOf(home.eve.ask('POST', at, body)), '404 HUB_UNKNOWN');
  t.equal((await home.ana.ask('POST', at, { ...body, more: 1 })).status, 400);
});

t.test('a connection that is kept is looked at with its own credential', async (t) => {
  const home = await connected(t);
  const upstream = await served(t, goodServer('newest').answer);
  const credential = { kind: 'header', header: 'X-Api-Key', value: secret };
  await home.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url, credential });
  const told = await json<HubConnectionProbed>(home.ana.ask('POST', `${path}/connections/good/probe`));
  t.match(told, { server: { name: 'good-newest' }, tools_count: 7, problem: null });
  t.ok(upstream.seen.every((headers) => headers.get('x-api-key') === secret));
  t.equal(await refusalOf(home.ana.ask('POST', `${path}/connections/other/probe`)), '404 CONNECTION_UNKNOWN');
  t.equal(await refusalOf(home.max.ask('POST', `${path}/connections/good/probe`)), '403 HUB_ROLE_INSUFFICIENT');
});

async function withGood(t: Parameters<typeof connected>[0]) {
  const home = await connected(t);
  const upstream = await served(t, goodServer('newest').answer);
  await home.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  return { ...home, upstream };
}

t.test('a tool is called by hand as any client would call it, and stands in the audit', async (t) => {
  const home = await withGood(t);
  const offered = await json<HubToolsOffered>(home.max.ask('GET', `${path}/tools/offered`));
  t.match(offered, { missing: [] });
  t.match(
    offered.items.find(({ name }) => name === 'good__echo'),
    { connection: 'good', description: 'The tool echo', input_schema: { type: 'object' } },
  );
  const answer = await json<HubToolCalled>(call(home.max, 'good__echo', { text: 'hello' }));
  t.match(answer, { result: { content: [{ type: 'text', text: 'hello' }] }, is_error: false, outcome: 'ok' });
  t.ok(answer.duration_ms >= 0);
  t.match(await json(call(home.max, 'good__fails')), { is_error: true, outcome: 'tool_error' });
  const { items } = await home.gateway.audit.search(home.hub.hub_id, { limit: 10 });
  t.match(items, [
    { tool: 'fails', outcome: 'tool_error', person: 'Max', via: 'console' },
    { tool: 'echo', outcome: 'ok', person: 'Max', via: 'console', connection: 'good' },
  ]);
});

t.test('calls by hand that are not allowed, or go nowhere, are problems and stand in the audit too', async (t) => {
  const home = await withGood(t);
  await home.ana.ask('PUT', `${path}/policy`, { document: { roles: { member: { deny: ['good__echo'] } } } });
  const denied = await call(home.max, 'good__echo', { text: 'x' });
  t.equal(denied.status, 403);
  t.match(await denied.json(), { code: 'HUB_CALL_DENIED', detail: /denies good__echo/, cure: /ask an owner/ });
  t.equal(await refusalOf(call(home.max, 'good__nothing')), '404 HUB_TOOL_UNKNOWN');
  t.equal(await refusalOf(call(home.max, 'good__unlisted')), '404 HUB_TOOL_UNKNOWN');
  t.equal(await refusalOf(call(home.max, 'good__ask')), '409 HUB_CALL_ASKS');
  t.equal(await refusalOf(call(home.vic, 'good__echo')), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await refusalOf(home.vic.ask('GET', `${path}/tools/offered`)), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await refusalOf(call(home.eve, 'good__echo')), '404 HUB_UNKNOWN');
  const { items } = await home.gateway.audit.search(home.hub.hub_id, { limit: 10 });
  t.match(items.at(-1), { tool: 'echo', outcome: 'denied', person: 'Max' });
  t.equal(items.length, 4, 'who may not call at all is not in the audit of calls');
});

t.test('a large result, a refusal of the server and a server that is away are told apart', async (t) => {
  const home = await connected(t);
  const answers: Record<string, () => Record<string, unknown> | Response> = {
    large: () => text('x'.repeat(1_100_000)),
    picky: () => Response.json({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no such colour' } }),
  };
  const raw = rawServer({
    tools: () => ['large', 'picky'].map((name) => plainTool(name)),
    call: ({ name }) => answers[String(name)]?.() ?? {},
  });
  const upstream = await served(t, (request) => raw(request));
  await home.ana.ask('POST', `${path}/connections`, { name: 'raw', kind: 'http', url: upstream.url });
  const large = await call(home.ana, 'raw__large');
  t.match(await large.json(), { code: 'UPSTREAM_ANSWER_TOO_LARGE', detail: /larger than 1 MB/ });
  const picky = await call(home.ana, 'raw__picky');
  t.match(await picky.json(), {
    code: 'UPSTREAM_CALL_REFUSED',
    detail: /raw refused the call \(-32602\): .*no such colour/,
  });
  await upstream.stop();
  t.equal(await refusalOf(call(home.ana, 'raw__large')), '502 UPSTREAM_UNREACHABLE');
});
