/** Whose sessions and held calls they are, and what disagrees between headers and body. */
import t from 'tap';
import { goodServer } from '../hostile/good-server.ts';
import { served } from '../hostile/listening.ts';
import { connectionTo, house, newest } from './house.ts';

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

function post(url: string, bearer: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const all = { ...json, Authorization: `Bearer ${bearer}`, ...headers };
  return fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body) });
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const modern = (method: string, name: string) => ({
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': method,
  'Mcp-Name': name,
});

t.test('initialize is answered with plain JSON in the version that was asked for', async (t) => {
  const home = await house(t, []);
  const answer = await post(home.served.url, 'ann', initialize);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'application/json');
  t.match(await answer.json(), { id: 1, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'vp-hub-h1' } } });
});

t.test('a session is good for its person, its token and its hub alone', async (t) => {
  const home = await house(t, []);
  const begun = await post(home.served.url, 'ann', initialize);
  const session = { 'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '' };
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const { url } = home.served;
  t.equal((await post(url, 'ann', list, session)).status, 200);
  t.equal((await post(url, 'bob', list, session)).status, 404);
  t.equal((await post(url, 'ann@h2', list, session)).status, 404);
  t.equal((await post(url, 'ann', list, { 'Mcp-Session-Id': 'made-up' })).status, 404);
  const headers = { ...session, Authorization: 'Bearer bob', Accept: 'text/event-stream' };
  t.equal((await fetch(url, { headers })).status, 404, 'nor can another listen to it');
  t.equal((await fetch(url, { method: 'DELETE', headers })).status, 404, 'or end it');
  t.equal((await fetch(url, { method: 'DELETE', headers: { ...headers, Authorization: 'Bearer ann' } })).status, 200);
  t.equal((await post(url, 'ann', list, session)).status, 404);
});

t.test('without a session older clients are served all the same; GET and DELETE are not', async (t) => {
  const home = await house(t, []);
  const { url } = home.served;
  const answer = await post(url, 'ann', { jsonrpc: '2.0', id: 2, method: 'tools/list' });
  t.equal(answer.status, 200);
  t.match(await answer.json(), { result: { tools: [{ name: 'vp_hub_status' }] } });
  t.equal((await fetch(url, { headers: { Authorization: 'Bearer ann' } })).status, 405);
  t.equal((await fetch(url, { method: 'DELETE', headers: { Authorization: 'Bearer ann' } })).status, 405);
});

t.test('a person has so many sessions at once', async (t) => {
  const home = await house(t, []);
  const first = await post(home.served.url, 'ann', initialize);
  for (let round = 0; round < 64; round += 1) await post(home.served.url, 'ann', initialize);
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const session = { 'Mcp-Session-Id': first.headers.get('mcp-session-id') ?? '' };
  t.equal((await post(home.served.url, 'ann', list, session)).status, 404, 'the one unused longest has ended');
});

t.test('a person with many tokens takes no session of another', async (t) => {
  const home = await house(t, []);
  const { url } = home.served;
  const others = await post(url, 'bob', initialize);
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const own: Response[] = [];
  for (let round = 0; round < 257; round += 1) own.push(await post(url, `ann@h${round % 8}`, initialize));
  const statusOf = async (bearer: string, begun: Response | undefined): Promise<number> => {
    const session = { 'Mcp-Session-Id': begun?.headers.get('mcp-session-id') ?? '' };
    return (await post(url, bearer, list, session)).status;
  };
  t.equal(await statusOf('ann@h0', own[0]), 404, 'the one unused longest has ended');
  t.equal(await statusOf('ann@h1', own[1]), 200);
  t.equal(await statusOf('bob', others), 200);
});

t.test('headers and body that name different things are refused with -32020', async (t) => {
  const upstream = await served(t, goodServer('newest').answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const params = { name: 'good__echo', arguments: { text: 'one' }, _meta: meta };
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params };
  const right = { ...modern('tools/call', 'good__echo'), 'Mcp-Param-Text': 'one' };
  t.equal((await post(home.served.url, 'ann', call, right)).status, 200);
  const wrongs = [
    { ...right, 'Mcp-Name': 'good__fails' },
    { ...right, 'Mcp-Method': 'tools/list' },
    { ...right, 'Mcp-Param-Text': 'two' },
    modern('tools/call', 'good__echo'),
  ];
  for (const headers of wrongs) {
    const answer = await post(home.served.url, 'ann', call, headers);
    t.equal(answer.status, 400);
    t.match(await answer.json(), { id: 3, error: { code: -32020 } });
  }
  const encoded = { ...right, 'Mcp-Param-Text': `=?base64?${Buffer.from('one').toString('base64')}?=` };
  t.equal((await post(home.served.url, 'ann', call, encoded)).status, 200);
});

t.test('headers tell nothing of a tool that its caller is not offered', async (t) => {
  const upstream = await served(t, goodServer('newest').answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  home.hidden.add('echo');
  home.decide = () => ({ allowed: false, reason: 'hidden', cure: 'ask an owner' });
  const params = { name: 'good__echo', arguments: { text: 'one' }, _meta: meta };
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params };
  const headers = { ...modern('tools/call', 'good__echo'), 'Mcp-Param-Text': 'two' };
  const answer = await post(home.served.url, 'ann', call, headers);
  t.equal(answer.status, 200);
  t.match(await answer.json(), { result: { isError: true, content: [{ text: /^Not allowed: hidden/ }] } });
  home.hidden.delete('echo');
  t.equal((await post(home.served.url, 'ann', call, headers)).status, 400);
});

t.test('a call that waits for input goes on for the one who made it, once', async (t) => {
  const upstream = await served(t, goodServer('older').answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const { url } = home.served;
  let open = 0;
  home.decide = () => {
    open += 1;
    const done = () => {
      open -= 1;
    };
    return { allowed: true, redact: { keep: true, hide: [] }, done };
  };
  const call = (bearer: string, more: object = {}, name = 'good__ask') => {
    const params = { name, arguments: {}, _meta: meta, ...more };
    return post(url, bearer, { jsonrpc: '2.0', id: 4, method: 'tools/call', params }, modern('tools/call', name));
  };
  const asked = Object(await (await call('ann')).json()).result;
  t.match(asked, { resultType: 'input_required', requestState: /^vph\./ });
  const [[key, request]] = Object.entries(asked.inputRequests) as [[string, unknown]];
  t.match(request, { method: 'elicitation/create', params: { message: 'What is your name?' } });
  const answers = {
    inputResponses: { [key]: { action: 'accept', content: { name: 'Ann' } } },
    requestState: asked.requestState,
  };
  t.match(await (await call('bob', answers)).json(), { error: { data: { code: 'HUB_INPUT_UNKNOWN' } } });
  t.match(await (await call('ann@h2', answers)).json(), { error: {} });
  const other = { ...answers, arguments: { other: true } };
  t.match(await (await call('ann', other)).json(), { error: { data: { code: 'HUB_INPUT_UNKNOWN' } } });
  t.match(await (await call('ann', answers)).json(), { result: { content: [{ text: 'hello Ann' }] } });
  t.match(await (await call('ann', answers)).json(), { error: { data: { code: 'HUB_INPUT_UNKNOWN' } } });
  t.equal(open, 0, 'the place of each is free again');
});

t.test('state is not shared: each person has a session of their own at an older server', async (t) => {
  const upstream = await served(t, goodServer('older').answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const echo = { name: 'good__echo', arguments: { text: 'x' } };
  for (const person of ['ann', 'bob', 'ann']) await (await home.client(person, newest)).callTool(echo);
  const sessions = upstream.seen.map((headers) => headers.get('mcp-session-id')).filter((id) => id !== null);
  t.equal(new Set(sessions).size, 3, 'the one that lists, and one of each');
});

t.test('a watched resource is told to those who watch it', async (t) => {
  for (const era of ['newest', 'older'] as const) {
    const good = goodServer(era);
    const upstream = await served(t, good.answer);
    const home = await house(t, [connectionTo('good', upstream.url)]);
    for (const options of [{}, newest]) {
      const told = Promise.withResolvers<string>();
      const client = await home.client('ann', options);
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => told.resolve(params.uri));
      const uri = 'hub.good+note://one';
      if (options === newest) await client.listen({ resourceSubscriptions: [uri] });
      else await client.subscribeResource({ uri });
      good.resourceUpdated('note://one');
      t.equal(await told.promise, uri, era);
      await client.close();
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  }
});
