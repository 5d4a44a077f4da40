/** Publishing to the registry over HTTP, with the statuses that clients of the official one know. */
import t, { type Test } from 'tap';
import { fakeClock } from '../../environment/fake-clock.ts';
import { startNameServer } from '../../registry/name-server.ts';
import { createTestPublisher } from '../../registry/test-publisher.ts';
import { createServerDocument } from '../../registry/version-fixture.ts';
import { createRequest } from '../test-server.ts';
import { requestRegistry, startRegistryServer } from './registry-server.ts';

async function setUp(t: Test, options: { domains?: readonly string[]; writesPerMinute?: number } = {}) {
  const server = await startNameServer(t);
  const clock = fakeClock();
  const { domains = ['example.com'], ...rest } = options;
  const api = await startRegistryServer(t, { clock, settings: { domains }, resolvers: [server.address], ...rest });
  const ana = createTestPublisher('example.com', server);
  const proveDomain = async (root = '/v0'): Promise<string> => {
    clock.advance(1);
    const { body } = await requestRegistry(api, `${root}/auth/dns`, { method: 'POST', body: ana.proof(clock.nowMs()) });
    return body.registry_token;
  };
  return { api, server, clock, ana, proveDomain: proveDomain };
}

const publish = (document: unknown, token: string | null, root = '/v0') =>
  [`${root}/publish`, { method: 'POST', body: document, token }] as const;

t.test('proving, publishing and searching work under both prefixes of the API', async (t) => {
  const { api, proveDomain } = await setUp(t);
  for (const [root, version] of [
    ['/v0', '1.0.0'],
    ['/v0.1', '1.1.0'],
  ] as const) {
    const document = createServerDocument('com.example/hub', version);
    const published = await requestRegistry(api, ...publish(document, await proveDomain(root), root));
    t.match(published, { status: 200, body: { server: document } });
    const { body } = await requestRegistry(api, `${root}/servers?search=com.example&version=latest`);
    t.same(body.servers, [published.body]);
  }
});

t.test('each refusal has status, code, fix, and the message where clients expect it', async (t) => {
  const { api, ana, clock, proveDomain } = await setUp(t);
  const token = await proveDomain();
  await requestRegistry(api, ...publish(createServerDocument('com.example/hub'), token));
  const proof = (changes: object) =>
    ['/v0/auth/dns', { method: 'POST', body: ana.proof(clock.nowMs(), changes) }] as const;
  const wrong = { signed_timestamp: '00'.repeat(64) };
  const cases: readonly (readonly [
    Parameters<typeof requestRegistry> extends [unknown, ...infer R] ? R : never,
    number,
    string,
  ])[] = [
    [[...proof({ domain: 'example.org' })], 403, 'REGISTRY_DOMAIN_CLOSED'],
    [[...proof({ domain: 'x' })], 400, 'REGISTRY_DOMAIN_INVALID'],
    [[...proof({ timestamp: '2020-01-01T00:00:00Z' })], 401, 'REGISTRY_TIMESTAMP_REFUSED'],
    [[...proof(wrong)], 401, 'REGISTRY_KEY_OTHER'],
    [[...publish(createServerDocument('com.example/hub', '2.0.0'), null)], 401, 'CREDENTIAL_MISSING'],
    [[...publish(createServerDocument('com.example/hub', '2.0.0'), 'nothing')], 401, 'REGISTRY_TOKEN_INVALID'],
    [[...publish(createServerDocument('com.example/hub', '2.0.0'), api.owner)], 401, 'REGISTRY_TOKEN_INVALID'],
    [[...publish(createServerDocument('org.example/hub'), token)], 403, 'REGISTRY_NAME_FOREIGN'],
    [[...publish(createServerDocument('com.example/hub'), token)], 400, 'REGISTRY_VERSION_EXISTS'],
    [[...publish({ name: 'com.example/hub' }, token)], 422, 'REGISTRY_DOCUMENT_INVALID'],
    [
      [...publish(createServerDocument('com.example/hub', '2.0.0', { title: 'x'.repeat(33_000) }), token)],
      413,
      'BODY_TOO_LARGE',
    ],
    [
      ['/v0/servers/com.example%2Fhub/versions/1.0.0', { method: 'PUT', body: {}, token }],
      501,
      'REGISTRY_VERSION_FIXED',
    ],
    [['/v0.1/servers/com.example%2Fhub/versions/1.0.0', { method: 'DELETE', token }], 501, 'REGISTRY_VERSION_FIXED'],
  ];
  for (const [authorization, status, code] of cases) {
    const answer = await requestRegistry(api, ...authorization);
    t.match(answer, { status, body: { code, detail: String, cure: String } }, code);
    if (code.startsWith('REGISTRY_')) t.equal(answer.body.error, answer.body.detail, code);
  }
});

t.test('credentials of people cannot publish', async (t) => {
  const { api } = await setUp(t);
  for (const token of [api.owner, api.scrape]) {
    const { status } = await requestRegistry(api, ...publish(createServerDocument('com.example/hub'), token));
    t.equal(status, 401);
  }
  t.same((await requestRegistry(api, '/v0/servers')).body.servers, []);
});

t.test('a registry token gives no other access', async (t) => {
  const { api, proveDomain } = await setUp(t);
  const token = await proveDomain();
  for (const path of ['/api/v1/runs', '/api/v1/hubs', '/metrics'])
    t.equal((await requestRegistry(api, path, { token })).status, 401, path);
});

t.test('versions are marked deprecated or deleted, one or all', async (t) => {
  const { api, proveDomain } = await setUp(t);
  const token = await proveDomain();
  for (const version of ['1.0.0', '2.0.0'])
    await requestRegistry(api, ...publish(createServerDocument('com.example/hub', version), token));
  const server = '/v0.1/servers/com.example%2Fhub';
  const patch = (path: string, body: object) =>
    requestRegistry(api, `${server}${path}`, { method: 'PATCH', body, token });
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
  t.match(await requestRegistry(api, `${server}/status`, { method: 'PATCH', body: { status: 'active' } }), {
    status: 401,
  });
  t.same((await requestRegistry(api, '/v0/servers')).body.servers, []);
});

t.test('writes are limited per address, without limiting reads', async (t) => {
  const { api, ana } = await setUp(t, { writesPerMinute: 3 });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => requestRegistry(api, '/v0/auth/dns', { method: 'POST', body: ana.proof(0) })),
  );
  t.same(
    answers.map(({ status }) => status),
    [401, 401, 401, 429, 429],
  );
  t.match(answers[4]?.body, { code: 'RATE_LIMITED', error: /too many/ });
  t.equal((await requestRegistry(api, '/v0/servers')).status, 200);
});

t.test('malformed bodies are refused as everywhere', async (t) => {
  const { api, proveDomain } = await setUp(t);
  const token = await proveDomain();
  const raw = async (body: string, type = 'application/json') => {
    const request = createRequest('POST', '/v0/publish', {}, token);
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
    t.same((await requestRegistry(api, `${root}/health`)).body, { status: 'ok' });
    t.same((await requestRegistry(api, `${root}/ping`)).body, { pong: true });
    t.same((await requestRegistry(api, `${root}/version`)).body, { version: '0.4.0' });
  }
});

t.test('every operation is in the OpenAPI document once', async (t) => {
  const { api } = await setUp(t);
  const document = await (await api.ask('GET', '/api/openapi.json')).json();
  const paths = Object.keys(document.paths).filter((path) => /^\/v0/.test(path));
  t.equal(paths.length, 2 * 10);
  const ids = paths.flatMap((path) => Object.values(document.paths[path]).map((entry) => JSON.stringify(entry)));
  t.equal(new Set(ids.map((text) => /"operationId":"(\w+)"/.exec(text)?.[1])).size, 2 * 12);
});

t.test('an internal error is reported without its reason, and logged', async (t) => {
  const { api } = await setUp(t);
  await api.control.close();
  const { status, body } = await requestRegistry(api, '/v0/servers');
  t.ok(status >= 500, String(status));
  t.equal(body.error, undefined);
  t.equal(api.lines.length, 1);
});
