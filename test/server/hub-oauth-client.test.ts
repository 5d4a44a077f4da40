/** The official client, which finds everything by itself from the address that its person pasted. */
import {
  Client,
  type ClientOptions,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import t from 'tap';
import { newest } from '../hub/gateway/house.ts';
import { clientOf, letIn, opened } from './hub-program.ts';
import { answer, type RealBrowser } from './oauth-plane.ts';

/** A client's store of what it got, as the client's own library wants it. */
function keeping(scope?: string) {
  const kept: {
    client?: StoredOAuthClientInformation;
    tokens?: StoredOAuthTokens;
    verifier: string;
    asked: URL[];
    discovery?: OAuthDiscoveryState;
  } = { verifier: '', asked: [] };
  const provider: OAuthClientProvider = {
    redirectUrl: 'http://127.0.0.1:45678/callback',
    clientMetadata: {
      client_name: 'Official',
      redirect_uris: ['http://127.0.0.1:45678/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope === undefined ? {} : { scope }),
    },
    clientInformation: () => kept.client,
    saveClientInformation(client) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url) {
      kept.asked.push(url);
    },
    saveCodeVerifier(verifier) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    saveDiscoveryState(state) {
      kept.discovery = state;
    },
    discoveryState: () => kept.discovery,
  };
  return { kept, provider };
}

/** What the browser comes back with once its person has allowed it. */
async function allowed(one: RealBrowser, url: URL | undefined): Promise<URLSearchParams> {
  const consent = await answer(one, await answer(one, await one.go(url?.href ?? ''), true), true);
  return new URL(consent.headers.get('location') ?? '').searchParams;
}

async function connected(address: string, provider: OAuthClientProvider, options: ClientOptions) {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });
  const client = new Client({ name: 'official', version: '1' }, options);
  await client.connect(transport);
  return client;
}

/** The whole way: refused, asked, allowed, redeemed, connected. */
async function wayIn(one: RealBrowser, address: string, keeper: ReturnType<typeof keeping>, options: ClientOptions) {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: keeper.provider });
  const client = new Client({ name: 'official', version: '1' }, options);
  const refused = await client.connect(transport).catch((error: unknown) => error);
  if (!(refused instanceof UnauthorizedError)) throw refused;
  await transport.finishAuth(await allowed(one, keeper.kept.asked.at(-1)));
  return connected(address, keeper.provider, options);
}

for (const [line, options] of [
  ['newest', newest],
  ['older', {}],
] as const) {
  t.test(`${line} line: from the hub’s address to its tools, and on after its token is over`, async (t) => {
    const { plane, ana } = await opened(t, { accessSeconds: 3 });
    const keeper = keeping();
    const client = await wayIn(ana, `${plane.url}/hub/acme/mcp`, keeper, options);
    const [asked] = keeper.kept.asked;
    t.equal(asked?.searchParams.get('resource'), `${plane.url}/hub/acme`);
    t.match(asked?.searchParams.get('scope'), /^hub:read hub:call/);
    t.ok(Array.isArray((await client.listTools()).tools));
    const first = keeper.kept.tokens?.access_token;
    await new Promise((resolve) => setTimeout(resolve, 3100));
    const again = await connected(`${plane.url}/hub/acme/mcp`, keeper.provider, options);
    await again.close();
    t.not(keeper.kept.tokens?.access_token, first, 'renewed by itself');
    t.equal(keeper.kept.asked.length, 1, 'and nobody was asked again');
    await client.close();
  });
}

t.test('by another name of this machine', async (t) => {
  const { plane, ana } = await opened(t);
  const keeper = keeping();
  const client = await wayIn(ana, `${plane.url.replace('127.0.0.1', 'localhost')}/hub/acme/mcp`, keeper, newest);
  t.ok(Array.isArray((await client.listTools()).tools));
  await client.close();
});

t.test('to the memory of a hub', async (t) => {
  const { plane, ana } = await opened(t);
  const keeper = keeping();
  const client = await wayIn(ana, `${plane.url}/memory/hub/acme/mcp`, keeper, newest);
  t.ok((await client.listTools()).tools.length > 0);
  await client.close();
});

t.test('one that may only look asks for more when it is told to (step-up), and goes on', async (t) => {
  const { plane, ana } = await opened(t);
  const program = await clientOf(plane);
  const { tokens } = await letIn(plane, ana, program, `${plane.url}/hub/acme`, { scope: 'hub:read' });
  const keeper = keeping();
  keeper.kept.client = { client_id: program.clientId, issuer: plane.url };
  keeper.kept.tokens = { access_token: tokens.access_token ?? '', token_type: 'Bearer', issuer: plane.url };
  const transport = new StreamableHTTPClientTransport(new URL(`${plane.url}/hub/acme/mcp`), {
    authProvider: keeper.provider,
  });
  const client = new Client({ name: 'official', version: '1' }, newest);
  await client.connect(transport);
  t.ok((await client.listTools()).tools.length > 0);
  await t.rejects(client.callTool({ name: 'vp_hub_status', arguments: {} }));
  t.match(keeper.kept.asked.at(-1)?.searchParams.get('scope'), /^hub:read hub:call/);
  await transport.finishAuth(await allowed(ana, keeper.kept.asked.at(-1)));
  const status = await client.callTool({ name: 'vp_hub_status', arguments: {} });
  t.notOk(status.isError);
  await client.close();
});

t.test('at an address without a hub no program gets further, and it is told why', async (t) => {
  const { plane, ana } = await opened(t);
  const keeper = keeping();
  const transport = new StreamableHTTPClientTransport(new URL(`${plane.url}/agent/mcp`), {
    authProvider: keeper.provider,
  });
  const client = new Client({ name: 'official', version: '1' }, newest);
  await t.rejects(client.connect(transport));
  const [asked] = keeper.kept.asked;
  if (!asked) return t.pass('it did not even begin');
  const answered = await ana.go(asked.href);
  const { searchParams } = new URL(answered.headers.get('location') ?? '');
  t.match(searchParams.get('error_description'), /^no hub is named: connect to/);
});
