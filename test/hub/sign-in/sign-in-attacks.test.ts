/**
 * Upstreams and authorization servers that lie about each other: nobody is redirected elsewhere, and no secret leaks.
 */
import t, { type Test } from 'tap';
import type {
  HubConnectionProbeResult,
  StartHubSignInResponse,
} from '../../../src/contract/hubs/connection-use-api.ts';
import { discoverSignIn } from '../../../src/hub/sign-in/discovery.ts';
import { createGuardedFetch } from '../../../src/outbound/guarded-fetch.ts';
import { startOAuthControlPlane } from '../../server/oauth/oauth-control-plane.ts';
import { readJson, readRefusal } from '../fixtures/hub-people.ts';
import { type Lies, type LyingServers, startLyingServers } from '../fixtures/lying-sign-in.ts';
import { createConnection } from '../fixtures/test-gateway.ts';
import { startTestHub, type TestHub } from '../fixtures/test-hub.ts';

const path = '/api/v1/hubs/acme/connections';
const secret = 'a client secret that was given by hand';
type LyingHub = TestHub & { readonly upstream: LyingServers };

async function startLyingHub(
  t: Test,
  credential: object = { kind: 'oauth', sharing: 'shared' },
  publicUrls: readonly URL[] = [],
): Promise<LyingHub> {
  const hub = await startTestHub(t, {}, publicUrls);
  const upstream = await startLyingServers(t);
  await hub.ana.ask('POST', path, { name: 'tools', kind: 'http', url: upstream.mcp.url, credential });
  return { ...hub, upstream };
}

const startSignIn = ({ ana }: LyingHub): Promise<Response> => ana.ask('POST', `${path}/tools/sign-in`);

async function startedUrl(hub: LyingHub): Promise<URL> {
  return new URL((await readJson<StartHubSignInResponse>(startSignIn(hub))).authorization_url);
}

async function returnToCallback({ ana }: LyingHub, query: Record<string, string>): Promise<string> {
  const response = await ana.ask('GET', `/hubs/sign-in?${new URLSearchParams(query)}`);
  return `${response.status} ${response.headers.get('location')}`;
}

const tokenCalls = ({ upstream }: LyingHub): string[] =>
  upstream.requests.filter((request) => request.startsWith('POST /token'));

t.test('without lies the sign-in works', async (t) => {
  const hub = await startLyingHub(t);
  const url = await startedUrl(hub);
  const state = url.searchParams.get('state') ?? '';
  const query = { code: 'c', state, iss: hub.upstream.issuer };
  t.equal(await returnToCallback(hub, query), '303 /hubs/acme/connections?signed_in=tools');
  const probe = hub.ana.ask('POST', `${path}/tools/probe`);
  t.match(await readJson(probe), { problem: null, tools_count: 1 });
});

const untrusted = '502 CONNECTION_SIGN_IN_UNTRUSTED';
const unavailable = '502 CONNECTION_SIGN_IN_UNAVAILABLE';
const metadata = (fields: Record<string, unknown>): Lies => ({ metadata: fields });

const attacks: Readonly<Record<string, readonly [Lies, string]>> = {
  'a description of the resource at a link-local address': [
    { resourceMetadata: 'http://169.254.169.254/latest/meta-data' },
    '422 UPSTREAM_ADDRESS_REFUSED',
  ],
  'the same, as IPv6 writes it': [{ resourceMetadata: 'http://[::ffff:a9fe:a9fe]/' }, '422 UPSTREAM_ADDRESS_REFUSED'],
  'a description of the resource that is a file': [
    { resourceMetadata: 'file:///etc/passwd' },
    '422 UPSTREAM_ADDRESS_REFUSED',
  ],
  'a description that redirects inwards': [
    {
      any: ({ url }) =>
        url.includes('oauth-protected-resource')
          ? new Response(null, { status: 302, headers: { location: 'http://169.254.169.254/' } })
          : undefined,
    },
    '502 UPSTREAM_REDIRECTED',
  ],
  'an authorization server at a link-local address': [
    { resource: { authorization_servers: ['http://169.254.169.254'] } },
    untrusted,
  ],
  'an authorization server in plain http elsewhere': [
    { resource: { authorization_servers: ['http://login.example.com'] } },
    untrusted,
  ],
  'an authorization server that is a script': [{ resource: { authorization_servers: ['javascript:alert(1)'] } }, '502'],
  'a resource of another server': [{ resource: { resource: 'https://bank.example.com/mcp' } }, untrusted],
  'metadata of another issuer': [metadata({ issuer: 'https://login.example.com' }), untrusted],
  'a page to sign in at that is a script': [metadata({ authorization_endpoint: 'javascript:alert(1)//' }), '502'],
  'a page to sign in at that is a file': [metadata({ authorization_endpoint: 'file:///etc/passwd' }), untrusted],
  'a page to sign in at that is data': [metadata({ authorization_endpoint: 'data:text/html,<script>' }), '502'],
  'a page to sign in at of another program': [
    metadata({ authorization_endpoint: 'ssh://-oProxyCommand=x/' }),
    untrusted,
  ],
  'a page to sign in at with a password': [
    metadata({ authorization_endpoint: 'https://login.example.com:x@evil.example.net/' }),
    untrusted,
  ],
  'a page to sign in at in the network of the machine': [
    metadata({ authorization_endpoint: 'http://169.254.169.254/reboot' }),
    untrusted,
  ],
  'a place for tokens at a link-local address': [
    metadata({ token_endpoint: 'https://169.254.169.254/token' }),
    untrusted,
  ],
  'a place for tokens in plain http': [metadata({ token_endpoint: 'http://login.example.com/token' }), untrusted],
  'a place to register at a link-local address': [
    metadata({ registration_endpoint: 'https://[fe80::1]/register' }),
    untrusted,
  ],
  'no PKCE': [metadata({ code_challenge_methods_supported: undefined }), unavailable],
  'only plain PKCE': [metadata({ code_challenge_methods_supported: ['plain'] }), unavailable],
  'metadata that are none': [metadata({ authorization_endpoint: 7 }), unavailable],
};

t.test('nothing that a server names leads to private addresses, other programs or other servers', async (t) => {
  const hub = await startLyingHub(t);
  for (const [description, [lies, refusal]] of Object.entries(attacks)) {
    hub.upstream.lies = lies;
    const refused = await readRefusal(startSignIn(hub));
    t.ok(refused.startsWith(refusal), `${description}: ${refused}`);
  }
  t.notOk(
    hub.upstream.requests.some((request) => request.startsWith('POST')),
    'nothing was registered, no token was requested',
  );
});

t.test('a revocation endpoint that is not allowed is ignored', async (t) => {
  const hub = await startLyingHub(t);
  const { ana, api, upstream } = hub;
  const readRefusedEndpoints = () => api.security.filter(({ event }) => event === 'hub_revocation_endpoint_refused');
  for (const [endpoint, problem] of [
    ['https://[fe80::1]/revoke', 'is at an address that is link-local'],
    ['http://login.example.com/revoke', 'is plain http, which is not encrypted'],
    ['https://login.example.com:x@evil.example.net/revoke', 'has a user name or password in its address'],
    ['/revoke', 'is not a web address'],
    ['javascript:alert(1)', 'is not a web address'],
    [7, undefined],
  ] as const) {
    const previousCount = readRefusedEndpoints().length;
    upstream.lies = metadata({ revocation_endpoint: endpoint });
    const state = (await startedUrl(hub)).searchParams.get('state') ?? '';
    t.match(await returnToCallback(hub, { code: 'c', state, iss: upstream.issuer }), /signed_in=tools/, `${endpoint}`);
    const line = { level: 'warn', name: 'tools', problem };
    t.match(readRefusedEndpoints().slice(previousCount), problem === undefined ? [] : [line], `${endpoint}`);
    t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
  }
  t.same(
    api.security.filter(({ event }) => event.startsWith('hub_sign_in_revo')),
    [],
  );
});

t.test('private addresses in the metadata of a public server are refused, however they are reached', async (t) => {
  const upstream = await startLyingServers(t);
  const guarded = createGuardedFetch({
    allowPrivate: true,
    extraRoots: [],
    variables: {},
    answerLimitBytes: 100_000,
    resolver: { resolve: async () => [{ address: '169.254.169.254', family: 4 }] },
  });
  t.teardown(() => guarded.close());
  const connection = createConnection('tools', upstream.mcp.url);
  const discover = (allowPrivateAddresses: boolean) =>
    discoverSignIn(connection, { fetch: guarded.fetch, allowPrivateAddresses: allowPrivateAddresses });
  const servers = [
    'https://10.0.0.1',
    'https://192.168.0.1',
    'https://[fd00::1]',
    'https://127.1',
    'https://localhost',
  ];
  for (const server of servers) {
    upstream.lies = { resource: { authorization_servers: [server] } };
    await t.rejects(discover(false), { code: 'CONNECTION_SIGN_IN_UNTRUSTED' }, server);
  }
  upstream.lies = { resource: { authorization_servers: ['https://login.example.com'] } };
  await t.rejects(discover(true), { code: 'UPSTREAM_ADDRESS_REFUSED' }, 'a name that resolves to a private address');
});

t.test('a code from another issuer, or without one, is not sent to a token endpoint', async (t) => {
  const hub = await startLyingHub(t);
  const untrustedRedirect = '303 /hubs/acme/connections?problem=CONNECTION_SIGN_IN_UNTRUSTED&connection=tools';
  for (const iss of ['https://login.example.com', `${hub.upstream.issuer}/`, '']) {
    const state = (await startedUrl(hub)).searchParams.get('state') ?? '';
    t.equal(await returnToCallback(hub, { code: 'c', state, iss }), untrustedRedirect, iss);
  }
  const state = (await startedUrl(hub)).searchParams.get('state') ?? '';
  t.equal(
    await returnToCallback(hub, { code: 'c', state }),
    untrustedRedirect,
    'the server announced that it names itself',
  );
  const errorState = (await startedUrl(hub)).searchParams.get('state') ?? '';
  t.equal(
    await returnToCallback(hub, { error: 'access_denied', state: errorState, iss: 'https://login.example.com' }),
    untrustedRedirect,
  );
  t.same(tokenCalls(hub), []);
});

t.test('a server that needs a further scope names it, and an invalid name is not repeated', async (t) => {
  const hub = await startLyingHub(t);
  const state = (await startedUrl(hub)).searchParams.get('state') ?? '';
  await returnToCallback(hub, { code: 'c', state, iss: hub.upstream.issuer });
  const requireScope = (scope: string): Lies => ({
    any: ({ headers }) =>
      headers.get('authorization') === 'Bearer good'
        ? new Response('', {
            status: 403,
            headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
          })
        : undefined,
  });
  const probe = () => readJson<HubConnectionProbeResult>(hub.ana.ask('POST', `${path}/tools/probe`));
  hub.upstream.lies = requireScope('tools:write files:read');
  t.match((await probe()).problem, { code: 'UPSTREAM_SCOPE_NEEDED', message: /: tools:write files:read$/ });
  hub.upstream.lies = requireScope('<script>');
  t.match((await probe()).problem, { code: 'UPSTREAM_SCOPE_NEEDED', message: /: a further scope$/ });
});

t.test('the message of a server’s refusal is not repeated', async (t) => {
  const hub = await startLyingHub(t);
  const { issuer: iss } = hub.upstream;
  const state = (await startedUrl(hub)).searchParams.get('state') ?? '';
  const response = await returnToCallback(hub, { error: '<script>alert(1)</script>', state, iss });
  t.equal(response, '303 /hubs/acme/connections?problem=CONNECTION_SIGN_IN_REFUSED&connection=tools');
  hub.upstream.lies = {
    any: ({ url }) => (url.endsWith('/token') ? new Response('your secret is hunter2', { status: 500 }) : undefined),
  };
  const secondState = (await startedUrl(hub)).searchParams.get('state') ?? '';
  t.match(await returnToCallback(hub, { code: 'c', state: secondState, iss }), /CONNECTION_SIGN_IN_UNANSWERED/);
  hub.upstream.lies = {
    any: ({ url }) =>
      url.endsWith('/token')
        ? Response.json({ error: 'invalid_grant', error_description: 'your secret is hunter2' }, { status: 400 })
        : undefined,
  };
  const thirdState = (await startedUrl(hub)).searchParams.get('state') ?? '';
  t.match(await returnToCallback(hub, { code: 'c', state: thirdState, iss }), /CONNECTION_SIGN_IN_REFUSED/);
  t.notMatch(JSON.stringify([hub.api.lines, hub.lines, hub.api.security]), /hunter2|<script>/);
});

t.test('a server that names another authorization server later gets neither secret nor consent', async (t) => {
  const hub = await startLyingHub(t, { kind: 'oauth', sharing: 'shared', client_id: 'given', client_secret: secret });
  const state = (await startedUrl(hub)).searchParams.get('state') ?? '';
  t.match(await returnToCallback(hub, { code: 'c', state, iss: hub.upstream.issuer }), /signed_in=tools/);
  t.equal(tokenCalls(hub).length, 1);
  const otherServers = await startLyingServers(t);
  hub.upstream.lies = { resource: { authorization_servers: [otherServers.issuer] } };
  t.equal(await readRefusal(startSignIn(hub)), untrusted);
  t.notOk(otherServers.requests.some((request) => request.startsWith('POST')));
  const credential = { kind: 'oauth', sharing: 'shared', client_id: 'given', client_secret: secret };
  await hub.ana.ask('PUT', `${path}/tools`, { credential });
  t.equal((await startSignIn(hub)).status, 200, 'after an owner enters the credential again, it is accepted');
});

/** Uses the public address of the control plane, behind a proxy that terminates TLS. */
function browsePublicly({ ana, api }: LyingHub) {
  const session = [...ana.cookies].find(([name]) => name.startsWith('vp-session-'))?.[1] ?? '';
  const cookies = [`__Host-vp-session-443=${session}`];
  return async (method: string, target: string): Promise<Response> => {
    const headers = {
      origin: 'https://hub.example.com',
      cookie: cookies.join('; '),
      ...(method === 'GET' ? {} : { 'x-vp-proof': ana.proof ?? '' }),
    };
    const response = await api.fetch(new Request(`http://hub.example.com${target}`, { method, headers }));
    cookies.push(...response.headers.getSetCookie().map((line) => line.split(';')[0] ?? ''));
    return response;
  };
}

t.test('a server without registration gets the URL of our client metadata document if it is public', async (t) => {
  const hub = await startLyingHub(t, undefined, [new URL('https://hub.example.com')]);
  const metadataDocument = { registration_endpoint: undefined, client_id_metadata_document_supported: true };
  hub.upstream.lies = { metadata: metadataDocument };
  const browse = browsePublicly(hub);
  const { authorization_url } = await readJson<StartHubSignInResponse>(browse('POST', `${path}/tools/sign-in`));
  const { searchParams: parameters } = new URL(authorization_url);
  t.equal(parameters.get('client_id'), 'https://hub.example.com/hubs/sign-in/client.json');
  t.match(await readJson(browse('GET', '/hubs/sign-in/client.json')), {
    client_id: parameters.get('client_id'),
    redirect_uris: [parameters.get('redirect_uri')],
    token_endpoint_auth_method: 'none',
  });
  const query = new URLSearchParams({ code: 'c', state: parameters.get('state') ?? '', iss: hub.upstream.issuer });
  const callbackResponse = await browse('GET', `/hubs/sign-in?${query}`);
  t.equal(callbackResponse.headers.get('location'), '/hubs/acme/connections?signed_in=tools');
  t.match(tokenCalls(hub)[0], /client_id=https%3A%2F%2Fhub\.example\.com/);
  const localHub = await startLyingHub(t);
  localHub.upstream.lies = { metadata: metadataDocument };
  t.equal(
    await readRefusal(startSignIn(localHub)),
    unavailable,
    'an address without https cannot be read by the server',
  );
});

t.test('the control plane serves the callback, and hub pages are still pages', async (t) => {
  const controlPlane = await startOAuthControlPlane(t);
  const response = await fetch(`${controlPlane.url}/hubs/sign-in?code=c&state=s&iss=x`, { redirect: 'manual' });
  t.equal(response.status, 303);
  t.equal(response.headers.get('location'), '/hubs?problem=CONNECTION_SIGN_IN_OVER');
  t.equal(response.headers.get('referrer-policy'), 'no-referrer');
  t.match(await (await fetch(`${controlPlane.url}/hubs/sign-in/client.json`)).json(), { client_name: 'vp hub' });
  t.match((await fetch(`${controlPlane.url}/hubs/acme/connections`)).headers.get('content-type'), /text\/html/);
  t.notMatch(JSON.stringify(controlPlane.lines), /code=c/);
});

t.test('a server with slow steps or an endless stream times out', { timeout: 40_000 }, async (t) => {
  const hub = await startLyingHub(t);
  hub.upstream.lies = {
    any: ({ url }) =>
      url.endsWith('/.well-known/oauth-authorization-server')
        ? new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }))
        : undefined,
  };
  t.match(await readRefusal(startSignIn(hub)), /^50\d (UPSTREAM|CONNECTION)_/);
  hub.upstream.lies = {
    any: ({ url }) =>
      url.includes('oauth-protected-resource')
        ? new Response(new ReadableStream(), { headers: { 'Content-Type': 'text/event-stream' } })
        : undefined,
  };
  t.match(await readRefusal(startSignIn(hub)), /^50\d CONNECTION_/);
});
