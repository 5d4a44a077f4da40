/** The official client, which discovers everything from the URL of the hub. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t from 'tap';
import { advanceDate } from '../../environment/advance-date.ts';
import { modernClient } from '../../hub/fixtures/test-gateway.ts';
import { createClientStore } from './client-store.ts';
import { authorizeClient, createRegisteredClient, startHubControlPlane } from './hub-client.ts';
import { approveAuthorization, connectClient, connectWithSignIn } from './official-client.ts';

for (const [line, options] of [
  ['newest', modernClient],
  ['older', {}],
] as const) {
  t.test(`${line} line: from the hub’s address to its tools, and on after its token is over`, async (t) => {
    const { plane, ana } = await startHubControlPlane(t, { accessTokenSeconds: 3 });
    const store = createClientStore();
    const client = await connectWithSignIn(ana, `${plane.url}/hub/acme/mcp`, store, options);
    const [startAuthorization] = store.state.authorizationUrls;
    t.equal(startAuthorization?.searchParams.get('resource'), `${plane.url}/hub/acme`);
    t.match(startAuthorization?.searchParams.get('scope'), /^hub:read hub:call/);
    t.ok(Array.isArray((await client.listTools()).tools));
    const first = store.state.tokens?.access_token;
    advanceDate(t, 4000);
    const again = await connectClient(`${plane.url}/hub/acme/mcp`, store.provider, options);
    await again.close();
    t.not(store.state.tokens?.access_token, first, 'renewed by itself');
    t.equal(store.state.authorizationUrls.length, 1, 'and nobody was asked again');
    await client.close();
  });
}

t.test('by another name of this machine', async (t) => {
  const { plane, ana } = await startHubControlPlane(t);
  const store = createClientStore();
  const client = await connectWithSignIn(
    ana,
    `${plane.url.replace('127.0.0.1', 'localhost')}/hub/acme/mcp`,
    store,
    modernClient,
  );
  t.ok(Array.isArray((await client.listTools()).tools));
  await client.close();
});

t.test('a client that names the endpoint as its resource gets a token of the hub', async (t) => {
  const { plane, ana, post } = await startHubControlPlane(t);
  const client = await createRegisteredClient(plane);
  const { tokens } = await authorizeClient(plane, ana, client, `${plane.url}/hub/acme/mcp`, { scope: 'hub:read' });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  t.equal((await post('/hub/acme/mcp', tokens.access_token, list)).status, 200);
  t.equal((await post('/memory/hub/acme/mcp', tokens.access_token, list)).status, 401);
});

t.test('to the memory of a hub', async (t) => {
  const { plane, ana } = await startHubControlPlane(t);
  const store = createClientStore();
  const client = await connectWithSignIn(ana, `${plane.url}/memory/hub/acme/mcp`, store, modernClient);
  t.ok((await client.listTools()).tools.length > 0);
  await client.close();
});

t.test('a read-only client steps up when challenged, and continues', async (t) => {
  const { plane, ana } = await startHubControlPlane(t);
  const program = await createRegisteredClient(plane);
  const { tokens } = await authorizeClient(plane, ana, program, `${plane.url}/hub/acme`, { scope: 'hub:read' });
  const store = createClientStore();
  store.state.client = { client_id: program.clientId, issuer: plane.url };
  store.state.tokens = { access_token: tokens.access_token ?? '', token_type: 'Bearer', issuer: plane.url };
  const transport = new StreamableHTTPClientTransport(new URL(`${plane.url}/hub/acme/mcp`), {
    authProvider: store.provider,
  });
  const client = new Client({ name: 'official', version: '1' }, modernClient);
  await client.connect(transport);
  t.ok((await client.listTools()).tools.length > 0);
  await t.rejects(client.callTool({ name: 'vp_hub_status', arguments: {} }));
  t.match(store.state.authorizationUrls.at(-1)?.searchParams.get('scope'), /^hub:read hub:call/);
  await transport.finishAuth(await approveAuthorization(ana, store.state.authorizationUrls.at(-1)));
  const status = await client.callTool({ name: 'vp_hub_status', arguments: {} });
  t.notOk(status.isError);
  await client.close();
});

t.test('at a URL without a hub no client gets further, and the reason is given', async (t) => {
  const { plane, ana } = await startHubControlPlane(t);
  const store = createClientStore();
  const transport = new StreamableHTTPClientTransport(new URL(`${plane.url}/agent/mcp`), {
    authProvider: store.provider,
  });
  const client = new Client({ name: 'official', version: '1' }, modernClient);
  await t.rejects(client.connect(transport));
  const [startAuthorization] = store.state.authorizationUrls;
  if (!startAuthorization) return t.pass('it did not even begin');
  const answered = await ana.navigate(startAuthorization.href);
  const { searchParams } = new URL(answered.headers.get('location') ?? '');
  t.match(searchParams.get('error_description'), /^no hub is named: connect to/);
});
