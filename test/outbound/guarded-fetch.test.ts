/** Addresses are checked when the connection is opened, whatever the name resolved to before. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { createGuardedFetch, type GuardedFetchOptions } from '../../src/outbound/guarded-fetch.ts';
import type { NameResolver } from '../../src/outbound/names/name-resolver.ts';

const options: GuardedFetchOptions = { allowPrivate: false, extraRoots: [], variables: {}, answerLimitBytes: 100_000 };

function createTestFetch(t: Pick<Test, 'teardown'>, more: Partial<GuardedFetchOptions> = {}) {
  const guarded = createGuardedFetch({ ...options, ...more });
  t.teardown(() => guarded.close());
  return guarded.fetch;
}

/** A resolver that returns `answers` in turn. */
function createResolver(...answers: string[]): NameResolver {
  return {
    async resolve() {
      const address = (answers.length > 1 ? answers.shift() : answers[0]) ?? '';
      return [{ address, family: address.includes(':') ? 6 : 4 }];
    },
  };
}

async function getPort(t: Pick<Test, 'teardown'>, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function startTestServer(t: Pick<Test, 'teardown'>, headers: Record<string, string> = {}, status = 200) {
  let calls = 0;
  const requests: unknown[] = [];
  const server = createServer((request, response) => {
    calls += 1;
    requests.push(request.headers);
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end('{"ok":true}');
  });
  const port = await getPort(t, server);
  return { port, calls: () => calls, requests };
}

t.test('link-local, private and loopback addresses are rejected in every notation', async (t) => {
  const fetch = createTestFetch(t);
  const hosts = [
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '[::ffff:169.254.169.254]',
    '[fe80::1]',
    '127.0.0.1',
    '127.1',
    'localhost',
    'sub.localhost.',
    '[::1]',
    '10.0.0.1',
    '192.168.1.1',
    '[fd00::1]',
    '0.0.0.0',
    '100.64.0.1',
  ];
  for (const host of hosts) await t.rejects(fetch(`http://${host}/`), { code: 'UPSTREAM_ADDRESS_REFUSED' }, host);
  await t.rejects(fetch('file:///etc/passwd'), { code: 'UPSTREAM_ADDRESS_REFUSED' });
  await t.rejects(createTestFetch(t, { allowPrivate: true })('http://169.254.169.254/'), {
    code: 'UPSTREAM_ADDRESS_REFUSED',
  });
});

t.test('a name that resolves to another address when connecting is rejected', async (t) => {
  const { port, calls } = await startTestServer(t);
  const resolver = createResolver('127.0.0.1');
  await t.rejects(createTestFetch(t, { resolver })(`http://rebinding.example:${port}/`), {
    code: 'UPSTREAM_ADDRESS_REFUSED',
  });
  t.equal(calls(), 0);
  const allowed = createTestFetch(t, { resolver, allowPrivate: true });
  t.equal((await allowed(`http://rebinding.example:${port}/`)).status, 200);
  const rebindingFetch = createTestFetch(t, {
    resolver: createResolver('127.0.0.1', '169.254.169.254'),
    allowPrivate: true,
  });
  t.equal((await rebindingFetch(`http://turning.example:${port}/`)).status, 200);
  await t.rejects(rebindingFetch(`http://turning.example:${port + 1}/`), { code: 'UPSTREAM_ADDRESS_REFUSED' });
});

t.test('redirects are rejected, and cookies are neither stored nor returned', async (t) => {
  const redirectServer = await startTestServer(t, { Location: 'http://169.254.169.254/' }, 302);
  const fetch = createTestFetch(t, { allowPrivate: true });
  await t.rejects(fetch(`http://127.0.0.1:${redirectServer.port}/`), { code: 'UPSTREAM_REDIRECTED' });
  const cookieServer = await startTestServer(t, { 'Set-Cookie': 'a=b' });
  const response = await fetch(`http://127.0.0.1:${cookieServer.port}/`);
  t.equal(response.headers.get('set-cookie'), null);
  t.same(await response.json(), { ok: true });
  await fetch(`http://127.0.0.1:${cookieServer.port}/`);
  t.notMatch(JSON.stringify(cookieServer.requests), /cookie/);
});

t.test('requests through a proxy are checked first', async (t) => {
  const proxy = await startTestServer(t);
  const variables = { http_proxy: `http://127.0.0.1:${proxy.port}` };
  const fetch = createTestFetch(t, { variables, resolver: createResolver('169.254.169.254') });
  await t.rejects(fetch('http://metadata.example/'), { code: 'UPSTREAM_ADDRESS_REFUSED' });
  t.equal(proxy.calls(), 0);
});

t.test('a response that announces a larger length is not read', async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '200000' });
    response.write('{');
  });
  const port = await getPort(t, server);
  const fetch = createTestFetch(t, { allowPrivate: true });
  await t.rejects(fetch(`http://127.0.0.1:${port}/`), { code: 'UPSTREAM_ANSWER_TOO_LARGE' });
});

t.test('a smaller limit of a request holds, with and without an announced length', async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.write(`"${'x'.repeat(3000)}`);
    response.end('"');
  });
  const port = await getPort(t, server);
  const fetch = createTestFetch(t, { allowPrivate: true });
  const url = `http://127.0.0.1:${port}/`;
  await t.rejects(fetch(url, {}, { maxBytes: 3001 }), { code: 'UPSTREAM_ANSWER_TOO_LARGE' });
  t.equal((await (await fetch(url, {}, { maxBytes: 3002 })).text()).length, 3002);
  t.equal((await (await fetch(url, {}, { maxBytes: 10_000_000 })).text()).length, 3002);
  const limitedFetch = createTestFetch(t, { allowPrivate: true, answerLimitBytes: 3000 });
  await t.rejects(limitedFetch(url, {}, { maxBytes: 10_000_000 }), { code: 'UPSTREAM_ANSWER_TOO_LARGE' });
});
