/** Invalid authorization requests. */
import { get, type IncomingHttpHeaders } from 'node:http';
import t from 'tap';
import { startHubControlPlane } from './hub-control-plane.ts';
import {
  type OAuthTestClient,
  obtainHubCode,
  obtainTokens,
  prepareAuthorization,
  registerClient,
  startAuthorization,
} from './oauth-client.ts';

type Row = readonly [name: string, change: (query: URLSearchParams) => void, outcome: string];

const set = (name: string, value: string) => (query: URLSearchParams) => query.set(name, value);
const remove = (name: string) => (query: URLSearchParams) => query.delete(name);

const plane = await startHubControlPlane(t);
const nativeClient = await registerClient(plane);
const webClient = await registerClient(plane, 'https://app.example/callback');

function testOutcomes(client: OAuthTestClient, rows: readonly Row[]): void {
  for (const [name, change, outcome] of rows) {
    t.test(name, async (t) => {
      const authorization = prepareAuthorization(client, change);
      t.equal(await startAuthorization(plane.max, authorization), outcome);
    });
  }
}

t.test('a valid request prompts the person and ends with a code', async (t) => {
  for (const client of [nativeClient, webClient]) {
    const authorization = prepareAuthorization(client);
    t.equal(await startAuthorization(plane.max, authorization), 'interaction');
    t.ok(await obtainHubCode(plane.max, prepareAuthorization(client)));
  }
});

testOutcomes(nativeClient, [
  ['no challenge', remove('code_challenge'), 'invalid_request'],
  ['a plain challenge', set('code_challenge_method', 'plain'), 'invalid_request'],
  ['a challenge without its method', remove('code_challenge_method'), 'invalid_request'],
  ['a challenge that is too short', set('code_challenge', 'abc'), 'invalid_request'],
  ['a challenge with invalid characters', set('code_challenge', `${'a'.repeat(42)}!`), 'invalid_request'],
  ['tokens in the URL', set('response_type', 'token'), 'unsupported_response_type'],
  ['the response in a form', set('response_mode', 'form_post'), '400'],
  ['the response in a fragment', set('response_mode', 'fragment'), '400'],
  ['the response in a message between pages', set('response_mode', 'web_message'), '400'],
  ['a request object', set('request', 'eyJhbGciOiJub25lIn0.e30.'), 'request_not_supported'],
  ['a request object by reference', set('request_uri', 'https://127.0.0.1/request'), 'request_uri_not_supported'],
  ['two challenges', (query) => query.append('code_challenge', 'a'.repeat(43)), 'invalid_request'],
  ['prompt=none', set('prompt', 'none'), 'login_required'],
  ['an unknown client', set('client_id', 'nobody'), '400'],
]);

t.test('a web client gets no error redirect before the person was prompted', async (t) => {
  t.equal(await startAuthorization(plane.max, prepareAuthorization(webClient, remove('code_challenge'))), '400');
  t.equal(await startAuthorization(plane.max, prepareAuthorization(webClient, set('resource', plane.url))), '400');
});

for (const mode of ['form_post', 'fragment', 'web_message', 'query.jwt', 'query.']) {
  t.test(`the response mode ${mode} is rejected`, async (t) => {
    t.equal(await startAuthorization(plane.max, prepareAuthorization(nativeClient, set('response_mode', mode))), '400');
    const repeated = prepareAuthorization(nativeClient, (query) => {
      query.append('response_mode', 'query');
      query.append('response_mode', mode);
    });
    t.equal(await startAuthorization(plane.max, repeated), '400');
  });
}

t.test('the metadata lists the response mode query, which may be requested', async (t) => {
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const metadata = await (await fetch(`${plane.url}/.well-known/${name}`)).json();
    t.same(metadata.response_modes_supported, ['query']);
  }
  t.equal(
    await startAuthorization(plane.max, prepareAuthorization(nativeClient, set('response_mode', 'query'))),
    'interaction',
  );
});

for (const path of [
  '/oauth/Authorize',
  '/OAuth/authorize',
  '/oauth/authorize/',
  '/oauth/%61uthorize',
  '/oauth//authorize',
  '/oauth/./Authorize',
  '/oauth/authorize%2f',
]) {
  t.test(`${path} is not handled as the authorization endpoint`, async (t) => {
    const { search } = new URL(prepareAuthorization(webClient, set('prompt', 'none')).url);
    const { status, headers } = await rawGet(`${path}${search}`);
    t.equal(status, 404);
    t.equal(headers.location, undefined);
  });
}

/** Sends the path unchanged; URL parsers would normalize it. */
function rawGet(path: string): Promise<{ status: number | undefined; headers: IncomingHttpHeaders }> {
  const { hostname, port } = new URL(plane.url);
  return new Promise((resolve, reject) => {
    get({ hostname, port, path }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode, headers: answer.headers });
    }).once('error', reject);
  });
}

t.test('scopes of other resources are not granted', async (t) => {
  const tokens = await obtainTokens(
    plane.max,
    nativeClient,
    set('scope', 'openid offline_access api admin memory:use hub:read'),
  );
  t.equal(tokens.scope, 'hub:read');
  t.notOk(tokens.id_token);
});

const userInfoRedirect = 'http://127.0.0.1:45678@evil.example/callback';
const redirects: readonly (readonly [name: string, client: OAuthTestClient, redirect: string])[] = [
  ['an additional path segment', nativeClient, 'http://127.0.0.1:45678/callback/more'],
  ['a suffix of the path', nativeClient, 'http://127.0.0.1:45678/callback2'],
  ['a step up in the path', nativeClient, 'http://127.0.0.1:45678/callback/../evil'],
  ['a query', nativeClient, 'http://127.0.0.1:45678/callback?next=evil'],
  ['a fragment', nativeClient, 'http://127.0.0.1:45678/callback#evil'],
  ['an empty fragment', nativeClient, 'http://127.0.0.1:45678/callback#'],
  ['another scheme', nativeClient, 'https://127.0.0.1:45678/callback'],
  ['a scheme of its own', nativeClient, 'evil:/callback'],
  ['a host behind user information', nativeClient, userInfoRedirect],
  ['a host that begins with the right one', nativeClient, 'http://127.0.0.1.evil.example:45678/callback'],
  ['another host', nativeClient, 'http://evil.example:45678/callback'],
  ['another spelling of this machine', nativeClient, 'http://localhost:45678/callback'],
  ['another port of a host that is not this machine', webClient, 'https://app.example:8443/callback'],
  ['a subdomain', webClient, 'https://sub.app.example/callback'],
  ['a host by suffix', webClient, 'https://evil-app.example/callback'],
  ['http for https', webClient, 'http://app.example/callback'],
  ['a path in other case', webClient, 'https://app.example/Callback'],
  ['an additional slash', webClient, 'https://app.example/callback/'],
  ['user information', webClient, 'https://me@app.example/callback'],
  ['javascript', webClient, 'javascript:alert(1)//https://app.example/callback'],
  ['two URLs in one', webClient, 'https://app.example/callback https://evil.example/'],
];
for (const [name, client, redirect] of redirects) {
  t.test(`a redirect URI with ${name} gives an error page without a redirect`, async (t) => {
    t.equal(await startAuthorization(plane.max, prepareAuthorization(client, set('redirect_uri', redirect))), '400');
  });
}

t.test('two redirect URIs are rejected', async (t) => {
  const repeated = prepareAuthorization(webClient, (query) =>
    query.append('redirect_uri', 'https://evil.example/callback'),
  );
  t.equal(await startAuthorization(plane.max, repeated), '400');
});

t.test('a loopback redirect URI may use another port (RFC 8252)', async (t) => {
  t.equal(
    await startAuthorization(
      plane.max,
      prepareAuthorization(nativeClient, set('redirect_uri', 'http://127.0.0.1:9/callback')),
    ),
    'interaction',
  );
});

const invalidResources = [
  'https://elsewhere.example/hub/acme',
  `${plane.url}/hub/acme/`,
  `${plane.url}/hub/acme?x=1`,
  `${plane.url}/hub/acme#x`,
  `${plane.url}/hub/ACME`,
  `${plane.url}/hub/acme/../other`,
  `${plane.url}/hub/`,
  `${plane.url}/api/v1`,
  `${plane.url}/oauth`,
  'acme',
  'javascript:alert(1)',
];
testOutcomes(nativeClient, [
  ['no resource', remove('resource'), 'invalid_target'],
  ['an empty resource', set('resource', ''), 'invalid_target'],
  ['a resource without a hub', set('resource', plane.url), 'invalid_target'],
  ...invalidResources.map(
    (resource): Row => [`the resource ${resource.replace(plane.url, '')}`, set('resource', resource), 'invalid_target'],
  ),
  ['two hubs at once', (query) => query.append('resource', `${plane.url}/hub/other`), 'invalid_target'],
  ['a hub and the API', (query) => query.append('resource', `${plane.url}/api/v1`), 'invalid_target'],
]);

t.test('a request for a URL without a hub gets a hint', async (t) => {
  const response = await plane.max.navigate(prepareAuthorization(nativeClient, set('resource', plane.url)).url);
  const description = new URL(response.headers.get('location') ?? '').searchParams.get('error_description') ?? '';
  t.match(description, /hub/);
});
