/** Clients that search for tools: what they list, and that `call_tool` is a call of the tool that it names. */
import type { Client } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { createMcpHeaders, createToolCall, initialize, post, requestMeta } from '../fixtures/mcp-requests.ts';
import { createRawServer, createTextResult, createTool } from '../fixtures/raw-server.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway, type TestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const eras = [
  ['newest', modernClient],
  ['older', {}],
] as const;

async function startSearchGateway(t: Test, era: 'newest' | 'older' = 'newest') {
  const upstream = createReferenceServer(era);
  const { url } = await startTestServer(t, upstream.handle);
  const gateway = await startTestGateway(t, [createConnection('good', url)]);
  gateway.toolList = 'search';
  return { gateway, upstream };
}

async function findNames(client: Client, query: string): Promise<readonly string[]> {
  const { structuredContent } = await client.callTool({ name: 'find_tools', arguments: { query } });
  return Object(structuredContent).tools.map(({ name }: { name: string }) => name);
}

const readText = ({ content }: Awaited<ReturnType<Client['callTool']>>): string => {
  const [block] = content;
  return block?.type === 'text' ? block.text : '';
};

function listCalls({ audit }: TestGateway): unknown[] {
  return audit.map(({ connection, tool, outcome, reason }) => [connection?.name, tool, outcome, reason]);
}

for (const [era, options] of eras) {
  t.test(`a client of the ${era} era lists four tools, finds another one, and calls it`, async (t) => {
    const { gateway } = await startSearchGateway(t);
    const client = await gateway.client('ann', options);
    const { tools } = await client.listTools();
    t.same(
      tools.map(({ name }) => name),
      ['call_tool', 'describe_tool', 'find_tools', 'vp_hub_status'],
    );
    t.match(client.getInstructions(), /find_tools/);
    t.same(await findNames(client, 'echo'), ['good__echo']);
    const described = await client.callTool({ name: 'describe_tool', arguments: { name: 'good__echo' } });
    t.match(described.structuredContent, { tool: { name: 'good__echo', inputSchema: { properties: { text: {} } } } });
    t.same(JSON.parse(readText(described)), Object(described.structuredContent).tool);
    const echoed = await client.callTool({
      name: 'call_tool',
      arguments: { name: 'good__echo', arguments: { text: 'x' } },
    });
    t.equal(readText(echoed), 'x');
    t.equal(readText(await client.callTool({ name: 'good__logs' })), 'logged', 'also by its name');
    t.same(listCalls(gateway), [
      [undefined, 'find_tools', 'ok', undefined],
      [undefined, 'describe_tool', 'ok', undefined],
      ['good', 'echo', 'ok', undefined],
      ['good', 'logs', 'ok', undefined],
    ]);
    t.same(gateway.audit[2]?.arguments, { text: 'x' });
  });

  t.test(`progress, results, errors and cancellation pass through call_tool, for the ${era} era`, async (t) => {
    const { gateway, upstream } = await startSearchGateway(t);
    const client = await gateway.client('ann', options);
    const call = (name: string, args = {}, requestOptions = {}) =>
      client.callTool({ name: 'call_tool', arguments: { name: `good__${name}`, arguments: args } }, requestOptions);
    const progress: unknown[] = [];
    await call('logs', {}, { onprogress: (message: unknown) => progress.push(message) });
    t.match(progress, [{ progress: 1, total: 3 }, { progress: 2 }, { progress: 3 }]);
    t.match(await call('fails'), { isError: true, content: [{ text: 'it went wrong' }] });
    t.match(await call('link'), { content: [{ type: 'resource_link', uri: 'hub.good+note://one' }] });
    await t.rejects(call('nothing'), { message: /this hub has nothing named good__nothing/ });
    const controller = new AbortController();
    const slow = call('slow', {}, { signal: controller.signal }).catch(() => 'cancelled');
    while (upstream.calls < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    t.equal(await slow, 'cancelled');
    while (upstream.cancelled.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    t.same(upstream.cancelled, ['slow']);
  });

  t.test(`a question of the called tool is asked and answered, for the ${era} era`, async (t) => {
    const { gateway } = await startSearchGateway(t);
    const client = await gateway.client('ann', { ...options, capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ann' } }));
    const answered = await client.callTool({ name: 'call_tool', arguments: { name: 'good__ask' } });
    t.match(readText(answered), /^hello Ann/);
    const calls = listCalls(gateway).filter((call) => Array.isArray(call) && call[1] === 'ask');
    t.ok(calls.length > 0);
    t.notOk(gateway.audit.some(({ tool }) => tool === 'call_tool'));
  });
}

t.test('_meta, structured content and exact numbers pass through call_tool', async (t) => {
  const handle = createRawServer({
    tools: () => [createTool('count', { outputSchema: { type: 'object' } })],
    call: (params) => ({
      ...createTextResult('1'),
      structuredContent: { big: 1 },
      _meta: { own: Object(params._meta).own },
    }),
  });
  const texts: string[] = [];
  const { url } = await startTestServer(t, async (request) => {
    texts.push(await request.clone().text());
    return handle(request);
  });
  const gateway = await startTestGateway(t, [createConnection('raw', url)]);
  gateway.toolList = 'search';
  const [body, headers] = createToolCall('call_tool', { name: 'raw__count', arguments: { n: 0 } }, { own: 'mine' });
  const text = JSON.stringify(body).replace('"n":0', '"n":12345678901234567890');
  const response = await fetch(gateway.server.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: 'Bearer ann',
      ...headers,
    },
    body: text,
  });
  t.match(await response.json(), { result: { structuredContent: { big: 1 }, _meta: { own: 'mine' } } });
  const sent = texts.find((sentText) => sentText.includes('tools/call')) ?? '';
  t.match(sent, '"n":12345678901234567890');
  t.notMatch(sent, 'call_tool');
});

t.test('wrong arguments are errors of the tool, which say what is wrong', async (t) => {
  const { gateway } = await startSearchGateway(t);
  const client = await gateway.client('ann', modernClient);
  const calls: [name: string, args: Record<string, unknown>, problem: RegExp][] = [
    ['find_tools', {}, /query/],
    ['find_tools', { query: '' }, /query/],
    ['find_tools', { query: 'x', limit: 0 }, /limit/],
    ['find_tools', { query: 'x', limit: 21 }, /limit/],
    ['find_tools', { query: 'x'.repeat(501) }, /query/],
    ['find_tools', { query: 'x', more: 1 }, /more/],
    ['describe_tool', { name: 7 }, /name/],
    ['call_tool', { arguments: {} }, /name/],
    ['call_tool', { name: 'good__echo', arguments: 'text' }, /arguments/],
    ['call_tool', { name: 'good__echo', arguments: [] }, /arguments/],
    ['call_tool', { name: 'good__echo', text: 'x' }, /text/],
    ['call_tool', { name: 'call_tool', arguments: { name: 'good__echo' } }, /itself/],
  ];
  for (const [name, args, problem] of calls) {
    const result = await client.callTool({ name, arguments: args });
    t.equal(result.isError, true, `${name} ${JSON.stringify(args).slice(0, 60)}`);
    t.match(result.structuredContent, { code: 'HUB_TOOL_ARGUMENTS_INVALID', message: problem });
  }
  const rows = gateway.audit.map(({ outcome, reason }) => `${outcome} ${reason}`);
  t.same(new Set(rows), new Set(['tool_error HUB_TOOL_ARGUMENTS_INVALID']));
  t.equal(rows.length, calls.length);
});

t.test('hidden tools are neither found nor described, and the policy decides their calls', async (t) => {
  const { gateway, upstream } = await startSearchGateway(t);
  gateway.hidden.add('echo');
  gateway.decide = ({ tool }) =>
    tool === 'echo' || tool === 'fails'
      ? { allowed: false, reason: 'it is switched off', cure: 'ask an owner' }
      : { allowed: true, redact: { keep: true, hide: [] } };
  const client = await gateway.client('ann', modernClient);
  for (const query of ['echo', 'good__echo', 'the tool echo', 'good'])
    t.notOk((await findNames(client, query)).includes('good__echo'), query);
  const describe = (name: string) => client.callTool({ name: 'describe_tool', arguments: { name } });
  const [hidden, unknown] = [await describe('good__echo'), await describe('good__other')];
  t.match(hidden, { isError: true, structuredContent: { code: 'HUB_TOOL_UNKNOWN' } });
  t.equal(readText(hidden).replace('echo', 'X'), readText(unknown).replace('other', 'X'), 'they look alike');
  for (const name of ['echo', 'fails']) {
    const result = await client.callTool({ name: 'call_tool', arguments: { name: `good__${name}` } });
    t.match(result, { isError: true, _meta: { 'vp/denied': { reason: 'it is switched off' } } });
  }
  t.equal(upstream.calls, 0);
  const denied = gateway.audit.filter(({ outcome }) => outcome === 'denied');
  t.match(denied, [
    { tool: 'echo', connection: { name: 'good' } },
    { tool: 'fails', connection: { name: 'good' } },
  ]);
});

t.test('clients that list all tools have no tools to search with', async (t) => {
  const { gateway, upstream } = await startSearchGateway(t);
  gateway.toolList = 'all';
  const client = await gateway.client('ann', modernClient);
  const { tools } = await client.listTools();
  t.equal(tools.length, upstream.tools.length + 1);
  for (const name of ['find_tools', 'describe_tool', 'call_tool'])
    await t.rejects(client.callTool({ name, arguments: { name: 'good__echo', query: 'x' } }), {
      message: /nothing named/,
    });
  t.equal(upstream.calls, 0);
});

t.test('a batch of an older client calls tools through call_tool', async (t) => {
  const { gateway } = await startSearchGateway(t);
  const started = await post(gateway.server.url, 'ann', {
    ...initialize,
    params: { ...initialize.params, protocolVersion: '2025-03-26' },
  });
  const session = started.headers.get('mcp-session-id') ?? '';
  const batch = ['one', 'two'].map((text, index) => ({
    jsonrpc: '2.0',
    id: 10 + index,
    method: 'tools/call',
    params: { name: 'call_tool', arguments: { name: 'good__echo', arguments: { text } } },
  }));
  const response = await post(gateway.server.url, 'ann', batch, { 'Mcp-Session-Id': session });
  const text = await response.text();
  t.match(text, /"text":"one"/);
  t.match(text, /"text":"two"/);
  t.match(listCalls(gateway), [
    ['good', 'echo', 'ok'],
    ['good', 'echo', 'ok'],
  ]);
});

t.test('a call that no handler receives is recorded under the tool that it names', async (t) => {
  const { gateway } = await startSearchGateway(t);
  const params = { name: 'call_tool', arguments: { name: 'good__echo', arguments: { text: 'x' } }, _meta: requestMeta };
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
  const response = await post(gateway.server.url, 'ann', body, createMcpHeaders('tools/call', 'another'));
  t.equal(response.status, 400);
  t.match(gateway.audit, [{ outcome: 'denied', tool: 'good__echo', arguments: { text: 'x' } }]);
});

t.test('tools that the caller has used come first, and the use of others changes nothing', async (t) => {
  const tools = () =>
    ['alpha', 'beta', 'gamma'].map((name) => createTool(`${name}_report`, { description: 'A report' }));
  const { url } = await startTestServer(t, createRawServer({ tools }));
  const gateway = await startTestGateway(t, [createConnection('raw', url)]);
  gateway.toolList = 'search';
  const [ann, bob] = [await gateway.client('ann', modernClient), await gateway.client('bob', modernClient)];
  for (let count = 0; count < 5; count += 1)
    await ann.callTool({ name: 'call_tool', arguments: { name: 'raw__gamma_report' } });
  t.equal((await findNames(ann, 'report'))[0], 'raw__gamma_report');
  t.equal((await findNames(bob, 'report'))[0], 'raw__alpha_report');
  const elsewhere = await gateway.client('ann', modernClient, 'h2');
  t.same(await findNames(elsewhere, 'report'), [], 'nor is it known in another hub');
});

t.test('connections that do not respond are named', async (t) => {
  const gateway = await startTestGateway(t, [createConnection('gone', 'http://127.0.0.1:9/mcp')]);
  gateway.toolList = 'search';
  const client = await gateway.client('ann', modernClient);
  const result = await client.callTool({ name: 'find_tools', arguments: { query: 'anything' } });
  t.match(result.structuredContent, { tools: [], missing: [{ connection: 'gone' }] });
  t.match(readText(result), /not searched: gone/);
});
