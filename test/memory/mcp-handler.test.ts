/** The memory service with real clients of both eras and tokens of hubs. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { listen } from '../../src/http/listener/listen.ts';
import { createMemoryLog } from '../http/memory-log.ts';
import { createHub, createToken } from '../hub/fixtures/hub-people.ts';
import { jsonHeaders } from '../hub/fixtures/mcp-requests.ts';
import { startTestHub } from '../hub/fixtures/test-hub.ts';

type Era = 'older' | 'newer';

async function startMemoryServer(t: Test) {
  const people = await startTestHub(t);
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    handler: people.api.fetch,
    publicUrls: [],
    clock: systemClock,
    random: systemRandom,
    log: createMemoryLog().log,
  });
  t.teardown(() => server.close());
  const connect = async (token: string, era: Era, path = '/memory/mcp'): Promise<Client> => {
    const options = era === 'newer' ? { versionNegotiation: { mode: 'auto' as const } } : {};
    const client = new Client({ name: 'agent', version: '1.0.0' }, options);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}${path}`), { requestInit }));
    t.teardown(() => client.close());
    return client;
  };
  return { ...people, url: server.url, connect };
}

for (const era of ['older', 'newer'] as const) {
  t.test(`a client remembers, recalls and forgets with its token (${era} era)`, async (t) => {
    const { ana, max, connect } = await startMemoryServer(t);
    const [ownToken, otherToken] = [(await createToken(ana, 'acme')).token, (await createToken(max, 'acme')).token];
    const client = await connect(ownToken, era);
    t.match(client.getServerVersion(), { name: 'vp-memory' });
    const { tools } = await client.listTools();
    t.strictSame(
      tools.map(({ name }) => name),
      ['remember', 'recall', 'list', 'update', 'forget', 'export', 'import'],
    );
    t.match(tools[1], { annotations: { readOnlyHint: true } });
    const call = async (caller: Client, name: string, input: Record<string, unknown>) =>
      Object(await caller.callTool({ name, arguments: input }));
    await call(client, 'remember', { text: 'the door code is on the fridge' });
    await call(client, 'remember', { text: 'the door of the office is green', scope: 'hub' });
    t.match(await call(client, 'recall', { query: 'door' }), { structuredContent: { memories: { length: 2 } } });
    const otherClient = await connect(otherToken, era, '/memory/hub/acme/mcp');
    const recalled = await call(otherClient, 'recall', { query: 'door' });
    t.match(recalled.structuredContent.memories, [{ text: /green/, author: 'Ana', scope: 'hub' }]);
    t.equal(recalled.structuredContent.memories.length, 1);
    t.match(await call(otherClient, 'forget', { id: recalled.structuredContent.memories[0].id }), {
      isError: true,
      structuredContent: { code: 'MEMORY_NOT_YOURS' },
    });
    await t.rejects(client.callTool({ name: 'nothing', arguments: {} }), /nothing/);
  });

  t.test(`a person has a separate memory in each hub (${era} era)`, async (t) => {
    const { ana, connect } = await startMemoryServer(t);
    await createHub(ana, 'beta');
    const [acme, beta] = [(await createToken(ana, 'acme')).token, (await createToken(ana, 'beta')).token];
    const [acmeClient, betaClient] = [await connect(acme, era), await connect(beta, era)];
    await acmeClient.callTool({ name: 'remember', arguments: { text: 'only in acme' } });
    t.match(await betaClient.callTool({ name: 'recall', arguments: { query: 'acme' } }), {
      structuredContent: { memories: [] },
    });
    t.match(await acmeClient.callTool({ name: 'recall', arguments: { query: 'acme' } }), {
      structuredContent: { memories: [{ text: 'only in acme' }] },
    });
  });
}

t.test('authentication is the hub’s: statuses and codes are the same', async (t) => {
  const { ana, max, url, ids } = await startMemoryServer(t);
  await createHub(ana, 'beta');
  const acme = (await createToken(max, 'acme')).token;
  const request = async (path: string, token?: string, method = 'POST') => {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    if (token !== undefined) headers.authorization = token === '' ? 'Basic eDp5' : `Bearer ${token}`;
    const body = method === 'POST' ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) } : {};
    const response = await fetch(`${url}${path}`, { method, headers, ...body });
    const text = await response.text();
    return `${response.status} ${text.startsWith('{') ? (JSON.parse(text).code ?? '') : ''}`.trim();
  };
  t.equal(await request('/memory/mcp'), '401 missing_token');
  t.match(await request('/memory/mcp', ''), /^401 (missing|invalid)_token$/);
  t.equal(await request('/memory/mcp', 'nonsense'), '401 invalid_token');
  t.equal(await request('/memory/mcp', acme), '200');
  t.equal(await request('/memory/hub/acme/mcp', acme), '200');
  t.equal(await request('/memory/hub/beta/mcp', acme), '403 ERR_SCOPE_UNAVAILABLE');
  t.equal(await request('/memory/mcp', acme, 'GET'), '405 METHOD_REFUSED');
  await ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Max}`);
  t.equal(await request('/memory/mcp', acme), '403 membership_required');
});

t.test('a malformed message of a client is no failure of the service in the log', async (t) => {
  const { ana, url, lines } = await startMemoryServer(t);
  const { token } = await createToken(ana, 'acme');
  const newest = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  const batch = [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: newest } }];
  for (const body of [{}, batch, [1], { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: newest } }]) {
    const headers = { ...jsonHeaders, authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/memory/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });
    t.equal(response.status, 400);
  }
  t.same(lines, []);
});
