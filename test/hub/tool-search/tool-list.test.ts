/** Whether clients list all tools or search for them: a setting of the hub and of each token, under policy and approval. */
import type { Client } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import type { Hub, HubToken } from '../../../src/contract/hubs/hubs-api.ts';
import { eventually } from '../../eventually.ts';
import { createToken, readJson, readRefusal } from '../fixtures/hub-people.ts';
import { createReferenceServer, type ReferenceServer } from '../fixtures/reference-server.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { startTestHub, type TestHub } from '../fixtures/test-hub.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const path = '/api/v1/hubs/acme';
const searchNames = ['call_tool', 'describe_tool', 'find_tools', 'vp_hub_status'];

async function startSearchHub(t: Test): Promise<TestHub & { readonly upstream: ReferenceServer }> {
  const hub = await startTestHub(t);
  const upstream = createReferenceServer('newest');
  const { url } = await startTestServer(t, upstream.handle);
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url });
  return { ...hub, upstream };
}

async function listNames(client: Client): Promise<readonly string[]> {
  return (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.map(({ name }) => name);
}

async function findNames(client: Client, query: string): Promise<readonly string[]> {
  const { structuredContent } = await client.callTool({ name: 'find_tools', arguments: { query, limit: 20 } });
  return Object(structuredContent).tools.map(({ name }: { name: string }) => name);
}

t.test('a hub has a tool list, a token may have another one, and both take effect at once', async (t) => {
  const { ana, max, client: connect } = await startSearchHub(t);
  t.match(await readJson<Hub>(ana.ask('GET', path)), { tool_list: 'all' });
  const { token, hub_token: row } = await createToken(max, 'acme');
  t.equal(row.tool_list, null);
  const client = await connect(token);
  t.equal((await listNames(client)).length, 8);
  t.match(await readJson<Hub>(ana.ask('PUT', path, { tool_list: 'search' })), { tool_list: 'search', slug: 'acme' });
  t.same(await listNames(client), searchNames);
  const tokenPath = `/api/v1/hub-tokens/${row.token_id}`;
  t.match(await readJson<HubToken>(max.ask('PUT', tokenPath, { tool_list: 'all' })), { tool_list: 'all' });
  t.equal((await listNames(client)).length, 8);
  await max.ask('PUT', tokenPath, { tool_list: null });
  t.same(await listNames(client), searchNames);
  await ana.ask('PUT', path, { name: 'Another name' });
  t.match(await readJson<Hub>(ana.ask('GET', path)), { tool_list: 'search', name: 'Another name' });
  const body = { name: 'all', expiry: '30 days', tool_list: 'all' };
  t.match(await readJson(max.ask('POST', `${path}/tokens`, body)), { hub_token: { tool_list: 'all' } });
});

t.test('only owners change the hub, and only its creator a token', async (t) => {
  const { ana, max, vic } = await startSearchHub(t);
  t.equal(await readRefusal(max.ask('PUT', path, { tool_list: 'search' })), '403 HUB_ROLE_INSUFFICIENT');
  const { hub_token: row } = await createToken(max, 'acme');
  for (const browser of [ana, vic])
    t.equal(
      await readRefusal(browser.ask('PUT', `/api/v1/hub-tokens/${row.token_id}`, { tool_list: 'search' })),
      '404 HUB_TOKEN_UNKNOWN',
    );
  t.match(await readRefusal(ana.ask('PUT', path, { tool_list: 'none' })), '400 REQUEST_INVALID');
});

t.test('clients are notified when a tool list changes', async (t) => {
  const { ana, max, client: connect } = await startSearchHub(t);
  const { token, hub_token: row } = await createToken(max, 'acme');
  const changes: unknown[] = [];
  const onChanged = (): void => void changes.push('changed');
  const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged } };
  await connect(token, { ...modernClient, listChanged });
  // The subscription may start after the client is connected.
  await eventually(async () => {
    await ana.ask('PUT', path, { tool_list: 'search' });
    return changes.length > 0;
  });
  const before = changes.length;
  await eventually(async () => {
    await max.ask('PUT', `/api/v1/hub-tokens/${row.token_id}`, { tool_list: 'all' });
    return changes.length > before;
  });
  t.pass('also for a token');
});

t.test('tools that policy or review withhold are neither found nor callable', async (t) => {
  const { ana, max, client: connect, upstream, gateway, hub } = await startSearchHub(t);
  await ana.ask('PUT', path, { tool_list: 'search' });
  const document = { roles: { member: { deny: ['good__fails'] } } };
  t.equal((await ana.ask('PUT', `${path}/policy`, { document, if_revision: 0 })).status, 200);
  const client = await connect((await createToken(max, 'acme')).token);
  t.ok((await findNames(client, 'good tool')).includes('good__echo'));
  upstream.tools.push('added');
  upstream.descriptions.echo = 'Another description of echo';
  upstream.toolsChanged();
  const owner = await connect((await createToken(ana, 'acme')).token);
  await eventually(async () => !(await findNames(owner, 'good tool')).includes('good__echo'));
  const names = await findNames(client, 'good tool');
  t.same(
    ['good__echo', 'good__added', 'good__fails'].filter((name) => names.includes(name)),
    [],
    'changed, new and denied',
  );
  t.ok(names.includes('good__link'));
  for (const name of ['good__echo', 'good__added', 'good__fails']) {
    t.match(await client.callTool({ name: 'describe_tool', arguments: { name } }), {
      structuredContent: { code: 'HUB_TOOL_UNKNOWN' },
    });
    t.match(await client.callTool({ name: 'call_tool', arguments: { name, arguments: { text: 'x' } } }), {
      isError: true,
      _meta: { 'vp/denied': {} },
    });
  }
  t.equal(upstream.calls, 0);
  const { items } = await gateway.audit.search(hub.hub_id, { limit: 50, outcome: 'denied' });
  t.same(items.map(({ tool }) => tool).sort(), ['added', 'echo', 'fails']);
});

t.test('tools that a person has used come first for that person only', async (t) => {
  const { ana, max, client: connect } = await startSearchHub(t);
  await ana.ask('PUT', path, { tool_list: 'search' });
  const client = await connect((await createToken(max, 'acme')).token);
  for (let count = 0; count < 3; count += 1)
    await client.callTool({ name: 'call_tool', arguments: { name: 'good__echo', arguments: { text: 'x' } } });
  t.equal((await findNames(client, 'tool'))[0], 'good__echo');
  const other = await connect((await createToken(ana, 'acme')).token);
  t.equal((await findNames(other, 'tool'))[0], 'good__ask');
});
