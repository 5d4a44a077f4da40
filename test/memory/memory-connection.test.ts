/** Memory as a connection of hubs: governed and audited like any other, and never shared beyond its scope. */

import type { Client } from '@modelcontextprotocol/client';
import t from 'tap';
import type { HubPrincipal } from '../../src/hub/access/principal.ts';
import { eventually } from '../eventually.ts';
import { pickCalls } from '../hub/fixtures/audit-calls.ts';
import { createHub, createToken, putMember, readJson, readRefusal } from '../hub/fixtures/hub-people.ts';
import { createReferenceServer } from '../hub/fixtures/reference-server.ts';
import { modernClient } from '../hub/fixtures/test-gateway.ts';
import { startTestHub, type TestHub } from '../hub/fixtures/test-hub.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';

const connect = (browser: TestHub['ana'], hub: string) =>
  browser.ask('POST', `/api/v1/hubs/${hub}/connections`, { name: 'memory', kind: 'memory' });

async function connectClients(hub: TestHub, people: readonly (readonly [TestHub['ana'], string])[]): Promise<Client[]> {
  const created = await Promise.all(people.map(async ([browser, hub]) => (await createToken(browser, hub)).token));
  return Promise.all(created.map((token) => hub.client(token)));
}

async function recallTexts(client: Client | undefined, query: string): Promise<string[]> {
  const answer = await client?.callTool({ name: 'memory__recall', arguments: { query } });
  const { memories = [] } = Object(answer?.structuredContent);
  return memories.map(({ text }: { text: string }) => text);
}

const remember = (client: Client | undefined, text: string, scope: string) =>
  client?.callTool({ name: 'memory__remember', arguments: { text, scope } });

t.test('memory is offered under its connection’s name in both eras, and its calls are audited', async (t) => {
  const hub = await startTestHub(t);
  t.equal((await connect(hub.ana, 'acme')).status, 201);
  const { token } = await createToken(hub.max, 'acme');
  for (const options of [modernClient, {}]) {
    const client = await hub.client(token, options);
    const { tools } = await client.listTools();
    t.match(
      tools.map(({ name }) => name),
      /memory__remember/,
    );
    t.equal(tools.length, 8, 'its seven, and the status of the hub');
    t.match(await remember(client, 'the kettle is blue', 'user'), { structuredContent: { memory: { author: 'Max' } } });
    t.same((await recallTexts(client, 'kettle')).length, options === modernClient ? 1 : 2);
  }
  const items = pickCalls((await hub.gateway.audit.search(hub.hub.hub_id, { limit: 10 })).items);
  await eventually(() => readJson(hub.ana.ask('GET', '/api/v1/hubs/acme/connections/memory')), {
    until: (connection) => Object(connection).state === 'connected',
  });
  t.equal(items.length, 4);
  t.match(items[0], { person: 'Max', connection: 'memory', tool: 'recall', outcome: 'ok', via: 'token' });
});

t.test('nobody reads memories of another person or hub, through any connection', async (t) => {
  const hub = await startTestHub(t);
  await createHub(hub.ana, 'other');
  await putMember(hub.ana, 'other', hub.ids.Max ?? '', 'member');
  await connect(hub.ana, 'acme');
  await connect(hub.ana, 'other');
  const [ana, max, anaOther, maxOther] = await connectClients(hub, [
    [hub.ana, 'acme'],
    [hub.max, 'acme'],
    [hub.ana, 'other'],
    [hub.max, 'other'],
  ]);
  await remember(ana, 'zebra of ana in acme', 'user');
  await remember(ana, 'zebra for all of acme', 'hub');
  await remember(maxOther, 'zebra of max in other', 'user');
  await remember(maxOther, 'zebra for all of other', 'hub');
  t.same(new Set(await recallTexts(ana, 'zebra')), new Set(['zebra of ana in acme', 'zebra for all of acme']));
  t.same(await recallTexts(max, 'zebra'), ['zebra for all of acme']);
  t.same(await recallTexts(anaOther, 'zebra'), ['zebra for all of other']);
  t.same(new Set(await recallTexts(maxOther, 'zebra')), new Set(['zebra of max in other', 'zebra for all of other']));
  const listed = await ana?.callTool({ name: 'memory__list', arguments: {} });
  const [{ id }] = Object(listed?.structuredContent).memories;
  for (const client of [max, anaOther, maxOther]) {
    const updated = await client?.callTool({ name: 'memory__update', arguments: { id, text: 'mine now' } });
    t.match(updated, { isError: true, structuredContent: { code: 'MEMORY_UNKNOWN' } });
    t.match(await client?.callTool({ name: 'memory__forget', arguments: { id } }), { isError: true });
  }
  // Many concurrent calls: the principal comes with each call and is not stored.
  const concurrentResults = await Promise.all(
    Array.from({ length: 40 }, (_, index) => recallTexts([ana, max, anaOther, maxOther][index % 4], 'zebra')),
  );
  for (const [index, texts] of concurrentResults.entries()) {
    const hub = index % 4 < 2 ? 'acme' : 'other';
    t.ok(texts.length > 0 && texts.every((text) => text.includes(hub)), `call ${index}`);
  }
});

t.test('policy, roles and memberships apply to memory too', async (t) => {
  const hub = await startTestHub(t);
  await connect(hub.ana, 'acme');
  const [max, vic] = await connectClients(hub, [
    [hub.max, 'acme'],
    [hub.vic, 'acme'],
  ]);
  const viewerTools = (await vic?.listTools())?.tools.map(({ name }) => name) ?? [];
  t.ok(viewerTools.includes('memory__recall'));
  t.notOk(viewerTools.includes('memory__remember'), 'viewers only read');
  t.match(await remember(vic, 'x', 'hub'), { isError: true, content: [{ text: /^Not allowed/ }] });
  await hub.ana.ask('PUT', '/api/v1/hubs/acme/policy', {
    document: { roles: { member: { deny: ['memory__*'] } } },
    if_revision: 0,
  });
  t.match(await remember(max, 'x', 'user'), { isError: true, content: [{ text: /denies memory/ }] });
  await hub.ana.ask('PUT', '/api/v1/hubs/acme/policy', { document: { roles: {} }, if_revision: 1 });
  t.match(await remember(max, 'kept', 'user'), { structuredContent: { memory: { text: 'kept' } } });
  await hub.max.ask('POST', '/api/v1/hubs/acme/leave');
  await t.rejects(async () => void (await remember(max, 'later', 'user')));
  t.equal(
    await readRefusal(hub.max.ask('POST', '/api/v1/hubs/acme/tools/call', { name: 'memory__list' })),
    '404 HUB_UNKNOWN',
  );
});

t.test('memory reveals nothing to other upstreams, and can be probed and called manually', async (t) => {
  const hub = await startTestHub(t);
  await connect(hub.ana, 'acme');
  const upstream = await startTestServer(t, createReferenceServer('newest').handle);
  await hub.ana.ask('POST', '/api/v1/hubs/acme/connections', { name: 'good', kind: 'http', url: upstream.url });
  const { token } = await createToken(hub.ana, 'acme');
  const client = await hub.client(token);
  await client.listTools();
  await remember(client, 'a giraffe', 'user');
  await client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
  t.notMatch(JSON.stringify(upstream.receivedHeaders.map((headers) => [...headers])), token);
  const probe = await readJson(hub.ana.ask('POST', '/api/v1/hubs/acme/connections/probe', { kind: 'memory' }));
  t.match(probe, { server: { name: 'vp-memory' }, tools_count: 7, problem: null });
  const manualCall = hub.ana.ask('POST', '/api/v1/hubs/acme/tools/call', {
    name: 'memory__recall',
    arguments: { query: 'giraffe' },
  });
  t.match(await readJson(manualCall), {
    is_error: false,
    result: { structuredContent: { memories: [{ text: 'a giraffe' }] } },
  });
});

t.test('changed tools of memory need no approval; those of other connections do', async (t) => {
  const hub = await startTestHub(t);
  await connect(hub.ana, 'acme');
  const upstream = await startTestServer(t, createReferenceServer('newest').handle);
  await hub.ana.ask('POST', '/api/v1/hubs/acme/connections', { name: 'good', kind: 'http', url: upstream.url });
  const principal: HubPrincipal = {
    hub: { id: hub.hub.hub_id, slug: 'acme' },
    person: { personId: hub.ids.Max ?? '', name: 'Max' },
    role: 'member',
    via: { kind: 'console' },
    client: undefined,
  };
  const tool = (description: string) => [{ name: 'recall', description, inputSchema: { type: 'object' } }];
  const visibleCounts: Record<string, number> = {};
  for (const connection of await hub.api.hub.connectionRepository.listEnabled(hub.hub.hub_id)) {
    await hub.gateway.governance.policy.filterVisibleTools(principal, connection, tool('as it was'));
    const afterUpgrade = await hub.gateway.governance.policy.filterVisibleTools(
      principal,
      connection,
      tool('as it is now'),
    );
    visibleCounts[connection.name] = afterUpgrade.size;
  }
  t.same(visibleCounts, { memory: 1, good: 0 });
});
