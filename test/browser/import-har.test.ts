/** A HAR file as Chromium records it: two hundred calls of a page, imported, run against the application, and proven. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { createWorkspace } from '../commands/test-workspace.ts';
import { importTexts } from '../import/import-text.ts';
import { openChromium } from './chromium.ts';

const calls = 200;

/** A page that signs in and works with orders; each start has other tokens and ids. */
function createShop() {
  let token = '';
  let count = 0;
  const orders = new Map<string, object>();
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://shop');
    const answer = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (url.pathname === '/') {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<title>Shop</title><link rel="icon" href="data:,">');
      return;
    }
    if (url.pathname === '/api/login') {
      token = `token-${crypto.randomUUID()}`;
      answer(200, { token });
      return;
    }
    if (request.headers.authorization !== `Bearer ${token}`) {
      answer(401, { error: 'sign in' });
      return;
    }
    if (request.method === 'POST') {
      count += 1;
      const id = `order-${crypto.randomUUID()}`;
      orders.set(id, { id, state: 'open', number: count, created_at: new Date().toISOString() });
      answer(201, orders.get(id));
      return;
    }
    const order = orders.get(url.pathname.replace('/api/orders/', ''));
    answer(order ? 200 : 404, order ?? { error: 'no such order' });
  });
}

t.test('what a browser recorded becomes scenarios that pass on another day, with other tokens and ids', async (t) => {
  const server = createShop().listen(0, '127.0.0.1');
  t.teardown(() => server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { folder, vp, write } = createWorkspace(t, origin);
  const browser = await openChromium();
  t.teardown(() => browser.close());
  const har = join(folder, 'session.har');
  const context = await browser.newContext({ recordHar: { path: har, content: 'embed' } });
  const page = await context.newPage();
  await page.goto(origin);
  await page.evaluate(async (total: number) => {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const login = await fetch('/api/login', {
      ...post,
      body: JSON.stringify({ user: 'bob', password: 'geheim-4711' }),
    });
    const { token } = await login.json();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    for (let index = 0; index < (total - 1) / 2; index += 1) {
      const created = await fetch('/api/orders', {
        method: 'POST',
        headers,
        body: JSON.stringify({ item: `lamp ${index}` }),
      });
      const { id } = await created.json();
      await fetch(`/api/orders/${id}`, { headers });
    }
  }, calls);
  await context.close();

  const recording = readFileSync(har, 'utf8');
  const { scenarios, untranslated, variables, text } = await importTexts(t, 'har', { 'session.har': recording });
  t.equal(scenarios.length, calls + 1, 'every call');
  t.match(untranslated, [{ reason: /a page, image/ }]);
  t.same(variables, [{ name: 'PASSWORD', isSecret: true }]);
  const read = scenarios.find(({ id }) => id.startsWith('RT-GET-'));
  t.match(
    text(read?.id ?? ''),
    /- capture token = body\.token\n[\s\S]+- capture order_id = body\.id\n[\s\S]+GET \$\{INGESTION_URL\}\/api\/orders\/\$\{order_id/,
  );
  const all = scenarios.map((scenario) => scenario.text).join('\n');
  t.notMatch(all, /geheim-4711|token-[0-9a-f]{8}|order-[0-9a-f]{8}/, 'neither secrets nor values of the recording');

  t.equal((await vp(['import', 'har', 'session.har', '--test-dir', 'scenarios'])).code, 0);
  const config = `project: {name: shop}\ntargets: {http: {base_url: "${origin}"}}\nscenarios: {variables: [PASSWORD]}\n`;
  write('product/platform-config.yaml', config);
  write('product/.env', 'PASSWORD=geheim-4711\n');
  const proof = await vp(['prove', '--local', String(read?.id), '--test-dir', 'scenarios']);
  t.equal(proof.code, 0, proof.stdout + proof.stderr);
});
