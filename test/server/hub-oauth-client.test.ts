/** The official client, which finds everything by itself from the address that its person pasted. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t from 'tap';
import { newest } from '../hub/gateway/house.ts';
import { clientStore } from './client-store.ts';
import { clientOf, letIn, opened } from './hub-program.ts';
import { allowed, connectedBy, wayIn } from './official-client.ts';

for (const [line, options] of [
  ['newest', newest],
  ['older', {}],
] as const) {
  t.test(`${line} line: from the hub’s address to its tools, and on after its token is over`, async (t) => {
    const { plane, ana } = await opened(t, { accessSeconds: 3 });
    const store = clientStore();
    const client = await wayIn(ana, `${plane.url}/hub/acme/mcp`, store, options);
    const [asked] = store.kept.asked;
    t.equal(asked?.searchParams.get('resource'), `${plane.url}/hub/acme`);
    t.match(asked?.searchParams.get('scope'), /^hub:read hub:call/);
    t.ok(Array.isArray((await client.listTools()).tools));
    const first = store.kept.tokens?.access_token;
    await new Promise((resolve) => setTimeout(resolve, 3100));
    const again = await connectedBy(`${plane.url}/hub/acme/mcp`, store.provider, options);
    await again.close();
    t.not(store.kept.tokens?.access_token, first, 'renewed by itself');
    t.equal(store.kept.asked.length, 1, 'and nobody was asked again');
    await client.close();
  });
}

t.test('by another name of this machine', async (t) => {
  const { plane, ana } = await opened(t);
  const store = clientStore();
  const client = await wayIn(ana, `${plane.url.replace('127.0.0.1', 'localhost')}/hub/acme/mcp`, store, newest);
  t.ok(Array.isArray((await client.listTools()).tools));
  await client.close();
});

t.test('to the memory of a hub', async (t) => {
  const { plane, ana } = await opened(t);
  const store = clientStore();
  const client = await wayIn(ana, `${plane.url}/memory/hub/acme/mcp`, store, newest);
  t.ok((await client.listTools()).tools.length > 0);
  await client.close();
});

t.test('one that may only look asks for more when it is told to (step-up), and goes on', async (t) => {
  const { plane, ana } = await opened(t);
  const program = await clientOf(plane);
  const { tokens } = await letIn(plane, ana, program, `${plane.url}/hub/acme`, { scope: 'hub:read' });
  const store = clientStore();
  store.kept.client = { client_id: program.clientId, issuer: plane.url };
  store.kept.tokens = { access_token: tokens.access_token ?? '', token_type: 'Bearer', issuer: plane.url };
  const transport = new StreamableHTTPClientTransport(new URL(`${plane.url}/hub/acme/mcp`), {
    authProvider: store.provider,
  });
  const client = new Client({ name: 'official', version: '1' }, newest);
  await client.connect(transport);
  t.ok((await client.listTools()).tools.length > 0);
  await t.rejects(client.callTool({ name: 'vp_hub_status', arguments: {} }));
  t.match(store.kept.asked.at(-1)?.searchParams.get('scope'), /^hub:read hub:call/);
  await transport.finishAuth(await allowed(ana, store.kept.asked.at(-1)));
  const status = await client.callTool({ name: 'vp_hub_status', arguments: {} });
  t.notOk(status.isError);
  await client.close();
});

t.test('at an address without a hub no program gets further, and it is told why', async (t) => {
  const { plane, ana } = await opened(t);
  const store = clientStore();
  const transport = new StreamableHTTPClientTransport(new URL(`${plane.url}/agent/mcp`), {
    authProvider: store.provider,
  });
  const client = new Client({ name: 'official', version: '1' }, newest);
  await t.rejects(client.connect(transport));
  const [asked] = store.kept.asked;
  if (!asked) return t.pass('it did not even begin');
  const answered = await ana.go(asked.href);
  const { searchParams } = new URL(answered.headers.get('location') ?? '');
  t.match(searchParams.get('error_description'), /^no hub is named: connect to/);
});
