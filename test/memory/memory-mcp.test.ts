/** The memory service for real clients of both eras, by tokens of hubs. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { listen } from '../../src/http/listen.ts';
import { memoryConnection } from '../../src/memory/connection.ts';
import { memoryHandler } from '../../src/memory/mcp-handler.ts';
import { openMemory } from '../../src/memory/memory-service.ts';
import { memoryRoutes } from '../../src/server/memory.ts';
import { keptLog } from '../http/kept-log.ts';
import { hubPeople, makeHub, makeToken } from '../hub/hub-people.ts';
import { servedAgain } from '../server/served.ts';

type Era = 'older' | 'newer';

async function house(t: Test) {
  const people = await hubPeople(t);
  const memory = openMemory({ folder: t.testdir({}), clock: systemClock, random: systemRandom });
  const onFault = (fault: unknown): void => void t.fail('a fault', { fault: String(fault) });
  const handler = memoryHandler(memoryConnection(memory, onFault), '0.4.0', onFault);
  const routes = memoryRoutes({ door: people.api.hub.door, memory: async () => handler });
  const { fetch } = servedAgain(people.api, { routes });
  const listening = await listen({
    host: '127.0.0.1',
    port: 0,
    handler: fetch,
    publicUrls: [],
    clock: systemClock,
    random: systemRandom,
    log: keptLog().log,
  });
  t.teardown(async () => {
    await handler.close();
    await listening.close();
    await memory.close();
  });
  const connect = async (token: string, era: Era, path = '/memory/mcp'): Promise<Client> => {
    const options = era === 'newer' ? { versionNegotiation: { mode: 'auto' as const } } : {};
    const client = new Client({ name: 'agent', version: '1.0.0' }, options);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${listening.url}${path}`), { requestInit }));
    t.teardown(() => client.close());
    return client;
  };
  return { ...people, url: listening.url, connect };
}

for (const era of ['older', 'newer'] as const) {
  t.test(`a client remembers, recalls and forgets by its token (${era} era)`, async (t) => {
    const { ana, max, connect } = await house(t);
    const [mine, other] = [(await makeToken(ana, 'acme')).token, (await makeToken(max, 'acme')).token];
    const client = await connect(mine, era);
    t.match(client.getServerVersion(), { name: 'vp-memory' });
    const { tools } = await client.listTools();
    t.strictSame(
      tools.map(({ name }) => name),
      ['remember', 'recall', 'list', 'update', 'forget', 'export', 'import'],
    );
    t.match(tools[1], { annotations: { readOnlyHint: true } });
    const call = async (of: Client, name: string, input: Record<string, unknown>) =>
      Object(await of.callTool({ name, arguments: input }));
    await call(client, 'remember', { text: 'the door code is on the fridge' });
    await call(client, 'remember', { text: 'the door of the office is green', scope: 'hub' });
    t.match(await call(client, 'recall', { query: 'door' }), { structuredContent: { memories: { length: 2 } } });
    const others = await connect(other, era, '/memory/hub/acme/mcp');
    const seen = await call(others, 'recall', { query: 'door' });
    t.match(seen.structuredContent.memories, [{ text: /green/, author: 'Ana', scope: 'hub' }]);
    t.equal(seen.structuredContent.memories.length, 1);
    t.match(await call(others, 'forget', { id: seen.structuredContent.memories[0].id }), {
      isError: true,
      structuredContent: { code: 'MEMORY_NOT_YOURS' },
    });
    await t.rejects(client.callTool({ name: 'nothing', arguments: {} }), /no tool nothing/);
  });

  t.test(`the same person has another memory in another hub (${era} era)`, async (t) => {
    const { ana, connect } = await house(t);
    await makeHub(ana, 'beta');
    const [acme, beta] = [(await makeToken(ana, 'acme')).token, (await makeToken(ana, 'beta')).token];
    const [one, two] = [await connect(acme, era), await connect(beta, era)];
    await one.callTool({ name: 'remember', arguments: { text: 'only in acme' } });
    t.match(await two.callTool({ name: 'recall', arguments: { query: 'acme' } }), {
      structuredContent: { memories: [] },
    });
    t.match(await one.callTool({ name: 'recall', arguments: { query: 'acme' } }), {
      structuredContent: { memories: [{ text: 'only in acme' }] },
    });
  });
}

t.test('the door is the hub’s: statuses and codes are the same', async (t) => {
  const { ana, max, url, ids } = await house(t);
  await makeHub(ana, 'beta');
  const acme = (await makeToken(max, 'acme')).token;
  const ask = async (path: string, token?: string, method = 'POST') => {
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
  t.equal(await ask('/memory/mcp'), '401 missing_token');
  t.match(await ask('/memory/mcp', ''), /^401 (missing|invalid)_token$/);
  t.equal(await ask('/memory/mcp', 'nonsense'), '401 invalid_token');
  t.equal(await ask('/memory/mcp', acme), '200');
  t.equal(await ask('/memory/hub/acme/mcp', acme), '200');
  t.equal(await ask('/memory/hub/beta/mcp', acme), '403 ERR_SCOPE_UNAVAILABLE');
  t.equal(await ask('/memory/mcp', acme, 'GET'), '405 METHOD_REFUSED');
  await ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Max}`);
  t.equal(await ask('/memory/mcp', acme), '403 membership_required');
});
