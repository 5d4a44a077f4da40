/** One entry that is none hides no other: lists come without it, and say so. */
import t from 'tap';
import type { HubConnection } from '../../../src/contract/hub-api.ts';
import { connected } from '../connected.ts';
import { connectionTo, house, newest } from '../gateway/house.ts';
import { served } from '../hostile/listening.ts';
import { plainTool, rawServer } from '../hostile/raw-server.ts';
import { json } from '../hub-people.ts';

const malformed: readonly Record<string, unknown>[] = [
  { name: 7 },
  { name: 'no-schema' },
  plainTool('schema-is-text', { inputSchema: 'object' }),
  plainTool('schema-is-a-list', { inputSchema: { type: 'array' } }),
  plainTool('describes-with-a-number', { description: 7 }),
  plainTool('annotated-with-text', { annotations: 'reads' }),
  plainTool('hints-with-text', { annotations: { readOnlyHint: 'yes' } }),
  plainTool('icons-are-text', { icons: 'none' }),
  plainTool('large', { description: 'x'.repeat(200_000) }),
];

t.test('each kind of malformed tool is left out by itself, in the newest era', async (t) => {
  let listed: readonly Record<string, unknown>[] = [];
  const upstream = await served(t, rawServer({ tools: () => listed }));
  for (const [at, bad] of malformed.entries()) {
    listed = [plainTool('first'), bad, plainTool('last')];
    const home = await house(t, [connectionTo('raw', upstream.url, { revision: at + 1 })]);
    const client = await home.client('ann', newest);
    const { tools, _meta } = await client.listTools();
    t.same(
      tools.map(({ name }) => name),
      ['raw__first', 'raw__last', 'vp_hub_status'],
      JSON.stringify(bad).slice(0, 80),
    );
    t.equal(_meta?.['vp/missing_connections'], undefined);
    t.match(await client.callTool({ name: 'raw__last', arguments: {} }), { content: [{ text: 'done' }] });
  }
});

t.test('what is left out is the warning of its connection, until it is mended', async (t) => {
  const home = await connected(t);
  let listed = [plainTool('good'), ...malformed];
  const upstream = await served(t, rawServer({ tools: () => listed }));
  const path = '/api/v1/hubs/acme/connections';
  await home.ana.ask('POST', path, { name: 'raw', kind: 'http', url: upstream.url });
  const shown = (): Promise<HubConnection> => json(home.ana.ask('GET', `${path}/raw`));
  const offered = () => home.ana.ask('GET', '/api/v1/hubs/acme/tools/offered');
  await offered();
  t.match(await shown(), {
    state: 'connected',
    last_error: null,
    warning: /^9 of its tools are left out: .* such as no-schema, schema-is-text, schema-is-a-list$/,
  });
  t.match(await json(home.ana.ask('POST', `${path}/raw/probe`)), {
    tools_count: 1,
    warning: /^9 of its tools/,
    problem: null,
  });
  listed = [plainTool('good')];
  await home.ana.ask('PUT', `${path}/raw`, { url: upstream.url });
  await offered();
  t.equal((await shown()).warning, null);
});

t.test('a result of a call goes through as it is, whatever its members are called', async (t) => {
  const listed = [plainTool('tool')];
  const result = { content: [], structuredContent: { tools: [7] }, tools: [7, { name: 7 }] };
  const upstream = await served(t, rawServer({ tools: () => listed, call: () => result }));
  const home = await house(t, [connectionTo('raw', upstream.url)]);
  const client = await home.client('ann', newest);
  t.match(await client.callTool({ name: 'raw__tool', arguments: {} }), { structuredContent: { tools: [7] } });
  t.match(await client.callTool({ name: 'raw__tool', arguments: {}, _meta: { progressToken: 1 } }), {
    structuredContent: { tools: [7] },
  });
});
