/** How a request for authorization may not begin. */
import { get, type IncomingHttpHeaders } from 'node:http';
import t from 'tap';
import { asking, begun, codeBy, type Program, registered, tokensBy } from './program.ts';
import { openTown } from './town.ts';

type Row = readonly [name: string, change: (query: URLSearchParams) => void, outcome: string];

const set = (name: string, value: string) => (query: URLSearchParams) => query.set(name, value);
const without = (name: string) => (query: URLSearchParams) => query.delete(name);

const town = await openTown(t);
const native = await registered(town);
const web = await registered(town, 'https://app.example/callback');

function table(program: Program, rows: readonly Row[]): void {
  for (const [name, change, outcome] of rows) {
    t.test(name, async (t) => {
      const asked = asking(program, change);
      t.equal(await begun(town.max, asked), outcome);
    });
  }
}

t.test('a request without fault is asked of the person, and ends with a code, the state and the issuer', async (t) => {
  for (const program of [native, web]) {
    const asked = asking(program);
    t.equal(await begun(town.max, asked), 'asked');
    t.ok(await codeBy(town.max, asking(program)));
  }
});

table(native, [
  ['no challenge', without('code_challenge'), 'invalid_request'],
  ['a plain challenge', set('code_challenge_method', 'plain'), 'invalid_request'],
  ['a challenge without its method, which means plain', without('code_challenge_method'), 'invalid_request'],
  ['a challenge that is too short', set('code_challenge', 'abc'), 'invalid_request'],
  ['a challenge in other letters', set('code_challenge', `${'a'.repeat(42)}!`), 'invalid_request'],
  ['tokens in the address', set('response_type', 'token'), 'unsupported_response_type'],
  ['the answer in a form', set('response_mode', 'form_post'), '400'],
  ['the answer in a fragment', set('response_mode', 'fragment'), '400'],
  ['the answer in a message between pages', set('response_mode', 'web_message'), '400'],
  ['a request in a request', set('request', 'eyJhbGciOiJub25lIn0.e30.'), 'request_not_supported'],
  ['a request by address', set('request_uri', 'https://127.0.0.1/request'), 'request_uri_not_supported'],
  ['two challenges', (query) => query.append('code_challenge', 'a'.repeat(43)), 'invalid_request'],
  ['no question asked', set('prompt', 'none'), 'login_required'],
  ['an unknown client', set('client_id', 'nobody'), '400'],
]);

t.test(
  'a program elsewhere is not told of a fault before a person was asked: a link must not lead to it',
  async (t) => {
    t.equal(await begun(town.max, asking(web, without('code_challenge'))), '400');
    t.equal(await begun(town.max, asking(web, set('resource', town.url))), '400');
  },
);

for (const mode of ['form_post', 'fragment', 'web_message', 'query.jwt', 'query.']) {
  t.test(`the answer comes by the query, never by ${mode}`, async (t) => {
    t.equal(await begun(town.max, asking(native, set('response_mode', mode))), '400');
    const twice = asking(native, (query) => {
      query.append('response_mode', 'query');
      query.append('response_mode', mode);
    });
    t.equal(await begun(town.max, twice), '400');
  });
}

t.test('that is what is said of it, and may be asked for', async (t) => {
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const told = await (await fetch(`${town.url}/.well-known/${name}`)).json();
    t.same(told.response_modes_supported, ['query']);
  }
  t.equal(await begun(town.max, asking(native, set('response_mode', 'query'))), 'asked');
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
  t.test(`${path} is no other way past that`, async (t) => {
    const { search } = new URL(asking(web, set('prompt', 'none')).url);
    const { status, headers } = await rawGet(`${path}${search}`);
    t.equal(status, 404);
    t.equal(headers.location, undefined);
  });
}

/** As it is written: what parses addresses would mend them. */
function rawGet(path: string): Promise<{ status: number | undefined; headers: IncomingHttpHeaders }> {
  const { hostname, port } = new URL(town.url);
  return new Promise((resolve, reject) => {
    get({ hostname, port, path }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode, headers: answer.headers });
    }).once('error', reject);
  });
}

t.test('scopes that are not the hub’s are neither asked for nor given', async (t) => {
  const tokens = await tokensBy(town.max, native, set('scope', 'openid offline_access api admin memory:use hub:read'));
  t.equal(tokens.scope, 'hub:read');
  t.notOk(tokens.id_token);
});

const evil = 'http://127.0.0.1:45678@evil.example/callback';
const redirects: readonly (readonly [name: string, program: Program, redirect: string])[] = [
  ['more behind the path', native, 'http://127.0.0.1:45678/callback/more'],
  ['a suffix of the path', native, 'http://127.0.0.1:45678/callback2'],
  ['a step up in the path', native, 'http://127.0.0.1:45678/callback/../evil'],
  ['a query', native, 'http://127.0.0.1:45678/callback?next=evil'],
  ['a fragment', native, 'http://127.0.0.1:45678/callback#evil'],
  ['an empty fragment', native, 'http://127.0.0.1:45678/callback#'],
  ['another scheme', native, 'https://127.0.0.1:45678/callback'],
  ['a scheme of its own', native, 'evil:/callback'],
  ['a host behind user information', native, evil],
  ['a host that begins with the right one', native, 'http://127.0.0.1.evil.example:45678/callback'],
  ['another host', native, 'http://evil.example:45678/callback'],
  ['another spelling of this machine', native, 'http://localhost:45678/callback'],
  ['another port of a host that is not this machine', web, 'https://app.example:8443/callback'],
  ['a host below', web, 'https://sub.app.example/callback'],
  ['a host by suffix', web, 'https://evil-app.example/callback'],
  ['http for https', web, 'http://app.example/callback'],
  ['a path in other case', web, 'https://app.example/Callback'],
  ['a slash more', web, 'https://app.example/callback/'],
  ['user information', web, 'https://me@app.example/callback'],
  ['javascript', web, 'javascript:alert(1)//https://app.example/callback'],
  ['two addresses in one', web, 'https://app.example/callback https://evil.example/'],
];
for (const [name, program, redirect] of redirects) {
  t.test(`a redirect address with ${name} is told to the person, and nobody is sent there`, async (t) => {
    t.equal(await begun(town.max, asking(program, set('redirect_uri', redirect))), '400');
  });
}

t.test('two redirect addresses', async (t) => {
  const twice = asking(web, (query) => query.append('redirect_uri', 'https://evil.example/callback'));
  t.equal(await begun(town.max, twice), '400');
});

t.test('another port of this machine is the same program (RFC 8252)', async (t) => {
  t.equal(await begun(town.max, asking(native, set('redirect_uri', 'http://127.0.0.1:9/callback'))), 'asked');
});

const foreign = [
  'https://elsewhere.example/hub/acme',
  `${town.url}/hub/acme/`,
  `${town.url}/hub/acme?x=1`,
  `${town.url}/hub/acme#x`,
  `${town.url}/hub/ACME`,
  `${town.url}/hub/acme/../other`,
  `${town.url}/hub/`,
  `${town.url}/api/v1`,
  `${town.url}/oauth`,
  'acme',
  'javascript:alert(1)',
];
table(native, [
  ['no resource', without('resource'), 'invalid_target'],
  ['an empty resource', set('resource', ''), 'invalid_target'],
  ['a resource without a hub', set('resource', town.url), 'invalid_target'],
  ...foreign.map(
    (resource): Row => [`the resource ${resource.replace(town.url, '')}`, set('resource', resource), 'invalid_target'],
  ),
  ['two hubs at once', (query) => query.append('resource', `${town.url}/hub/other`), 'invalid_target'],
  ['a hub and the API', (query) => query.append('resource', `${town.url}/api/v1`), 'invalid_target'],
]);

t.test('a request for a URL without a hub is told what to do', async (t) => {
  const response = await town.max.go(asking(native, set('resource', town.url)).url);
  const told = new URL(response.headers.get('location') ?? '').searchParams.get('error_description') ?? '';
  t.match(told, /hub/);
});
