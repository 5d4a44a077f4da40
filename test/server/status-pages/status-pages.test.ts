import t, { type Test } from 'tap';
import { createServerHandlers } from '../../../src/server/app.ts';
import { createScenarioText, createTestReport } from '../../control/report-fixture.ts';
import { failingCheck } from '../../control/runs/run-history.ts';
import { inviteMember, setUpOwner } from '../test-browser.ts';
import { createVariantServer, origin, registerInstance, startHttpExecutor, startTestServer } from '../test-server.ts';

const base = '/api/v1/instances/sign-dev/status-pages';
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
const unknown = 'A'.repeat(43);

async function start(t: Test, options: Parameters<typeof startTestServer>[1] = {}) {
  const api = await startTestServer(t, options);
  const { executor_key: key } = await registerInstance(api);
  await api.ask('PUT', '/api/v1/instances/sign-dev/scenarios/RT-GET-document', { text: createScenarioText() });
  const executor = await startHttpExecutor(api, key);
  const run = async (result: 'passed' | 'failed'): Promise<void> => {
    await api.ask('POST', '/api/v1/instances/sign-dev/runs', { scenarios: [{ id: 'RT-GET-document' }] });
    const lease = await executor.poll();
    const report = createTestReport(lease, 'sign-dev', result);
    if (result === 'failed') report.checks.push({ ...failingCheck });
    report.started_at = new Date().toISOString();
    report.finished_at = report.started_at;
    await executor.complete(lease, report);
  };
  const create = async (input: object = {}) => {
    const body = { title: 'Shop <checkout>', until: inDays(30), ...input };
    const response = await api.ask('POST', base, body);
    t.equal(response.status, 201);
    const created: { status_page: { status_page_id: string }; url: string; badge_url: string } = await response.json();
    return { ...created, path: new URL(created.url).pathname };
  };
  /** Without a credential. */
  const read = (path: string, headers: Record<string, string> = {}) => api.ask('GET', path, undefined, null, headers);
  return { api, run, create, read };
}

t.test('a page is read without an account as HTML, JSON and a badge', async (t) => {
  const { run, create, read } = await start(t);
  const { url, badge_url: badgeUrl, path } = await create();
  t.ok(url.startsWith(`${origin}/status/`));
  t.equal(badgeUrl, `${url}/badge.svg`);
  await run('failed');
  const page = await read(path, { accept: 'text/html' });
  t.equal(page.status, 200);
  const html = await page.text();
  t.match(html, '<h1>Shop &lt;checkout&gt;</h1>');
  t.match(html, '1 of 1 failing');
  t.match(html, 'GET document: another response than expected');
  t.match(html, '<meta name="robots" content="noindex, nofollow">');
  t.notMatch(html, /<script|sign-dev|RT-GET|\/count|3100/);
  t.match(page.headers.get('content-security-policy'), /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/);
  t.equal(page.headers.get('x-robots-tag'), 'noindex, nofollow');
  t.equal(page.headers.get('cache-control'), 'private, max-age=10');
  for (const response of [await read(path, { accept: 'application/json' }), await read(`${path}.json`)])
    t.match(await response.json(), { title: 'Shop <checkout>', state: 'failing', counts: { failing: 1 } });
  t.match((await read(path)).headers.get('content-type'), 'text/html', 'a program that names neither gets the page');
  const badge = await read(`${path}/badge.svg`);
  t.equal(badge.headers.get('content-type'), 'image/svg+xml');
  t.equal(badge.headers.get('cross-origin-resource-policy'), 'cross-origin', 'other sites may show it');
  t.match(await badge.text(), 'aria-label="Shop &lt;checkout&gt;: 1 of 1 failing"');
});

t.test('what has not changed is not sent again', async (t) => {
  const { create, read } = await start(t);
  const { path } = await create();
  for (const address of [path, `${path}.json`, `${path}/badge.svg`]) {
    const etag = (await read(address)).headers.get('etag') ?? '';
    t.match(etag, /^W\/"[\w-]{27}"$/);
    const again = await read(address, { 'if-none-match': `"other", ${etag}` });
    t.equal(again.status, 304, address);
    t.equal(await again.text(), '');
  }
});

t.test('unknown, malformed, ended and revoked addresses cannot be told apart', async (t) => {
  const { api, create, read } = await start(t);
  const { path, status_page: page } = await create();
  t.equal((await api.ask('DELETE', `${base}/${page.status_page_id}`)).status, 204);
  const describe = async (address: string, accept: string) => {
    const response = await read(address, { accept });
    const headers = [...response.headers].filter(([name]) => name !== 'date');
    return { status: response.status, headers, body: await response.text() };
  };
  const others = [`/status/${unknown}`, '/status/x', `/status/${'x'.repeat(1000)}`];
  for (const [suffix, accept, status] of [
    ['', 'text/html', 404],
    ['', 'application/json', 404],
    ['.json', '*/*', 404],
    ['/badge.svg', 'image/*', 200],
  ] as const) {
    const revoked = await describe(`${path}${suffix}`, accept);
    t.equal(revoked.status, status);
    for (const other of others) t.same(await describe(`${other}${suffix}`, accept), revoked, `${other}${suffix}`);
  }
  t.match((await describe(path, 'application/json')).body, 'STATUS_PAGE_ABSENT');
  t.match((await describe(`${path}/badge.svg`, '')).body, 'status: unknown');
});

t.test('a browser gets the page of a status page for 404, not the console', async (t) => {
  const { api } = await start(t);
  const { handler } = createServerHandlers({ ...Object.create(null), ...api, clock: { monotonicMs: () => 0 } });
  const ask = async (path: string) =>
    (await handler(new Request(`${origin}${path}`, { headers: { accept: 'text/html' } }), {})).text();
  t.match(await ask(`/status/${unknown}`), 'There is no status page here');
  t.notMatch(await ask('/status'), 'There is no status page here');
});

t.test('readers of one network are limited, whether the address is right or not', async (t) => {
  const { api, create, read } = await start(t, { callRates: { statusPages: 3 } });
  const { path } = await create();
  for (const address of [path, `/status/${unknown}`, `${path}/badge.svg`]) t.not((await read(address)).status, 429);
  for (const address of [path, `/status/${unknown}`]) {
    const limited = await read(address);
    t.equal(limited.status, 429);
    t.ok(Number(limited.headers.get('retry-after')) > 0);
  }
  t.equal(api.security.filter(({ event }) => event === 'status_pages_limited').length, 1);
});

t.test('the security log says who made results public, and never the secret', async (t) => {
  const { api, create } = await start(t);
  const { path, status_page: page } = await create({ tags: ['http'], suite: 'main', stale_after_s: 3600 });
  const { status_page_id: id } = page;
  const until = inDays(60);
  t.match(await (await api.ask('PUT', `${base}/${id}`, { until })).json(), { until, tags: ['http'], suite: 'main' });
  t.match(await (await api.ask('GET', base)).json(), { items: [{ status_page_id: id, created_by: 'owner', until }] });
  await api.ask('DELETE', `${base}/${id}`);
  const own = { by: 'owner', instance: 'sign-dev', page: id };
  const events = api.security.filter(({ event }) => event.startsWith('status_page_'));
  t.match(events, [
    { event: 'status_page_created', ...own },
    { event: 'status_page_extended', ...own, until },
    { event: 'status_page_revoked', ...own },
  ]);
  t.notMatch(JSON.stringify([api.security, api.lines]), path.split('/')[2] ?? '');
});

t.test('a failure of the store does not bring the secret into the log', async (t) => {
  const { api, create } = await start(t);
  const { path } = await create();
  const findPublic = async () => Promise.reject(new Error('the disk is gone'));
  const control = { ...api.control, statusPages: { ...api.control.statusPages, findPublic } };
  const broken = createVariantServer({ ...api, control }, {});
  t.equal((await broken.ask('GET', path, undefined, null)).status, 500);
  t.match(broken.lines, [{ fields: { path: '/status/{secret}', method: 'GET' } }]);
  t.notMatch(JSON.stringify(broken.lines), path);
});

t.test('requests that cannot be a page are refused', async (t) => {
  const { api } = await start(t);
  const refuse = async (body: object) => (await api.ask('POST', base, body)).json();
  const page = { title: 'Shop', until: inDays(1) };
  t.match(await refuse({ ...page, until: inDays(400) }), { code: 'STATUS_PAGE_INVALID', status: 422 });
  t.match(await refuse({ title: 'Shop' }), { code: 'REQUEST_INVALID' }, 'the end is required');
  t.match(await refuse({ ...page, title: '' }), { code: 'REQUEST_INVALID' });
  t.match(await refuse({ ...page, title: 'x'.repeat(81) }), { code: 'REQUEST_INVALID' });
  t.match(await refuse({ ...page, stale_after_s: 1 }), { code: 'REQUEST_INVALID' });
  t.match(await refuse({ ...page, secret: unknown }), { code: 'REQUEST_INVALID' });
  t.match(await (await api.ask('PUT', `${base}/none`, { until: inDays(1) })).json(), { code: 'STATUS_PAGE_UNKNOWN' });
});

t.test('a viewer, and a member without the instance, read the list and publish nothing', async (t) => {
  const { api, create } = await start(t);
  const { status_page: page } = await create();
  const owner = await setUpOwner(api);
  for (const role of ['viewer', 'member'] as const) {
    const person = await inviteMember(api, owner, role, role);
    t.equal((await person.ask('GET', base)).status, 200);
    const refused = [
      await person.ask('POST', base, { title: 'x', until: inDays(1) }),
      await person.ask('PUT', `${base}/${page.status_page_id}`, { until: inDays(1) }),
      await person.ask('DELETE', `${base}/${page.status_page_id}`),
    ];
    t.same(
      refused.map(({ status }) => status),
      [403, 403, 403],
      role,
    );
  }
});
