/** The memory service at its own address is under the policy, the limits and the audit of the hub. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { origin } from '../../server/test-server.ts';
import { createToken } from '../fixtures/hub-people.ts';
import { startTestHub, type TestHub } from '../fixtures/test-hub.ts';

const path = '/api/v1/hubs/acme';

async function startDirectMemory(t: Test) {
  const hub = await startTestHub(t);
  const connect = async (token: string): Promise<Client> => {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/memory/mcp`), {
      fetch: (url, init) => hub.api.fetch(new Request(url, init), { requestId: 'request-1' }),
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    });
    await client.connect(transport);
    t.teardown(() => client.close());
    return client;
  };
  let revision = 0;
  const setPolicy = async (document: object): Promise<void> => {
    const response = await hub.ana.ask('PUT', `${path}/policy`, { document, if_revision: revision });
    t.equal(response.status, 200, await response.clone().text());
    revision += 1;
  };
  const searchAudit = async () => (await hub.gateway.audit.search(hub.hub.hub_id, { limit: 50 })).items;
  return { hub, connect, setPolicy, searchAudit };
}

async function listNames(client: Client): Promise<string[]> {
  return (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.map(({ name }) => name);
}

const remember = { name: 'remember', arguments: { text: 'the door is green' } };
const denied = { isError: true, _meta: { 'vp/denied': {} } };

function connectMemory({ ana }: TestHub, name: string): Promise<Response> {
  return ana.ask('POST', `${path}/connections`, { name, kind: 'memory' });
}

t.test('each call is recorded for its person, with its arguments, request and client', async (t) => {
  const { hub, connect, searchAudit } = await startDirectMemory(t);
  const client = await connect((await createToken(hub.max, 'acme')).token);
  await client.callTool(remember);
  await t.rejects(client.callTool({ name: 'nothing', arguments: {} }), /nothing/);
  await t.rejects(client.callTool({ name: 'vp_hub_status', arguments: {} }), /vp_hub_status/);
  const call = { person: 'Max', via: 'token', via_name: 'ci', method: 'tools/call', request_id: 'request-1' };
  t.match(await searchAudit(), [
    { ...call, tool: 'vp_hub_status', outcome: 'denied' },
    { ...call, tool: 'nothing', outcome: 'denied' },
    { ...call, connection: 'memory', tool: 'remember', outcome: 'ok', client: 'agent', arguments: /green/ },
  ]);
});

t.test('a call that is not valid is recorded too', async (t) => {
  const { hub, searchAudit } = await startDirectMemory(t);
  const { token } = await createToken(hub.max, 'acme');
  const post = (body: unknown) =>
    hub.api.fetch(
      new Request(`${origin}/memory/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Authorization: `Bearer ${token}`,
        },
        body: JSON.stringify(body),
      }),
    );
  await (await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 7 } })).text();
  await (await post({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'remember' } })).text();
  t.match(await searchAudit(), [{ outcome: 'denied', tool: 'remember' }, { outcome: 'denied' }]);
});

t.test('rules hold by the name of the hub’s connection, and by `memory` where it has none', async (t) => {
  const { hub, connect, setPolicy, searchAudit } = await startDirectMemory(t);
  const client = await connect((await createToken(hub.max, 'acme')).token);
  const viewer = await connect((await createToken(hub.vic, 'acme')).token);
  t.ok((await listNames(client)).includes('forget'));
  t.same(await listNames(viewer), ['recall', 'list', 'export'], 'a viewer only reads');
  t.match(await viewer.callTool(remember), denied);
  t.match(await viewer.callTool({ name: 'recall', arguments: { query: 'door' } }), { isError: undefined });
  const trial = await hub.ana.ask('POST', `${path}/policy/trial`, {
    document: { roles: { member: { deny: ['memory__list'] }, viewer: { deny: ['memory__recall'] } } },
  });
  t.match(await trial.json(), { calls: 2, allowed: [], refused: [{ tool: 'memory__recall', person: 'Vic' }] });
  await setPolicy({ roles: { member: { deny: ['memory__forget', 'memory__remember'] } } });
  t.notOk((await listNames(client)).includes('remember'));
  t.match(await client.callTool(remember), denied);
  t.match((await searchAudit()).slice(0, 1), [{ outcome: 'denied', tool: 'remember', reason: /memory__remember/ }]);
  t.equal((await connectMemory(hub, 'notes')).status, 201);
  t.notMatch(await client.callTool(remember), denied, 'the connection has another name');
  await setPolicy({
    roles: { member: { deny: ['notes__forget'] } },
    arguments: [{ tools: 'notes__remember', schema: { properties: { text: { maxLength: 3 } } }, message: 'too long' }],
  });
  t.notOk((await listNames(client)).includes('forget'));
  t.match(await client.callTool(remember), { ...denied, content: [{ text: /too long/ }] });
  t.match((await searchAudit()).slice(0, 1), [{ outcome: 'denied', connection: 'notes', tool: 'remember' }]);
});

t.test('calls count against the limits of the policy, together with those through the hub', async (t) => {
  const { hub, connect, setPolicy } = await startDirectMemory(t);
  await connectMemory(hub, 'notes');
  await setPolicy({ limits: [{ per: 'person', calls_a_minute: 2 }], bounds: { answer_bytes: 300 } });
  const { token } = await createToken(hub.max, 'acme');
  const client = await connect(token);
  const throughHub = await hub.client(token);
  await throughHub.callTool({ name: 'notes__remember', arguments: { text: 'x'.repeat(400) } }).catch(() => undefined);
  await t.rejects(client.callTool({ name: 'recall', arguments: { query: 'xxx' } }), /larger|large/);
  t.match(await client.callTool(remember), { ...denied, content: [{ text: /more than 2 calls a minute/ }] });
});

t.test('owners switch it off, in the policy or with their connection', async (t) => {
  const { hub, connect, setPolicy, searchAudit } = await startDirectMemory(t);
  const client = await connect((await createToken(hub.max, 'acme')).token);
  await setPolicy({ direct_memory: 'refuse' });
  t.same(await listNames(client), []);
  t.match(await client.callTool(remember), denied);
  t.match((await searchAudit()).slice(0, 1), [{ outcome: 'denied', tool: 'remember', reason: /own address/ }]);
  await setPolicy({});
  t.notMatch(await client.callTool(remember), denied);
  await connectMemory(hub, 'notes');
  t.notMatch(await client.callTool(remember), denied);
  const connections: { items: { connection_id: string }[] } = await (
    await hub.ana.ask('GET', `${path}/connections`)
  ).json();
  const id = connections.items[0]?.connection_id ?? '';
  t.equal((await hub.ana.ask('PUT', `${path}/connections/${id}`, { enabled: false })).status, 200);
  t.same(await listNames(client), []);
  t.match(await client.callTool(remember), { ...denied, content: [{ text: /switched off/ }] });
});
