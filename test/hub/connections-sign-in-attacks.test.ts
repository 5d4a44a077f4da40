/** Upstreams and authorization servers that lie about each other: nobody is sent anywhere else, and nothing secret leaves. */
import t, { type Test } from 'tap';
import type { HubConnectionProbed, HubSignInBegun } from '../../src/contract/hub-connect-api.ts';
import { findSignIn } from '../../src/hub/upstream/sign-in-place.ts';
import { guardedFetch } from '../../src/outbound/guarded-fetch.ts';
import { oauthPlane } from '../server/oauth-plane.ts';
import { type Connected, connected } from './connected.ts';
import { connectionTo } from './gateway/house.ts';
import { type Lies, type LyingSignIn, lyingSignIn } from './hostile/lying-sign-in.ts';
import { json, refusalOf } from './hub-people.ts';

const path = '/api/v1/hubs/acme/connections';
const secret = 'a client secret that was given by hand';
type Both = Connected & { readonly upstream: LyingSignIn };

async function both(
  t: Test,
  credential: object = { kind: 'oauth', sharing: 'shared' },
  publicUrls: readonly URL[] = [],
): Promise<Both> {
  const home = await connected(t, {}, publicUrls);
  const upstream = await lyingSignIn(t);
  await home.ana.ask('POST', path, { name: 'tools', kind: 'http', url: upstream.mcp.url, credential });
  return { ...home, upstream };
}

const begin = ({ ana }: Both): Promise<Response> => ana.ask('POST', `${path}/tools/sign-in`);

async function begun(home: Both): Promise<URL> {
  return new URL((await json<HubSignInBegun>(begin(home))).authorization_url);
}

async function back({ ana }: Both, query: Record<string, string>): Promise<string> {
  const answer = await ana.ask('GET', `/hubs/sign-in?${new URLSearchParams(query)}`);
  return `${answer.status} ${answer.headers.get('location')}`;
}

const tokenCalls = ({ upstream }: Both): string[] => upstream.asked.filter((one) => one.startsWith('POST /token'));

t.test('as it should be, it works: without this the others would show nothing', async (t) => {
  const home = await both(t);
  const url = await begun(home);
  const state = url.searchParams.get('state') ?? '';
  const query = { code: 'c', state, iss: home.upstream.issuer };
  t.equal(await back(home, query), '303 /hubs/acme/connections?signed_in=tools');
  const probe = home.ana.ask('POST', `${path}/tools/probe`);
  t.match(await json(probe), { problem: null, tools_count: 1 });
});

const untrusted = '502 CONNECTION_SIGN_IN_UNTRUSTED';
const unavailable = '502 CONNECTION_SIGN_IN_UNAVAILABLE';
const metadata = (more: Record<string, unknown>): Lies => ({ metadata: more });

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

t.test('nothing that a server names leads inwards, to other programs, or to somebody else', async (t) => {
  const home = await both(t);
  for (const [what, [lies, refusal]] of Object.entries(attacks)) {
    home.upstream.lies = lies;
    const told = await refusalOf(begin(home));
    t.ok(told.startsWith(refusal), `${what}: ${told}`);
  }
  t.notOk(
    home.upstream.asked.some((one) => one.startsWith('POST')),
    'nothing was registered, no token was asked for',
  );
});

t.test('a place that takes tokens back and may not be called is as good as none', async (t) => {
  const home = await both(t);
  const { ana, api, upstream } = home;
  const said = () => api.security.filter(({ event }) => event === 'hub_revocation_endpoint_refused');
  for (const [endpoint, problem] of [
    ['https://[fe80::1]/revoke', 'is at an address that is link-local'],
    ['http://login.example.com/revoke', 'is plain http, which everybody on the way reads'],
    ['https://login.example.com:x@evil.example.net/revoke', 'has a password in its address'],
    ['/revoke', 'has no web address'],
    ['javascript:alert(1)', 'has no web address'],
    [7, undefined],
  ] as const) {
    const before = said().length;
    upstream.lies = metadata({ revocation_endpoint: endpoint });
    const state = (await begun(home)).searchParams.get('state') ?? '';
    t.match(await back(home, { code: 'c', state, iss: upstream.issuer }), /signed_in=tools/, `${endpoint}`);
    const line = { level: 'warn', name: 'tools', problem };
    t.match(said().slice(before), problem === undefined ? [] : [line], `${endpoint}`);
    t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
  }
  t.same(
    api.security.filter(({ event }) => event.startsWith('hub_sign_in_revo')),
    [],
  );
});

t.test(
  'addresses of private networks are refused in what a public server names, however they are reached',
  async (t) => {
    const upstream = await lyingSignIn(t);
    const outward = guardedFetch({
      allowPrivate: true,
      extraRoots: [],
      variables: {},
      answerLimitBytes: 100_000,
      lookup: (_name, _options, callback) => callback(null, [{ address: '169.254.169.254', family: 4 }]),
    });
    t.teardown(() => outward.close());
    const connection = connectionTo('tools', upstream.mcp.url);
    const find = (allowPrivate: boolean) => findSignIn(connection, { fetch: outward.fetch, allowPrivate });
    const servers = [
      'https://10.0.0.1',
      'https://192.168.0.1',
      'https://[fd00::1]',
      'https://127.1',
      'https://localhost',
    ];
    for (const server of servers) {
      upstream.lies = { resource: { authorization_servers: [server] } };
      await t.rejects(find(false), { code: 'CONNECTION_SIGN_IN_UNTRUSTED' }, server);
    }
    upstream.lies = { resource: { authorization_servers: ['https://login.example.com'] } };
    await t.rejects(find(true), { code: 'UPSTREAM_ADDRESS_REFUSED' }, 'a name that leads inwards when it is dialled');
  },
);

t.test('a code that another issuer sends back, or nobody in particular, goes to no token endpoint', async (t) => {
  const home = await both(t);
  const mixed = '303 /hubs/acme/connections?problem=CONNECTION_SIGN_IN_UNTRUSTED&connection=tools';
  for (const iss of ['https://login.example.com', `${home.upstream.issuer}/`, '']) {
    const state = (await begun(home)).searchParams.get('state') ?? '';
    t.equal(await back(home, { code: 'c', state, iss }), mixed, iss);
  }
  const state = (await begun(home)).searchParams.get('state') ?? '';
  t.equal(await back(home, { code: 'c', state }), mixed, 'it said that it would name itself');
  const refused = (await begun(home)).searchParams.get('state') ?? '';
  t.equal(await back(home, { error: 'access_denied', state: refused, iss: 'https://login.example.com' }), mixed);
  t.same(tokenCalls(home), []);
});

t.test('a server that wants more leave says which, and one that says it badly is not quoted', async (t) => {
  const home = await both(t);
  const state = (await begun(home)).searchParams.get('state') ?? '';
  await back(home, { code: 'c', state, iss: home.upstream.issuer });
  const wants = (scope: string): Lies => ({
    any: ({ headers }) =>
      headers.get('authorization') === 'Bearer good'
        ? new Response('', {
            status: 403,
            headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
          })
        : undefined,
  });
  const probed = () => json<HubConnectionProbed>(home.ana.ask('POST', `${path}/tools/probe`));
  home.upstream.lies = wants('tools:write files:read');
  t.match((await probed()).problem, { code: 'UPSTREAM_SCOPE_NEEDED', message: /: tools:write files:read$/ });
  home.upstream.lies = wants('<script>');
  t.match((await probed()).problem, { code: 'UPSTREAM_SCOPE_NEEDED', message: /: more than it has$/ });
});

t.test('what a server says of a refusal is not repeated', async (t) => {
  const home = await both(t);
  const { issuer: iss } = home.upstream;
  const state = (await begun(home)).searchParams.get('state') ?? '';
  const answer = await back(home, { error: '<script>alert(1)</script>', state, iss });
  t.equal(answer, '303 /hubs/acme/connections?problem=CONNECTION_SIGN_IN_REFUSED&connection=tools');
  home.upstream.lies = {
    any: ({ url }) => (url.endsWith('/token') ? new Response('your secret is hunter2', { status: 500 }) : undefined),
  };
  const again = (await begun(home)).searchParams.get('state') ?? '';
  t.match(await back(home, { code: 'c', state: again, iss }), /CONNECTION_SIGN_IN_REFUSED/);
  t.notMatch(JSON.stringify([home.api.lines, home.lines, home.api.security]), /hunter2|<script>/);
});

t.test('a server that names another authorization server later gets neither secret nor leave for it', async (t) => {
  const home = await both(t, { kind: 'oauth', sharing: 'shared', client_id: 'given', client_secret: secret });
  const state = (await begun(home)).searchParams.get('state') ?? '';
  t.match(await back(home, { code: 'c', state, iss: home.upstream.issuer }), /signed_in=tools/);
  t.equal(tokenCalls(home).length, 1);
  const other = await lyingSignIn(t);
  home.upstream.lies = { resource: { authorization_servers: [other.issuer] } };
  t.equal(await refusalOf(begin(home)), untrusted);
  t.notOk(other.asked.some((one) => one.startsWith('POST')));
  const credential = { kind: 'oauth', sharing: 'shared', client_id: 'given', client_secret: secret };
  await home.ana.ask('PUT', `${path}/tools`, { credential });
  t.equal((await begin(home)).status, 200, 'once an owner has given the credential again, it is meant');
});

/** Asks as a browser that knows the control plane by its public address, behind a proxy that ends TLS. */
function publicly({ ana, api }: Both) {
  const session = [...ana.cookies].find(([name]) => name.startsWith('vp-session-'))?.[1] ?? '';
  const cookies = [`__Host-vp-session-443=${session}`];
  return async (method: string, to: string): Promise<Response> => {
    const headers = {
      origin: 'https://hub.example.com',
      cookie: cookies.join('; '),
      ...(method === 'GET' ? {} : { 'x-vp-proof': ana.proof ?? '' }),
    };
    const answer = await api.fetch(new Request(`http://hub.example.com${to}`, { method, headers }));
    cookies.push(...answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? ''));
    return answer;
  };
}

t.test(
  'a server that registers nobody is given the address of our own description, where it can be read',
  async (t) => {
    const home = await both(t, undefined, [new URL('https://hub.example.com')]);
    const reading = { registration_endpoint: undefined, client_id_metadata_document_supported: true };
    home.upstream.lies = { metadata: reading };
    const ask = publicly(home);
    const { authorization_url } = await json<HubSignInBegun>(ask('POST', `${path}/tools/sign-in`));
    const { searchParams: asked } = new URL(authorization_url);
    t.equal(asked.get('client_id'), 'https://hub.example.com/hubs/sign-in/client.json');
    t.match(await json(ask('GET', '/hubs/sign-in/client.json')), {
      client_id: asked.get('client_id'),
      redirect_uris: [asked.get('redirect_uri')],
      token_endpoint_auth_method: 'none',
    });
    const query = new URLSearchParams({ code: 'c', state: asked.get('state') ?? '', iss: home.upstream.issuer });
    const arrived = await ask('GET', `/hubs/sign-in?${query}`);
    t.equal(arrived.headers.get('location'), '/hubs/acme/connections?signed_in=tools');
    t.match(tokenCalls(home)[0], /client_id=https%3A%2F%2Fhub\.example\.com/);
    const hidden = await both(t);
    hidden.upstream.lies = { metadata: reading };
    t.equal(await refusalOf(begin(hidden)), unavailable, 'nobody can read it at an address without https');
  },
);

t.test('the way back is served by the control plane itself, and pages of hubs are still pages', async (t) => {
  const plane = await oauthPlane(t);
  const answer = await fetch(`${plane.url}/hubs/sign-in?code=c&state=s&iss=x`, { redirect: 'manual' });
  t.equal(answer.status, 303);
  t.equal(answer.headers.get('location'), '/hubs?problem=CONNECTION_SIGN_IN_OVER');
  t.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  t.match(await (await fetch(`${plane.url}/hubs/sign-in/client.json`)).json(), { client_name: 'vp hub' });
  t.match((await fetch(`${plane.url}/hubs/acme/connections`)).headers.get('content-type'), /text\/html/);
  t.notMatch(JSON.stringify(plane.lines), /code=c/);
});

t.test(
  'a server that answers each step slowly, or with a stream that never ends, is given up',
  { timeout: 40_000 },
  async (t) => {
    const home = await both(t);
    home.upstream.lies = {
      any: ({ url }) =>
        url.endsWith('/.well-known/oauth-authorization-server')
          ? new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }))
          : undefined,
    };
    const began = performance.now();
    t.match(await refusalOf(begin(home)), /^50\d (UPSTREAM|CONNECTION)_/);
    home.upstream.lies = {
      any: ({ url }) =>
        url.includes('oauth-protected-resource')
          ? new Response(new ReadableStream(), { headers: { 'Content-Type': 'text/event-stream' } })
          : undefined,
    };
    t.match(await refusalOf(begin(home)), /^50\d CONNECTION_/);
    t.ok(performance.now() - began < 25_000);
  },
);
