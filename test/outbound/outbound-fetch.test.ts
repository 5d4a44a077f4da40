import { gzipSync } from 'node:zlib';
import t from 'tap';
import type { NameResolver } from '../../src/outbound/names/name-resolver.ts';
import {
  createBufferedOutboundFetch,
  createOutboundFetch,
  isLoopback,
  type OutboundOptions,
} from '../../src/outbound/outbound-fetch.ts';
import { eventually } from '../eventually.ts';
import { createRootCertificate } from '../targets/certificates.ts';
import { respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { startForwardProxy } from '../targets/proxy.ts';

const root = createRootCertificate(t.testdir());
const factories = { createOutboundFetch, createBufferedOutboundFetch };

type TestOptions = Partial<OutboundOptions> & { readonly path?: string };

async function call(createFetch: typeof createOutboundFetch, url: string, options: TestOptions = {}) {
  const fetch = await createFetch({ url, extraRoots: [], variables: {}, ...options });
  const headers = { 'x-own': '1' };
  const init = {
    method: 'POST',
    headers,
    body: '{"a":1}',
    signal: AbortSignal.timeout(5000),
    redirect: 'manual',
  } as const;
  const response = await fetch(url + (options.path ?? '/'), init);
  return {
    status: response.status,
    ok: response.ok,
    location: response.headers.get('Location'),
    text: await response.text(),
  };
}

for (const [name, createFetch] of Object.entries(factories)) {
  t.test(`${name}: a control plane on this machine is called directly, whatever proxy is configured`, async (t) => {
    const target = await startHttpTarget(respondWithJson({ ok: true }));
    const variables = {
      http_proxy: 'http://127.0.0.1:9',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      all_proxy: 'http://127.0.0.1:9',
    };
    t.match(await call(createFetch, target.origin, { variables }), { status: 200, ok: true, text: '{"ok":true}' });
    t.match(target.arrived[0], { method: 'POST', body: '{"a":1}' });
    await target.close();
  });

  t.test(`${name}: a remote control plane is called through the configured proxy`, async (t) => {
    const target = await startHttpTarget(respondWithJson({ ok: true }));
    const proxy = await startForwardProxy();
    const url = target.origin.replace('127.0.0.1', 'control.test');
    for (const variable of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY']) {
      t.match(
        await call(createFetch, url, { variables: { [variable]: proxy.url } }),
        { status: 200, text: '{"ok":true}' },
        variable,
      );
    }
    t.equal(proxy.requests.length, 3);
    t.ok(proxy.requests.every((line) => line.includes('control.test')));
    await t.rejects(call(createFetch, url, { variables: { http_proxy: proxy.url, no_proxy: 'control.test' } }));
    t.equal(proxy.requests.length, 3, 'no proxy is used for hosts in NO_PROXY');
    await proxy.close();
    await target.close();
  });

  t.test(`${name}: an extra root is trusted only when it is configured`, async (t) => {
    const target = await startHttpTarget(respondWithJson({ ok: true }), root.leaf('localhost'));
    t.match(await call(createFetch, target.origin, { extraRoots: [root.cert] }), { status: 200 });
    await t.rejects(call(createFetch, target.origin));
    await target.close();
  });

  t.test(`${name}: TLS through a proxy uses a tunnel and the configured root`, async (t) => {
    const target = await startHttpTarget(respondWithJson({ ok: true }), root.leaf('control.test'));
    const proxy = await startForwardProxy();
    const url = target.origin.replace('localhost', 'control.test');
    const options = { variables: { https_proxy: proxy.url }, extraRoots: [root.cert] };
    t.match(await call(createFetch, url, options), { status: 200, text: '{"ok":true}' });
    t.match(proxy.requests, [/^CONNECT control\.test:\d+$/]);
    await proxy.close();
    await target.close();
  });

  t.test(`${name}: a redirect is returned and not followed, so that no credential is forwarded`, async (t) => {
    const target = await startHttpTarget((_request, response) =>
      response.writeHead(307, { location: '/other' }).end('moved'),
    );
    t.match(await call(createFetch, target.origin), { status: 307, ok: false, location: '/other' });
    t.equal(target.arrived.length, 1);
    await target.close();
  });

  t.test(`${name}: a text beyond the limit is refused, and its connection is closed`, async (t) => {
    let isClosed = false;
    const target = await startHttpTarget((request, response) => {
      const hasLength = request.url === '/length';
      response.once('close', () => {
        isClosed = true;
      });
      if (hasLength) response.setHeader('content-length', 4096);
      const write = (): void => {
        while (!response.destroyed && response.write('a'.repeat(4096)) && !hasLength);
        if (!hasLength) response.once('drain', write);
      };
      write();
    });
    for (const path of ['/endless', '/length']) {
      isClosed = false;
      await t.rejects(call(createFetch, target.origin, { path, maxResponseBytes: 4000 }), {
        code: 'ERR_RESPONSE_TOO_LARGE',
      });
      await eventually(() => isClosed, { description: `the connection of ${path} is closed` });
    }
    await target.close();
  });

  t.test(`${name}: a text within the limit is read in any form`, async (t) => {
    const text = '\uFEFFé'.repeat(500);
    const target = await startHttpTarget((request, response) => {
      if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync(text));
      else if (request.url === '/chunks') {
        for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
        response.end();
      } else response.end(text);
    });
    const paths = name === 'createOutboundFetch' ? ['/length', '/chunks', '/gzip'] : ['/length', '/chunks'];
    for (const path of paths)
      t.equal((await call(createFetch, target.origin, { path, maxResponseBytes: 3000 })).text, text.slice(1), path);
    if (name === 'createOutboundFetch')
      await t.rejects(call(createFetch, target.origin, { path: '/gzip', maxResponseBytes: 2000 }), {
        code: 'ERR_RESPONSE_TOO_LARGE',
      });
    await target.close();
  });

  t.test(`${name}: names are resolved by the given resolver, not by the system`, async (t) => {
    const target = await startHttpTarget(respondWithJson({ ok: true }));
    const url = target.origin.replace('127.0.0.1', 'service.test');
    const names: string[] = [];
    const resolver: NameResolver = {
      resolve: async (hostname) => {
        names.push(hostname);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    };
    t.match(await call(createFetch, url, { resolver }), { status: 200 });
    t.same(names, ['service.test']);
    await target.close();
  });
}

t.test('loopback URLs are recognized', async (t) => {
  for (const url of ['http://localhost:7700', 'http://127.0.0.1', 'https://127.8.9.1:1', 'http://[::1]:7700'])
    t.ok(isLoopback(url), url);
  for (const url of ['http://localhost.example', 'http://10.0.0.1', 'http://127.example', 'https://128.0.0.1'])
    t.notOk(isLoopback(url), url);
});
