import t from 'tap';
import { isLoopback, type OutwardOptions, outwardCalls, outwardFetch } from '../../src/outbound/outward-fetch.ts';
import { makeRoot } from '../targets/certificates.ts';
import { httpTarget, json } from '../targets/http-target.ts';
import { forwardProxy } from '../targets/proxy.ts';

const root = makeRoot(t.testdir());
const ways = { outwardFetch, outwardCalls };

type Given = Partial<OutwardOptions> & { readonly path?: string };

/** Status and text of one call. */
async function call(make: typeof outwardFetch, url: string, given: Given = {}) {
  const fetch = await make({ url, extraRoots: [], variables: {}, ...given });
  const headers = { 'x-own': '1' };
  const init = {
    method: 'POST',
    headers,
    body: '{"a":1}',
    signal: AbortSignal.timeout(5000),
    redirect: 'manual',
  } as const;
  const answer = await fetch(url + (given.path ?? '/'), init);
  return { status: answer.status, ok: answer.ok, location: answer.headers.get('Location'), text: await answer.text() };
}

for (const [name, make] of Object.entries(ways)) {
  t.test(`${name}: a control plane on this machine is called directly, whatever proxy is named`, async (t) => {
    const target = await httpTarget(json({ ok: true }));
    const variables = {
      http_proxy: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      all_proxy: 'http://127.0.0.1:9',
    };
    t.match(await call(make, target.origin, { variables }), { status: 200, ok: true, text: '{"ok":true}' });
    t.match(target.arrived[0], { method: 'POST', body: '{"a":1}' });
    await target.close();
  });

  t.test(`${name}: a control plane elsewhere is called through the proxy that is named`, async (t) => {
    const target = await httpTarget(json({ ok: true }));
    const proxy = await forwardProxy();
    const url = target.origin.replace('127.0.0.1', 'control.test');
    for (const variable of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY']) {
      t.match(
        await call(make, url, { variables: { [variable]: proxy.url } }),
        { status: 200, text: '{"ok":true}' },
        variable,
      );
    }
    t.equal(proxy.asked.length, 3);
    t.ok(proxy.asked.every((line) => line.includes('control.test')));
    await t.rejects(call(make, url, { variables: { http_proxy: proxy.url, no_proxy: 'control.test' } }));
    t.equal(proxy.asked.length, 3, 'but not where NO_PROXY names it');
    await proxy.close();
    await target.close();
  });

  t.test(`${name}: another root is trusted where it is given, and only there`, async (t) => {
    const target = await httpTarget(json({ ok: true }), root.leaf('localhost'));
    t.match(await call(make, target.origin, { extraRoots: [root.cert] }), { status: 200 });
    await t.rejects(call(make, target.origin));
    await target.close();
  });

  t.test(`${name}: TLS through a proxy is a tunnel, with the root that is given`, async (t) => {
    const target = await httpTarget(json({ ok: true }), root.leaf('control.test'));
    const proxy = await forwardProxy();
    const url = target.origin.replace('localhost', 'control.test');
    const given = { variables: { https_proxy: proxy.url }, extraRoots: [root.cert] };
    t.match(await call(make, url, given), { status: 200, text: '{"ok":true}' });
    t.match(proxy.asked, [/^CONNECT control\.test:\d+$/]);
    await proxy.close();
    await target.close();
  });

  t.test(`${name}: a redirect is answered as it is, so that no credential follows it`, async (t) => {
    const target = await httpTarget((_request, response) =>
      response.writeHead(307, { location: '/other' }).end('moved'),
    );
    t.match(await call(make, target.origin), { status: 307, ok: false, location: '/other' });
    t.equal(target.arrived.length, 1);
    await target.close();
  });
}

t.test('addresses of this machine are known as such', async (t) => {
  for (const url of ['http://localhost:7700', 'http://127.0.0.1', 'https://127.8.9.1:1', 'http://[::1]:7700'])
    t.ok(isLoopback(url), url);
  for (const url of ['http://localhost.example', 'http://10.0.0.1', 'http://127.example', 'https://128.0.0.1'])
    t.notOk(isLoopback(url), url);
});
