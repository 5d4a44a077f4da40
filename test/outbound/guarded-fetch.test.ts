/** Addresses are judged in the moment they are dialled, whatever the name meant before. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import t, { type Test } from 'tap';
import { type GuardedFetchOptions, guardedFetch } from '../../src/outbound/guarded-fetch.ts';

const options: GuardedFetchOptions = { allowPrivate: false, extraRoots: [], variables: {}, answerLimitBytes: 100_000 };

function fetchOf(t: Pick<Test, 'teardown'>, more: Partial<GuardedFetchOptions> = {}) {
  const guarded = guardedFetch({ ...options, ...more });
  t.teardown(() => guarded.close());
  return guarded.fetch;
}

/** A name server that says `answers` in turn. */
function resolver(...answers: string[]): LookupFunction {
  return (_host, _options, callback) => {
    const address = answers.length > 1 ? answers.shift() : answers[0];
    callback(null, [{ address: address ?? '', family: address?.includes(':') ? 6 : 4 }]);
  };
}

async function portOf(t: Pick<Test, 'teardown'>, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

async function listening(t: Pick<Test, 'teardown'>, headers: Record<string, string> = {}, status = 200) {
  let calls = 0;
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    calls += 1;
    seen.push(request.headers);
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end('{"ok":true}');
  });
  const port = await portOf(t, server);
  return { port, calls: () => calls, seen };
}

t.test('link-local, private and loopback addresses are refused in every spelling', async (t) => {
  const fetch = fetchOf(t);
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
  await t.rejects(fetchOf(t, { allowPrivate: true })('http://169.254.169.254/'), { code: 'UPSTREAM_ADDRESS_REFUSED' });
});

t.test('a name that means another address when it is dialled leads nowhere', async (t) => {
  const { port, calls } = await listening(t);
  const lookup = resolver('127.0.0.1');
  await t.rejects(fetchOf(t, { lookup })(`http://rebinding.example:${port}/`), { code: 'UPSTREAM_ADDRESS_REFUSED' });
  t.equal(calls(), 0);
  const allowed = fetchOf(t, { lookup, allowPrivate: true });
  t.equal((await allowed(`http://rebinding.example:${port}/`)).status, 200);
  const turning = fetchOf(t, { lookup: resolver('127.0.0.1', '169.254.169.254'), allowPrivate: true });
  t.equal((await turning(`http://turning.example:${port}/`)).status, 200);
  await t.rejects(turning(`http://turning.example:${port + 1}/`), { code: 'UPSTREAM_ADDRESS_REFUSED' });
});

t.test('redirects are refused and cookies are neither kept nor told', async (t) => {
  const redirecting = await listening(t, { Location: 'http://169.254.169.254/' }, 302);
  const fetch = fetchOf(t, { allowPrivate: true });
  await t.rejects(fetch(`http://127.0.0.1:${redirecting.port}/`), { code: 'UPSTREAM_REDIRECTED' });
  const baking = await listening(t, { 'Set-Cookie': 'a=b' });
  const answer = await fetch(`http://127.0.0.1:${baking.port}/`);
  t.equal(answer.headers.get('set-cookie'), null);
  t.same(await answer.json(), { ok: true });
  await fetch(`http://127.0.0.1:${baking.port}/`);
  t.notMatch(JSON.stringify(baking.seen), /cookie/);
});

t.test('what goes to a proxy is judged before', async (t) => {
  const proxy = await listening(t);
  const variables = { http_proxy: `http://127.0.0.1:${proxy.port}` };
  const fetch = fetchOf(t, { variables, lookup: resolver('169.254.169.254') });
  await t.rejects(fetch('http://metadata.example/'), { code: 'UPSTREAM_ADDRESS_REFUSED' });
  t.equal(proxy.calls(), 0);
});

t.test('an answer that tells a larger length is not read', async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '200000' });
    response.write('{');
  });
  const port = await portOf(t, server);
  const fetch = fetchOf(t, { allowPrivate: true });
  await t.rejects(fetch(`http://127.0.0.1:${port}/`), { code: 'UPSTREAM_ANSWER_TOO_LARGE' });
});

t.test('who wants less of an answer than anybody is given is given no more, told or not told', async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.write(`"${'x'.repeat(3000)}`);
    response.end('"');
  });
  const port = await portOf(t, server);
  const fetch = fetchOf(t, { allowPrivate: true });
  const url = `http://127.0.0.1:${port}/`;
  await t.rejects(fetch(url, {}, { mostBytes: 3001 }), { code: 'UPSTREAM_ANSWER_TOO_LARGE' });
  t.equal((await (await fetch(url, {}, { mostBytes: 3002 })).text()).length, 3002);
  t.equal((await (await fetch(url, {}, { mostBytes: 10_000_000 })).text()).length, 3002);
  const narrow = fetchOf(t, { allowPrivate: true, answerLimitBytes: 3000 });
  await t.rejects(narrow(url, {}, { mostBytes: 10_000_000 }), { code: 'UPSTREAM_ANSWER_TOO_LARGE' });
});
