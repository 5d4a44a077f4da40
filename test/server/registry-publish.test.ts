/** Publishing to the registry over HTTP, with the statuses that clients of the official one know. */
import t, { type Test } from 'tap';
import { fakeClock } from '../environment/fake-clock.ts';
import { nameServer } from '../registry/name-server.ts';
import { aServer } from '../registry/published.ts';
import { publisher } from '../registry/publisher.ts';
import { ask, registryServed } from './registry-served.ts';
import { requestOf } from './served.ts';

async function setUp(t: Test, options: { domains?: readonly string[]; writesAMinute?: number } = {}) {
  const server = await nameServer(t);
  const clock = fakeClock();
  const { domains = ['example.com'], ...rest } = options;
  const api = await registryServed(t, { clock, settings: { domains }, resolvers: [server.address], ...rest });
  const ana = publisher('example.com', server);
  const tokenOf = async (root = '/v0'): Promise<string> => {
    clock.advance(1);
    const { body } = await ask(api, `${root}/auth/dns`, { method: 'POST', body: ana.proof(clock.nowMs()) });
    return body.registry_token;
  };
  return { api, server, clock, ana, tokenOf };
}

const publish = (document: unknown, token: string | null, root = '/v0') =>
  [`${root}/publish`, { method: 'POST', body: document, token }] as const;

t.test('prove, publish, find: under both names of the API', async (t) => {
  const { api, tokenOf } = await setUp(t);
  for (const [root, version] of [
    ['/v0', '1.0.0'],
    ['/v0.1', '1.1.0'],
  ] as const) {
    const document = aServer('com.example/hub', version);
    const published = await ask(api, ...publish(document, await tokenOf(root), root));
    t.match(published, { status: 200, body: { server: document } });
    const { body } = await ask(api, `${root}/servers?search=com.example&version=latest`);
    t.same(body.servers, [published.body]);
  }
});

t.test('each refusal has its status, its code, its cure, and the sentence where clients look for it', async (t) => {
  const { api, ana, clock, tokenOf } = await setUp(t);
  const token = await tokenOf();
  await ask(api, ...publish(aServer('com.example/hub'), token));
  const proof = (changes: object) =>
    ['/v0/auth/dns', { method: 'POST', body: ana.proof(clock.nowMs(), changes) }] as const;
  const wrong = { signed_timestamp: '00'.repeat(64) };
  const cases: readonly (readonly [
    Parameters<typeof ask> extends [unknown, ...infer R] ? R : never,
    number,
    string,
  ])[] = [
    [[...proof({ domain: 'example.org' })], 403, 'REGISTRY_DOMAIN_CLOSED'],
    [[...proof({ domain: 'x' })], 400, 'REGISTRY_DOMAIN_INVALID'],
    [[...proof({ timestamp: '2020-01-01T00:00:00Z' })], 401, 'REGISTRY_TIMESTAMP_REFUSED'],
    [[...proof(wrong)], 401, 'REGISTRY_KEY_OTHER'],
    [[...publish(aServer('com.example/hub', '2.0.0'), null)], 401, 'CREDENTIAL_MISSING'],
    [[...publish(aServer('com.example/hub', '2.0.0'), 'nothing')], 401, 'REGISTRY_TOKEN_INVALID'],
    [[...publish(aServer('com.example/hub', '2.0.0'), api.owner)], 401, 'REGISTRY_TOKEN_INVALID'],
    [[...publish(aServer('org.example/hub'), token)], 403, 'REGISTRY_NAME_FOREIGN'],
    [[...publish(aServer('com.example/hub'), token)], 400, 'REGISTRY_VERSION_EXISTS'],
    [[...publish({ name: 'com.example/hub' }, token)], 422, 'REGISTRY_DOCUMENT_INVALID'],
    [[...publish(aServer('com.example/hub', '2.0.0', { title: 'x'.repeat(33_000) }), token)], 413, 'BODY_TOO_LARGE'],
    [
      ['/v0/servers/com.example%2Fhub/versions/1.0.0', { method: 'PUT', body: {}, token }],
      501,
      'REGISTRY_VERSION_FIXED',
    ],
    [['/v0.1/servers/com.example%2Fhub/versions/1.0.0', { method: 'DELETE', token }], 501, 'REGISTRY_VERSION_FIXED'],
  ];
  for (const [asked, status, code] of cases) {
    const answer = await ask(api, ...asked);
    t.match(answer, { status, body: { code, detail: String, cure: String } }, code);
    if (code.startsWith('REGISTRY_')) t.equal(answer.body.error, answer.body.detail, code);
  }
});

t.test('what people sign in with here publishes nothing', async (t) => {
  const { api } = await setUp(t);
  for (const token of [api.owner, api.scrape]) {
    const { status } = await ask(api, ...publish(aServer('com.example/hub'), token));
    t.equal(status, 401);
  }
  t.same((await ask(api, '/v0/servers')).body.servers, []);
});

t.test('and a token of the registry opens nothing else here', async (t) => {
  const { api, tokenOf } = await setUp(t);
  const token = await tokenOf();
  for (const path of ['/api/v1/runs', '/api/v1/hubs', '/metrics'])
    t.equal((await ask(api, path, { token })).status, 401, path);
});

t.test('what is published here is said to be deprecated or deleted, one version or all', async (t) => {
  const { api, tokenOf } = await setUp(t);
  const token = await tokenOf();
  for (const version of ['1.0.0', '2.0.0']) await ask(api, ...publish(aServer('com.example/hub', version), token));
  const server = '/v0.1/servers/com.example%2Fhub';
  const patch = (path: string, body: object) => ask(api, `${server}${path}`, { method: 'PATCH', body, token });
  const meta = { 'io.modelcontextprotocol.registry/official': { status: 'deprecated', statusMessage: 'old' } };
  t.match(await patch('/versions/1.0.0/status', { status: 'deprecated', statusMessage: 'old' }), {
    status: 200,
    body: { server: { version: '1.0.0' }, _meta: meta },
  });
  t.match(await patch('/status', { status: 'deleted' }), {
    status: 200,
    body: { updatedCount: 2, servers: { length: 2 } },
  });
  t.match(await patch('/status', { status: 'deleted' }), { status: 400, body: { code: 'REGISTRY_STATUS_REFUSED' } });
  t.match(await patch('/status', { status: 'gone' }), { status: 400, body: { code: 'REQUEST_INVALID' } });
  t.match(await patch('/versions/9/status', { status: 'deleted' }), { status: 404 });
  t.match(await ask(api, `${server}/status`, { method: 'PATCH', body: { status: 'active' } }), { status: 401 });
  t.same((await ask(api, '/v0/servers')).body.servers, []);
});

t.test('too many writes from one address are held up, reads are not', async (t) => {
  const { api, ana } = await setUp(t, { writesAMinute: 3 });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => ask(api, '/v0/auth/dns', { method: 'POST', body: ana.proof(0) })),
  );
  t.same(
    answers.map(({ status }) => status),
    [401, 401, 401, 429, 429],
  );
  t.match(answers[4]?.body, { code: 'RATE_LIMITED', error: /too many/ });
  t.equal((await ask(api, '/v0/servers')).status, 200);
});

t.test('bodies that are no JSON, or another thing, are refused as everywhere', async (t) => {
  const { api, tokenOf } = await setUp(t);
  const token = await tokenOf();
  const raw = async (body: string, type = 'application/json') => {
    const request = requestOf('POST', '/v0/publish', {}, token);
    const headers = { ...Object.fromEntries(request.headers), 'content-type': type };
    return (await api.fetch(new Request(request.url, { method: 'POST', headers, body }))).status;
  };
  t.equal(await raw('{"name":'), 400);
  t.equal(await raw('{}', 'text/plain'), 415);
  t.equal(await raw('"text"'), 422);
  t.equal(await raw('null'), 422);
  t.equal(await raw(`${'['.repeat(16_000)}${']'.repeat(16_000)}`), 422);
});

t.test('health, ping and version', async (t) => {
  const { api } = await setUp(t);
  for (const root of ['/v0', '/v0.1']) {
    t.same((await ask(api, `${root}/health`)).body, { status: 'ok' });
    t.same((await ask(api, `${root}/ping`)).body, { pong: true });
    t.same((await ask(api, `${root}/version`)).body, { version: '0.4.0' });
  }
});

t.test('every operation is in the OpenAPI document once', async (t) => {
  const { api } = await setUp(t);
  const document = await (await api.ask('GET', '/api/openapi.json')).json();
  const paths = Object.keys(document.paths).filter((path) => /^\/v0/.test(path));
  t.equal(paths.length, 2 * 10);
  const ids = paths.flatMap((path) => Object.values(document.paths[path]).map((one) => JSON.stringify(one)));
  t.equal(new Set(ids.map((text) => /"operationId":"(\w+)"/.exec(text)?.[1])).size, 2 * 12);
});

t.test('a fault of ours is told as one, without its reason, and goes to the log', async (t) => {
  const { api } = await setUp(t);
  await api.control.close();
  const { status, body } = await ask(api, '/v0/servers');
  t.ok(status >= 500, String(status));
  t.equal(body.error, undefined);
  t.equal(api.lines.length, 1);
});
