/** Pages of other origins in Chromium: what their scripts can reach from an allowed origin and from another one. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { completeAuthorization } from '../oauth/oauth-client.ts';
import { startHubControlPlane } from '../server/oauth/hub-client.ts';
import { getPort } from '../targets/raw-target.ts';
import { openChromium } from './chromium.ts';

const initializeMessage = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
};

/** Starts another origin on this machine whose page contains the official MCP client. */
async function startOrigin(t: Test, script: string): Promise<string> {
  const server = createServer(({ url }, response) => {
    response.setHeader('Content-Type', url === '/client.js' ? 'text/javascript' : 'text/html');
    response.end(url === '/client.js' ? script : '<!doctype html><script src="/client.js"></script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${getPort(server)}`;
}

async function bundlePageScript(): Promise<string> {
  const entry = join(import.meta.dirname, 'browser-mcp-client.ts');
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'browser',
    target: 'es2024',
  });
  return outputFiles[0]?.text ?? '';
}

/** Ana is signed in in this browser, so her cookies are sent wherever the browser allows it. */
async function startPages(t: Test) {
  const script = await bundlePageScript();
  const [allowedPage, otherPage] = [await startOrigin(t, script), await startOrigin(t, script)];
  const { plane, ana } = await startHubControlPlane(t, {}, { allowOrigins: [allowedPage] });
  const { token }: { token: string } = await (
    await ana.api('POST', '/hubs/acme/tokens', { name: 'page', expiry: '30 days' })
  ).json();
  const browser = await openChromium();
  t.teardown(() => browser.close());
  const context = await browser.newContext();
  const cookies = [...ana.cookies].map(([name, { value, path }]) => ({ name, value, path, domain: '127.0.0.1' }));
  await context.addCookies(cookies);
  const openPage = async (address: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };
  return { plane, ana, token, allowedPage: await openPage(allowedPage), otherPage: await openPage(otherPage) };
}

type Init = {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  credentials?: 'include';
  mode?: 'no-cors';
};

/** Returns what a script of the page can read of a response. */
function fetchInPage(page: Page, url: string, init: Init = {}): Promise<string> {
  const ask = async ({ url, init }: { url: string; init: Init }): Promise<string> => {
    try {
      const response = await fetch(url, init);
      const header = response.headers.get('www-authenticate') ?? response.headers.get('x-request-id') ?? '';
      return `${response.status} ${header} ${await response.text()}`;
    } catch (error) {
      return String(error);
    }
  };
  return page.evaluate(ask, { url, init });
}

const fetchFailure = 'TypeError: Failed to fetch';

t.test(
  'scripts of an allowed origin reach MCP and sign-in, those of another origin nothing, and none the API',
  async (t) => {
    const { plane, token, allowedPage, otherPage } = await startPages(t);
    const authorization = `Bearer ${token}`;
    const media = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const call = { method: 'POST', headers: { ...media, authorization }, body: JSON.stringify(initializeMessage) };
    const agent = `${plane.url}/agent/mcp`;
    t.match(await fetchInPage(allowedPage, agent, call), /^200 \S+ .*"protocolVersion"/s);
    t.match(
      await fetchInPage(allowedPage, `${plane.url}/hub/acme/mcp`, { ...call, headers: media }),
      /^401 Bearer .*resource_metadata=/,
    );
    t.match(
      await fetchInPage(allowedPage, `${plane.url}/hub/acme/.well-known/oauth-protected-resource`),
      /^200 .*"resource"/s,
    );
    t.equal(
      await fetchInPage(allowedPage, agent, { ...call, credentials: 'include' }),
      fetchFailure,
      'never with cookies',
    );
    t.equal(
      await fetchInPage(allowedPage, agent, { ...call, headers: { ...call.headers, 'x-vp-proof': 'x' } }),
      fetchFailure,
    );
    t.equal(await fetchInPage(otherPage, agent, call), fetchFailure);
    t.equal(await fetchInPage(otherPage, `${plane.url}/.well-known/oauth-authorization-server`), fetchFailure);
    for (const page of [allowedPage, otherPage]) {
      for (const path of ['/api/v1/session', '/api/v1/hubs', '/api/v1/hubs/acme', '/healthz', '/v0/servers', '/']) {
        const url = `${plane.url}${path}`;
        t.equal(await fetchInPage(page, url), fetchFailure, path);
        t.equal(await fetchInPage(page, url, { credentials: 'include' }), fetchFailure, path);
        t.equal(await fetchInPage(page, url, { headers: { authorization } }), fetchFailure, path);
        t.equal(await fetchInPage(page, url, { credentials: 'include', mode: 'no-cors' }), fetchFailure, path);
      }
    }
  },
);

t.test(
  'the official client in a page discovers the authorization server, registers and calls; from another origin it fails',
  async (t) => {
    const { plane, ana, allowedPage, otherPage } = await startPages(t);
    const url = `${plane.url}/hub/acme/mcp`;
    const authorizationUrl: string = await allowedPage.evaluate(`start(${JSON.stringify(url)})`);
    t.match(authorizationUrl, `${plane.url}/oauth/authorize?`);
    const query = await completeAuthorization(ana, { url: authorizationUrl, verifier: '' });
    t.match(
      await allowedPage.evaluate(`finish(${JSON.stringify(url)}, ${JSON.stringify(String(query))})`),
      /^connected, \d+ tools/,
    );
    t.match(await otherPage.evaluate(`start(${JSON.stringify(url)})`), /Failed to fetch/);
  },
);
