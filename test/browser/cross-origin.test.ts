/** Pages of other origins in Chromium: what their scripts reach where the operator named their origin, and where not. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { landed } from '../oauth/program.ts';
import { opened } from '../server/hub-program.ts';
import { portOf } from '../targets/raw-target.ts';
import { openChromium } from './chromium.ts';

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
};

/** An origin of its own on this machine, whose page has the official client. */
async function origin(t: Test, script: string): Promise<string> {
  const server = createServer(({ url }, response) => {
    response.setHeader('Content-Type', url === '/client.js' ? 'text/javascript' : 'text/html');
    response.end(url === '/client.js' ? script : '<!doctype html><script src="/client.js"></script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${portOf(server)}`;
}

async function pageScript(): Promise<string> {
  const entry = join(import.meta.dirname, 'page-client.ts');
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'browser',
    target: 'es2024',
  });
  return outputFiles[0]?.text ?? '';
}

/** Ana is signed in in this browser: her cookie goes along wherever it may. */
async function place(t: Test) {
  const script = await pageScript();
  const [named, other] = [await origin(t, script), await origin(t, script)];
  const { plane, ana } = await opened(t, {}, { allowOrigins: [named] });
  const { token }: { token: string } = await (
    await ana.api('POST', '/hubs/acme/tokens', { name: 'page', expiry: '30 days' })
  ).json();
  const browser = await openChromium();
  t.teardown(() => browser.close());
  const context = await browser.newContext();
  const cookies = [...ana.cookies].map(([name, { value, path }]) => ({ name, value, path, domain: '127.0.0.1' }));
  await context.addCookies(cookies);
  const at = async (address: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };
  return { plane, ana, token, named: await at(named), other: await at(other) };
}

type Init = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  credentials?: 'include';
  mode?: 'no-cors';
};

/** What a script of the page gets to read. */
function fetched(page: Page, url: string, init: Init = {}): Promise<string> {
  const ask = async ({ url, init }: { url: string; init: Init }): Promise<string> => {
    try {
      const response = await fetch(url, init);
      const told = response.headers.get('www-authenticate') ?? response.headers.get('x-request-id') ?? '';
      return `${response.status} ${told} ${await response.text()}`;
    } catch (error) {
      return String(error);
    }
  };
  return page.evaluate(ask, { url, init });
}

const refused = 'TypeError: Failed to fetch';

t.test('scripts of a named origin reach MCP and sign-in, those of another nothing, and none the API', async (t) => {
  const { plane, token, named, other } = await place(t);
  const authorization = `Bearer ${token}`;
  const media = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const call = { method: 'POST', headers: { ...media, authorization }, body: JSON.stringify(hello) };
  const agent = `${plane.url}/agent/mcp`;
  t.match(await fetched(named, agent, call), /^200 \S+ .*"protocolVersion"/s);
  t.match(
    await fetched(named, `${plane.url}/hub/acme/mcp`, { ...call, headers: media }),
    /^401 Bearer .*resource_metadata=/,
  );
  t.match(await fetched(named, `${plane.url}/hub/acme/.well-known/oauth-protected-resource`), /^200 .*"resource"/s);
  t.equal(await fetched(named, agent, { ...call, credentials: 'include' }), refused, 'never with cookies');
  t.equal(await fetched(named, agent, { ...call, headers: { ...call.headers, 'x-vp-proof': 'x' } }), refused);
  t.equal(await fetched(other, agent, call), refused);
  t.equal(await fetched(other, `${plane.url}/.well-known/oauth-authorization-server`), refused);
  for (const page of [named, other]) {
    for (const path of ['/api/v1/session', '/api/v1/hubs', '/api/v1/hubs/acme', '/healthz', '/v0/servers', '/']) {
      const url = `${plane.url}${path}`;
      t.equal(await fetched(page, url), refused, path);
      t.equal(await fetched(page, url, { credentials: 'include' }), refused, path);
      t.equal(await fetched(page, url, { headers: { authorization } }), refused, path);
      t.equal(await fetched(page, url, { credentials: 'include', mode: 'no-cors' }), refused, path);
    }
  }
});

t.test(
  'the official client in a page finds where to sign in, registers, and calls; elsewhere it gets nowhere',
  async (t) => {
    const { plane, ana, named, other } = await place(t);
    const url = `${plane.url}/hub/acme/mcp`;
    const asked: string = await named.evaluate(`begin(${JSON.stringify(url)})`);
    t.match(asked, `${plane.url}/oauth/authorize?`);
    const query = await landed(ana, { url: asked, verifier: '' });
    t.match(
      await named.evaluate(`finish(${JSON.stringify(url)}, ${JSON.stringify(String(query))})`),
      /^connected, \d+ tools/,
    );
    t.match(await other.evaluate(`begin(${JSON.stringify(url)})`), /Failed to fetch/);
  },
);

t.setTimeout(120_000);
