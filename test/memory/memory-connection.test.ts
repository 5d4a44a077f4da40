/** Memory as a connection of hubs: governed and audited like any other, and never shared beyond where it belongs. */
import type { Client } from '@modelcontextprotocol/client';
import t from 'tap';
import type { HubPrincipal } from '../../src/hub/words.ts';
import { type Connected, connected } from '../hub/connected.ts';
import { newest } from '../hub/gateway/house.ts';
import { goodServer } from '../hub/hostile/good-server.ts';
import { served } from '../hub/hostile/listening.ts';
import { json, makeHub, makeToken, putMember, refusalOf } from '../hub/hub-people.ts';

const connect = (who: Connected['ana'], hub: string) =>
  who.ask('POST', `/api/v1/hubs/${hub}/connections`, { name: 'memory', kind: 'memory' });

async function tokens(home: Connected, people: readonly (readonly [Connected['ana'], string])[]): Promise<Client[]> {
  const made = await Promise.all(people.map(async ([who, hub]) => (await makeToken(who, hub)).token));
  return Promise.all(made.map((token) => home.client(token)));
}

async function recalled(client: Client | undefined, query: string): Promise<string[]> {
  const answer = await client?.callTool({ name: 'memory__recall', arguments: { query } });
  const { memories = [] } = Object(answer?.structuredContent);
  return memories.map(({ text }: { text: string }) => text);
}

const remember = (client: Client | undefined, text: string, scope: string) =>
  client?.callTool({ name: 'memory__remember', arguments: { text, scope } });

t.test('memory is offered under its connection’s name in both eras, and its calls are in the audit', async (t) => {
  const home = await connected(t);
  t.equal((await connect(home.ana, 'acme')).status, 201);
  const { token } = await makeToken(home.max, 'acme');
  for (const options of [newest, {}]) {
    const client = await home.client(token, options);
    const { tools } = await client.listTools();
    t.match(
      tools.map(({ name }) => name),
      /memory__remember/,
    );
    t.equal(tools.length, 8, 'its seven, and the status of the hub');
    t.match(await remember(client, 'the kettle is blue', 'user'), { structuredContent: { memory: { author: 'Max' } } });
    t.same((await recalled(client, 'kettle')).length, options === newest ? 1 : 2);
  }
  const { items } = await home.gateway.audit.search(home.hub.hub_id, { limit: 10 });
  t.match(await json(home.ana.ask('GET', '/api/v1/hubs/acme/connections/memory')), { state: 'connected' });
  t.equal(items.length, 4);
  t.match(items[0], { person: 'Max', connection: 'memory', tool: 'recall', outcome: 'ok', via: 'token' });
});

t.test('nobody reads another person’s memories, and no hub another’s, through any of them', async (t) => {
  const home = await connected(t);
  await makeHub(home.ana, 'other');
  await putMember(home.ana, 'other', home.ids.Max ?? '', 'member');
  await connect(home.ana, 'acme');
  await connect(home.ana, 'other');
  const [ana, max, anaOther, maxOther] = await tokens(home, [
    [home.ana, 'acme'],
    [home.max, 'acme'],
    [home.ana, 'other'],
    [home.max, 'other'],
  ]);
  await remember(ana, 'zebra of ana in acme', 'user');
  await remember(ana, 'zebra for all of acme', 'hub');
  await remember(maxOther, 'zebra of max in other', 'user');
  await remember(maxOther, 'zebra for all of other', 'hub');
  t.same(new Set(await recalled(ana, 'zebra')), new Set(['zebra of ana in acme', 'zebra for all of acme']));
  t.same(await recalled(max, 'zebra'), ['zebra for all of acme']);
  t.same(await recalled(anaOther, 'zebra'), ['zebra for all of other']);
  t.same(new Set(await recalled(maxOther, 'zebra')), new Set(['zebra of max in other', 'zebra for all of other']));
  const listed = await ana?.callTool({ name: 'memory__list', arguments: {} });
  const [{ id }] = Object(listed?.structuredContent).memories;
  for (const client of [max, anaOther, maxOther]) {
    const stolen = await client?.callTool({ name: 'memory__update', arguments: { id, text: 'mine now' } });
    t.match(stolen, { isError: true, structuredContent: { code: 'MEMORY_UNKNOWN' } });
    t.match(await client?.callTool({ name: 'memory__forget', arguments: { id } }), { isError: true });
  }
  // Both at once, over and over: who calls is told with each call and kept by nothing.
  const mixed = await Promise.all(
    Array.from({ length: 40 }, (_, at) => recalled([ana, max, anaOther, maxOther][at % 4], 'zebra')),
  );
  for (const [at, texts] of mixed.entries()) {
    const hub = at % 4 < 2 ? 'acme' : 'other';
    t.ok(texts.length > 0 && texts.every((text) => text.includes(hub)), `call ${at}`);
  }
});

t.test('the policy, the roles and a membership that ended hold for memory too', async (t) => {
  const home = await connected(t);
  await connect(home.ana, 'acme');
  const [max, vic] = await tokens(home, [
    [home.max, 'acme'],
    [home.vic, 'acme'],
  ]);
  const vics = (await vic?.listTools())?.tools.map(({ name }) => name) ?? [];
  t.ok(vics.includes('memory__recall'));
  t.notOk(vics.includes('memory__remember'), 'viewers only read');
  t.match(await remember(vic, 'x', 'hub'), { isError: true, content: [{ text: /^Not allowed/ }] });
  await home.ana.ask('PUT', '/api/v1/hubs/acme/policy', { document: { roles: { member: { deny: ['memory__*'] } } } });
  t.match(await remember(max, 'x', 'user'), { isError: true, content: [{ text: /denies memory/ }] });
  await home.ana.ask('PUT', '/api/v1/hubs/acme/policy', { document: { roles: {} } });
  t.match(await remember(max, 'kept', 'user'), { structuredContent: { memory: { text: 'kept' } } });
  await home.max.ask('POST', '/api/v1/hubs/acme/leave');
  await t.rejects(async () => void (await remember(max, 'later', 'user')));
  t.equal(
    await refusalOf(home.max.ask('POST', '/api/v1/hubs/acme/tools/call', { name: 'memory__list' })),
    '404 HUB_UNKNOWN',
  );
});

t.test(
  'an upstream beside memory hears nothing of it, and nobody’s token; memory can be looked at and called by hand',
  async (t) => {
    const home = await connected(t);
    await connect(home.ana, 'acme');
    const upstream = await served(t, goodServer('newest').answer);
    await home.ana.ask('POST', '/api/v1/hubs/acme/connections', { name: 'good', kind: 'http', url: upstream.url });
    const { token } = await makeToken(home.ana, 'acme');
    const client = await home.client(token);
    await client.listTools();
    await remember(client, 'a giraffe', 'user');
    await client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
    t.notMatch(JSON.stringify(upstream.seen.map((headers) => [...headers])), token);
    const probed = await json(home.ana.ask('POST', '/api/v1/hubs/acme/connections/probe', { kind: 'memory' }));
    t.match(probed, { server: { name: 'vp-memory' }, tools_count: 7, problem: null });
    const called = home.ana.ask('POST', '/api/v1/hubs/acme/tools/call', {
      name: 'memory__recall',
      arguments: { query: 'giraffe' },
    });
    t.match(await json(called), {
      is_error: false,
      result: { structuredContent: { memories: [{ text: 'a giraffe' }] } },
    });
  },
);

t.test('memory’s tools that change with an upgrade need no approval; those of any other connection do', async (t) => {
  const home = await connected(t);
  await connect(home.ana, 'acme');
  const upstream = await served(t, goodServer('newest').answer);
  await home.ana.ask('POST', '/api/v1/hubs/acme/connections', { name: 'good', kind: 'http', url: upstream.url });
  const who: HubPrincipal = {
    hub: { id: home.hub.hub_id, slug: 'acme' },
    person: { personId: home.ids.Max ?? '', name: 'Max' },
    role: 'member',
    via: { kind: 'console' },
    client: undefined,
  };
  const tool = (description: string) => [{ name: 'recall', description, inputSchema: { type: 'object' } }];
  const offered: Record<string, number> = {};
  for (const connection of await home.api.hub.book.ofHub(home.hub.hub_id)) {
    await home.gateway.governance.policy.offered(who, connection, tool('as it was'));
    const now = await home.gateway.governance.policy.offered(who, connection, tool('as it is now'));
    offered[connection.name] = now.size;
  }
  t.same(offered, { memory: 1, good: 0 });
});
