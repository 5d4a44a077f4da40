/** Owners of sessions and pending calls, and disagreements between headers and body. */
import t from 'tap';
import { readEvents } from '../../../src/streams/event-reader.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const jsonHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

function post(url: string, bearer: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const allHeaders = { ...jsonHeaders, Authorization: `Bearer ${bearer}`, ...headers };
  return fetch(url, { method: 'POST', headers: allHeaders, body: JSON.stringify(body) });
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'curl', version: '1' } },
};
const requestMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const createMcpHeaders = (method: string, name: string) => ({
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': method,
  'Mcp-Name': name,
});

t.test('initialize is answered with plain JSON in the requested version', async (t) => {
  const gateway = await startTestGateway(t, []);
  const response = await post(gateway.server.url, 'ann', initialize);
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/json');
  t.match(await response.json(), {
    id: 1,
    result: { protocolVersion: '2025-06-18', serverInfo: { name: 'vp-hub-h1' } },
  });
});

t.test('a session is valid only for its person, token and hub', async (t) => {
  const gateway = await startTestGateway(t, []);
  const initialized = await post(gateway.server.url, 'ann', initialize);
  const session = { 'Mcp-Session-Id': initialized.headers.get('mcp-session-id') ?? '' };
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const { url } = gateway.server;
  t.equal((await post(url, 'ann', list, session)).status, 200);
  t.equal((await post(url, 'bob', list, session)).status, 404);
  t.equal((await post(url, 'ann@h2', list, session)).status, 404);
  t.equal((await post(url, 'ann', list, { 'Mcp-Session-Id': 'made-up' })).status, 404);
  const headers = { ...session, Authorization: 'Bearer bob', Accept: 'text/event-stream' };
  t.equal((await fetch(url, { headers })).status, 404, 'another person cannot listen to it');
  t.equal((await fetch(url, { method: 'DELETE', headers })).status, 404, 'or end it');
  t.equal((await fetch(url, { method: 'DELETE', headers: { ...headers, Authorization: 'Bearer ann' } })).status, 200);
  t.equal((await post(url, 'ann', list, session)).status, 404);
});

t.test('older clients are served without a session, except for GET and DELETE', async (t) => {
  const gateway = await startTestGateway(t, []);
  const { url } = gateway.server;
  const response = await post(url, 'ann', { jsonrpc: '2.0', id: 2, method: 'tools/list' });
  t.equal(response.status, 200);
  t.match(await response.json(), { result: { tools: [{ name: 'vp_hub_status' }] } });
  t.equal((await fetch(url, { headers: { Authorization: 'Bearer ann' } })).status, 405);
  t.equal((await fetch(url, { method: 'DELETE', headers: { Authorization: 'Bearer ann' } })).status, 405);
});

t.test('sessions of one token are limited', async (t) => {
  const gateway = await startTestGateway(t, []);
  const firstSession = await post(gateway.server.url, 'ann', initialize);
  for (let round = 0; round < 64; round += 1) await post(gateway.server.url, 'ann', initialize);
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const session = { 'Mcp-Session-Id': firstSession.headers.get('mcp-session-id') ?? '' };
  t.equal(
    (await post(gateway.server.url, 'ann', list, session)).status,
    404,
    'the least recently used session has ended',
  );
});

t.test('a person with many tokens does not end sessions of others', async (t) => {
  const gateway = await startTestGateway(t, []);
  const { url } = gateway.server;
  const otherSession = await post(url, 'bob', initialize);
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const ownSessions: Response[] = [];
  for (let round = 0; round < 257; round += 1) ownSessions.push(await post(url, `ann@h${round % 8}`, initialize));
  const getStatus = async (bearer: string, initialized: Response | undefined): Promise<number> => {
    const session = { 'Mcp-Session-Id': initialized?.headers.get('mcp-session-id') ?? '' };
    return (await post(url, bearer, list, session)).status;
  };
  t.equal(await getStatus('ann@h0', ownSessions[0]), 404, 'the least recently used session has ended');
  t.equal(await getStatus('ann@h1', ownSessions[1]), 200);
  t.equal(await getStatus('bob', otherSession), 200);
});

t.test('headers that disagree with the body are refused with -32020', async (t) => {
  const upstream = await startTestServer(t, createReferenceServer('newest').handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const params = { name: 'good__echo', arguments: { text: 'one' }, _meta: requestMeta };
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params };
  const matchingHeaders = { ...createMcpHeaders('tools/call', 'good__echo'), 'Mcp-Param-Text': 'one' };
  t.equal((await post(gateway.server.url, 'ann', call, matchingHeaders)).status, 200);
  const mismatchedHeaders = [
    { ...matchingHeaders, 'Mcp-Name': 'good__fails' },
    { ...matchingHeaders, 'Mcp-Method': 'tools/list' },
    { ...matchingHeaders, 'Mcp-Param-Text': 'two' },
    createMcpHeaders('tools/call', 'good__echo'),
  ];
  for (const headers of mismatchedHeaders) {
    const response = await post(gateway.server.url, 'ann', call, headers);
    t.equal(response.status, 400);
    t.match(await response.json(), { id: 3, error: { code: -32020 } });
  }
  const encoded = { ...matchingHeaders, 'Mcp-Param-Text': `=?base64?${Buffer.from('one').toString('base64')}?=` };
  t.equal((await post(gateway.server.url, 'ann', call, encoded)).status, 200);
});

t.test('headers reveal nothing about a tool that is not visible to the caller', async (t) => {
  const upstream = await startTestServer(t, createReferenceServer('newest').handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  gateway.hidden.add('echo');
  gateway.decide = () => ({ allowed: false, reason: 'hidden', cure: 'ask an owner' });
  const params = { name: 'good__echo', arguments: { text: 'one' }, _meta: requestMeta };
  const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params };
  const headers = { ...createMcpHeaders('tools/call', 'good__echo'), 'Mcp-Param-Text': 'two' };
  const response = await post(gateway.server.url, 'ann', call, headers);
  t.equal(response.status, 200);
  t.match(await response.json(), { result: { isError: true, content: [{ text: /^Not allowed: hidden/ }] } });
  gateway.hidden.delete('echo');
  t.equal((await post(gateway.server.url, 'ann', call, headers)).status, 400);
});

t.test('a call that waits for input continues once, and only for its caller', async (t) => {
  const upstream = await startTestServer(t, createReferenceServer('older').handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const { url } = gateway.server;
  let open = 0;
  gateway.decide = () => {
    open += 1;
    const release = () => {
      open -= 1;
    };
    return { allowed: true, redact: { keep: true, hide: [] }, release: release };
  };
  const call = (bearer: string, extraParams: object = {}, name = 'good__ask') => {
    const params = { name, arguments: {}, _meta: requestMeta, ...extraParams };
    return post(
      url,
      bearer,
      { jsonrpc: '2.0', id: 4, method: 'tools/call', params },
      createMcpHeaders('tools/call', name),
    );
  };
  const inputRequired = Object(await (await call('ann')).json()).result;
  t.match(inputRequired, { resultType: 'input_required', requestState: /^vph\./ });
  const [[key, request]] = Object.entries(inputRequired.inputRequests) as [[string, unknown]];
  t.match(request, { method: 'elicitation/create', params: { message: 'What is your name?' } });
  const retry = {
    inputResponses: { [key]: { action: 'accept', content: { name: 'Ann' } } },
    requestState: inputRequired.requestState,
  };
  t.match(await (await call('bob', retry)).json(), { error: { data: { code: 'HUB_INPUT_UNKNOWN' } } });
  t.match(await (await call('ann@h2', retry)).json(), { error: {} });
  const changedRetry = { ...retry, arguments: { other: true } };
  t.match(await (await call('ann', changedRetry)).json(), { error: { data: { code: 'HUB_INPUT_UNKNOWN' } } });
  t.match(await (await call('ann', retry)).json(), { result: { content: [{ text: 'hello Ann' }] } });
  t.match(await (await call('ann', retry)).json(), { error: { data: { code: 'HUB_INPUT_UNKNOWN' } } });
  t.equal(open, 0, 'each reservation is released');
});

t.test('each person has their own session at an older server', async (t) => {
  const upstream = await startTestServer(t, createReferenceServer('older').handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const echo = { name: 'good__echo', arguments: { text: 'x' } };
  for (const person of ['ann', 'bob', 'ann']) await (await gateway.client(person, modernClient)).callTool(echo);
  const sessions = upstream.receivedHeaders.map((headers) => headers.get('mcp-session-id')).filter((id) => id !== null);
  t.equal(new Set(sessions).size, 3, 'one for lists, and one per person');
});

t.test('a subscriber is notified of an updated resource', async (t) => {
  for (const era of ['newest', 'older'] as const) {
    const referenceServer = createReferenceServer(era);
    const upstream = await startTestServer(t, referenceServer.handle);
    const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
    for (const options of [{}, modernClient]) {
      const updatedUri = Promise.withResolvers<string>();
      const client = await gateway.client('ann', options);
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => updatedUri.resolve(params.uri));
      const uri = 'hub.good+note://one';
      if (options === modernClient) await client.listen({ resourceSubscriptions: [uri] });
      else await client.subscribeResource({ uri });
      referenceServer.resourceUpdated('note://one');
      t.equal(await updatedUri.promise, uri, era);
      await client.close();
    }
  }
});

t.test('a client that reconnects gets the changes that it has missed', async (t) => {
  const gateway = await startTestGateway(t, []);
  const { url } = gateway.server;
  const initialized = await post(url, 'ann', initialize);
  const headers = {
    Authorization: 'Bearer ann',
    Accept: 'text/event-stream',
    'Mcp-Session-Id': initialized.headers.get('mcp-session-id') ?? '',
  };
  const listen = async (lastEventId?: string) => {
    const controller = new AbortController();
    const resumed = lastEventId === undefined ? headers : { ...headers, 'Last-Event-ID': lastEventId };
    const response = await fetch(url, { headers: resumed, signal: controller.signal });
    t.equal(response.status, 200);
    return { events: readEvents(response.body), leave: () => controller.abort() };
  };
  const lists = ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`);
  const first = await listen();
  gateway.emitChange();
  const { value } = await first.events.next();
  t.match(JSON.parse(value?.data ?? ''), { method: lists[0] });
  first.leave();
  const second = await listen(value?.id);
  const missed = [await second.events.next(), await second.events.next()];
  t.match(
    missed.map((event) => JSON.parse(event.value?.data ?? '').method),
    lists.slice(1),
  );
  const third = await listen();
  t.match(await second.events.next(), { done: true }, 'a new stream replaces the one before');
  third.leave();
});
