/** With `audit.lists`, the audit has a row for each message of a caller that is not a call, and for each that is refused. */
import t, { type Test } from 'tap';
import { origin } from '../../server/test-server.ts';
import { createToken } from '../fixtures/hub-people.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { startTestHub } from '../fixtures/test-hub.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const path = '/api/v1/hubs/acme';
const watched = 'hub.good+note://one';

async function startRecordingHub(t: Test, audit: object) {
  const hub = await startTestHub(t);
  const upstream = await startTestServer(t, createReferenceServer('older').handle);
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const saved = await hub.ana.ask('PUT', `${path}/policy`, { document: { audit }, if_revision: 0 });
  t.equal(saved.status, 200, await saved.clone().text());
  const { token } = await createToken(hub.max, 'acme');
  const post = (body: unknown, headers: Record<string, string> = {}, address = '/agent/mcp') =>
    hub.api.fetch(
      new Request(`${origin}${address}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Authorization: `Bearer ${token}`,
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      { requestId: 'request-1' },
    );
  /** The oldest row first, without those of the changes that are made here. */
  const readRows = async () =>
    (await hub.gateway.audit.search(hub.hub.hub_id, { limit: 50 })).items
      .filter(({ method }) => !/ (?:added|changed)$/.test(method))
      .map(({ method, outcome, reason, tool, client }) => ({ method, outcome, reason, tool, client }))
      .reverse();
  return { hub, token, post, readRows };
}

t.test('lists, initialize and subscriptions are recorded, with the name of the client', async (t) => {
  const { hub, token, readRows } = await startRecordingHub(t, { lists: true });
  const older = await hub.client(token, {});
  await older.listTools();
  await older.subscribeResource({ uri: watched });
  await older.callTool({ name: 'good__echo', arguments: { text: 'x' } });
  const newest = await hub.client(token, modernClient);
  await newest.listPrompts();
  await (await newest.listen({ toolsListChanged: true })).close();
  const ok = { outcome: 'ok', reason: null, client: 'test' };
  const rows = await readRows();
  t.match(
    rows.filter(({ method }) => method !== 'subscriptions/listen'),
    [
      { ...ok, method: 'initialize' },
      { ...ok, method: 'tools/list' },
      { ...ok, method: 'resources/subscribe', tool: watched },
      { ...ok, method: 'tools/call', tool: 'echo' },
      { ...ok, method: 'server/discover' },
      { ...ok, method: 'prompts/list' },
    ],
  );
  t.ok(rows.some(({ method, outcome }) => method === 'subscriptions/listen' && outcome === 'ok'));
});

t.test('refused messages are recorded, whatever they are', async (t) => {
  const { hub, token, post, readRows } = await startRecordingHub(t, { lists: true });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const refusals = [
    await post({ ...list, method: 'nothing/known' }),
    await post({ ...list, params: { cursor: 'made-up' } }),
    await post(list, { 'Mcp-Session-Id': 'made-up' }),
    await post('not JSON'),
    await post({ ...list, params: { _meta: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [n, n])) } }),
    await post({ ...list, method: 'resources/subscribe', params: { uri: watched } }),
    await post({ ...list, method: 'nothing/known' }, {}, '/memory/mcp'),
    await hub.api.fetch(
      new Request(`${origin}/agent/mcp`, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', 'Mcp-Session-Id': 'made-up' },
      }),
    ),
  ];
  for (const response of refusals) await response.text();
  const denied = { outcome: 'denied' };
  t.match(await readRows(), [
    { ...denied, method: 'nothing/known', reason: 'error -32601' },
    { ...denied, method: 'tools/list', reason: 'error -32602' },
    { ...denied, method: 'tools/list', reason: 'refused with HTTP 404' },
    { ...denied, method: 'HTTP POST', reason: 'refused with HTTP 400' },
    { ...denied, method: 'HTTP POST', reason: 'refused with HTTP 413' },
    { ...denied, method: 'resources/subscribe', tool: watched, reason: 'error -32601' },
    { ...denied, method: 'nothing/known', reason: 'error -32601' },
    { ...denied, method: 'HTTP GET', reason: 'refused with HTTP 404' },
  ]);
});

t.test('what is used without lists is recorded alone, and calls have one row', async (t) => {
  const { hub, token, readRows, post } = await startRecordingHub(t, {});
  const client = await hub.client(token, {});
  await client.listTools();
  await client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
  await (await post('not JSON')).text();
  t.match(await readRows(), [{ method: 'tools/call', outcome: 'ok' }]);
});

t.test('a list at the address of memory is recorded', async (t) => {
  const { post, readRows } = await startRecordingHub(t, { lists: true });
  await (await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}, '/memory/mcp')).text();
  t.match(await readRows(), [{ method: 'tools/list', outcome: 'ok' }]);
});

t.test('messages in a batch are recorded each, calls once', async (t) => {
  const { post, readRows } = await startRecordingHub(t, { lists: true });
  const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'good__echo', arguments: { text: 'x' } } };
  const batch = [
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { ...call, id: 2 },
    { jsonrpc: '2.0', id: 3, method: 'ping' },
  ];
  const response = await post(batch, { 'MCP-Protocol-Version': '2025-03-26' });
  await response.text();
  t.match(
    (await readRows()).sort((a, b) => (a.method < b.method ? 1 : -1)),
    [
      { method: 'tools/list', outcome: 'ok', reason: /batch/ },
      { method: 'tools/call', outcome: 'ok' },
    ],
  );
});

t.test('a caller who sends more than is recorded in a minute is refused, so that rows of calls stay', async (t) => {
  const { post, readRows } = await startRecordingHub(t, { lists: true });
  const batch = Array.from({ length: 50 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }));
  const statuses: number[] = [];
  for (let sent = 0; sent < 26; sent += 1) {
    const response = await post(batch, { 'MCP-Protocol-Version': '2025-03-26' });
    statuses.push(response.status);
    await response.text();
  }
  t.match(statuses, [...Array.from({ length: 24 }, () => 200), 429, 429]);
  const { length } = (await readRows()).filter(({ outcome }) => outcome === 'denied');
  t.equal(length, 1, 'the refusal is recorded once');
});
