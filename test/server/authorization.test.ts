/** Every route with every caller, held against the table of identity/authorization.ts. */
import t from 'tap';
import { createApp } from '../../src/http/app.ts';
import { anyone } from '../../src/http/route.ts';
import { authorization, columns, isAction } from '../../src/identity/authorization.ts';
import { serverRoutes } from '../../src/server/routes.ts';
import { keptLog } from '../http/kept-log.ts';
import { agentToken, apiKey, browser, invite, setUp } from './browser.ts';
import { register, type Served, served } from './served.ts';

/** Routes that need no credential: the whole list (ARCHITECTURE.md, credentials). */
const open = [
  'GET /api/v1/sign-in-options',
  'GET /api/v1/setup',
  'POST /api/v1/setup',
  'POST /api/v1/session',
  'GET /api/v1/single-sign-on',
  'POST /api/v1/single-sign-on',
  'POST /api/v1/single-sign-on/password',
  'POST /api/v1/password-reset/look-up',
  'POST /api/v1/password-reset',
  'POST /api/v1/invitations/look-up',
  'POST /api/v1/invitations/accept',
  'GET /hub/{slug}/.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/hub/{slug}',
  'GET /.well-known/oauth-protected-resource/hub/{slug}/mcp',
  'GET /memory/hub/{slug}/.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/memory/hub/{slug}',
  'GET /.well-known/oauth-protected-resource/memory/hub/{slug}/mcp',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  'POST /oauth/register',
  'GET /api/v1/interactions/{uid}',
  'GET /healthz',
  'GET /readyz',
];

t.test('every route names an action of the table, and only the listed ones are open', async (t) => {
  const unknown = serverRoutes.filter(({ action }) => action !== anyone && !isAction(action));
  t.same(unknown, []);
  t.same(
    serverRoutes.filter(({ action }) => action === anyone).map(({ method, path }) => `${method} ${path}`),
    open,
  );
  const used = new Set(serverRoutes.map(({ action }) => action));
  t.same(
    Object.keys(authorization).filter((action) => !used.has(action)),
    [],
    'no action is there for nothing',
  );
});

t.test('actions that may be limited to one’s own instances stand on routes that name an instance', async (t) => {
  const limitedFor = (columns: readonly string[]) =>
    serverRoutes.filter(
      ({ action }) =>
        isAction(action) &&
        Object.entries(authorization[action]).some(([column, scope]) => scope === 'own' && columns.includes(column)),
    );
  const ofPeople = limitedFor(['owner', 'member', 'viewer', 'key']);
  t.ok(ofPeople.length > 3);
  t.same(
    ofPeople.filter(({ path }) => !path.includes('{instance}')),
    [],
  );
  const ofAgents = limitedFor(['test_agent', 'product_agent', 'machine']);
  t.ok(ofAgents.length > 10);
  t.same(
    ofAgents.filter(({ path, narrows }) => !/\{(instance|run)\}/.test(path) && !narrows),
    [],
    'or a run, or narrow their answer',
  );
});

type Ask = (method: string, path: string) => Promise<Response>;

/** One of each; `owner key` is that of a control plane without accounts. */
async function callers(
  api: Served,
  fresh: Served,
): Promise<Record<string, { column: string; ask: Ask; browser: boolean; instance?: string }>> {
  const ana = await setUp(api);
  const [max, vic] = [await invite(api, ana, 'Max', 'member'), await invite(api, ana, 'Vic', 'viewer')];
  const { executor_key: executor } = await api.control.instances.create({ instance_id: 'ex' }, { name: 'x' });
  const agent = async (role: 'test' | 'product') => ({
    ...byKey(`${role}_agent`, await agentToken(ana, 'ex', role)),
    instance: 'ex',
  });
  const byKey = (column: string, key: string, at = api) => ({
    column,
    browser: false,
    ask: (method: string, path: string) => at.ask(method, path, undefined, key),
  });
  const inBrowser = (column: string, one: typeof ana) => ({
    column,
    browser: true,
    ask: (method: string, path: string) => one.ask(method, path),
  });
  await api.control.instances.create({ instance_id: 'machine' }, { name: 'x' });
  const forMachine = await ana.ask('POST', '/api/v1/instances/machine/machine-key');
  return {
    'owner in a browser': inBrowser('owner', ana),
    'member in a browser': inBrowser('member', max),
    'viewer in a browser': inBrowser('viewer', vic),
    'key of an owner': byKey('owner', await apiKey(ana, 'owner')),
    'member key of an owner': byKey('member', await apiKey(ana, 'member')),
    'viewer key of a member': byKey('viewer', await apiKey(max, 'viewer')),
    'owner key': byKey('key', fresh.owner, fresh),
    'test agent': await agent('test'),
    'product agent': await agent('product'),
    machine: { ...byKey('machine', (await forMachine.json()).machine_key), instance: 'machine' },
    executor: byKey('executor', executor),
    scrape: byKey('scrape', api.scrape),
  };
}

t.test('every route answers exactly the callers of its row, and nobody without a credential', async (t) => {
  const api = await served(t);
  const fresh = await served(t);
  const all = await callers(api, fresh);
  t.same(new Set(Object.values(all).map(({ column }) => column)), new Set(columns), 'one for each column at least');
  // What ends the caller itself comes last.
  const isLast = (operation: string) => ['signOut', 'deleteInstance'].includes(operation);
  const routes = serverRoutes.filter(({ operation }) => !isLast(operation));
  const last = serverRoutes.filter(({ operation }) => isLast(operation));
  for (const { method, path, action } of [...routes, ...last]) {
    const urlOf = (instance = 'nothing') => path.replace('{instance}', instance).replaceAll(/\{\w+\}/g, 'nothing');
    const without = await browser(api).ask(method, urlOf());
    await without.body?.cancel();
    t.equal(without.status === 401, action !== anyone, `${method} ${path} without a credential: ${without.status}`);
    if (!isAction(action)) continue;
    const row: Record<string, unknown> = authorization[action];
    for (const [name, caller] of Object.entries(all)) {
      const { status, body } = await caller.ask(method, urlOf(caller.instance));
      await body?.cancel();
      const meant = row[caller.column] !== undefined && (caller.browser || !row.sessionOnly);
      t.equal(status !== 403 && status !== 401, meant, `${method} ${path} as ${name}: ${status}`);
    }
  }
});

t.test('an instance is changed by the person whom it belongs to and by owners, and used by members', async (t) => {
  const api = await served(t);
  const ana = await setUp(api);
  const max = await invite(api, ana, 'Max', 'member');
  const eve = await invite(api, ana, 'Eve', 'member');
  const made = await max.ask('POST', '/api/v1/instances', { instance_id: 'of-max' });
  t.equal(made.status, 201);
  const { instance } = await made.json();
  t.equal(instance.owner.name, 'Max');
  for (const [method, path] of [
    ['DELETE', '/api/v1/instances/of-max'],
    ['POST', '/api/v1/instances/of-max/executor-key'],
    ['PUT', '/api/v1/instances/of-max/scenarios/RT-GET-a'],
    ['DELETE', '/api/v1/instances/of-max/scenarios/RT-GET-a'],
  ] as const) {
    const refused = await eve.ask(method, path);
    t.equal(refused.status, 403, `${method} ${path}`);
    t.match(await refused.json(), { code: 'INSTANCE_FOREIGN', detail: /belongs to Max/ });
  }
  const run = await eve.ask('POST', '/api/v1/instances/of-max/runs', { scenarios: [] });
  t.equal(run.status, 400, 'a run is allowed, were the request right');
  t.equal((await max.ask('POST', '/api/v1/instances/of-max/executor-key')).status, 201);
  t.equal((await ana.ask('DELETE', '/api/v1/instances/of-max')).status, 204);
  t.match(await (await eve.ask('DELETE', '/api/v1/instances/nothing')).json(), { code: 'INSTANCE_UNKNOWN' });
});

t.test('what a person does bears their name', async (t) => {
  const api = await served(t);
  const ana = await setUp(api);
  await ana.ask('POST', '/api/v1/instances', { instance_id: 'a' });
  const { aScenario } = await import('../control/a-report.ts');
  const written = await ana.ask('PUT', '/api/v1/instances/a/scenarios/RT-GET-document', { text: aScenario() });
  t.equal((await written.json()).updated_by, 'Ana');
  const key = await apiKey(ana, 'member');
  const body = { scenarios: [{ id: 'RT-GET-document' }] };
  const requested = await api.ask('POST', '/api/v1/instances/a/runs', body, key);
  t.equal((await requested.json()).runs[0].requested_by, 'Ana');
});

t.test('an instance whose owner is gone belongs to nobody in particular', async (t) => {
  const api = await served(t);
  const ana = await setUp(api);
  const max = await invite(api, ana, 'Max', 'member');
  await max.ask('POST', '/api/v1/instances', { instance_id: 'of-max' });
  const { items } = await (await ana.ask('GET', '/api/v1/people')).json();
  const { person_id: id } = items.find(({ name }: { name: string }) => name === 'Max');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${id}`)).status, 204);
  t.equal((await (await ana.ask('GET', '/api/v1/instances/of-max')).json()).owner, null);
});

t.test('what only looks like a credential opens nothing', async (t) => {
  const api = await served(t);
  const tries = [
    `Basic ${btoa(`x:${api.owner}`)}`,
    api.owner,
    `Bearer ${api.owner}x`,
    'Bearer',
    `Bearer ${'x'.repeat(5000)}`,
    `Bearer vpk_${'x'.repeat(43)}`,
  ];
  for (const authorization of tries) {
    const response = await api.ask('GET', '/api/v1/runs', undefined, null, { authorization });
    t.equal(response.status, 401);
    t.match(response.headers.get('www-authenticate'), /^Bearer realm="vp", error="invalid_token"/);
    t.equal((await response.json()).code, 'CREDENTIAL_INVALID');
  }
  const inQuery = await api.ask('GET', `/api/v1/runs?access_token=${api.owner}`, undefined, null);
  t.equal((await inQuery.json()).code, 'CREDENTIAL_MISSING');
});

t.test('a refused caller learns nothing of what is behind', async (t) => {
  const api = await served(t);
  const { executor_key } = await register(api);
  const known = await (await api.ask('GET', '/api/v1/instances/sign-dev', undefined, executor_key)).json();
  const unknown = await (await api.ask('GET', '/api/v1/instances/nothing', undefined, executor_key)).json();
  t.same(known, unknown);
  t.equal(known.code, 'CREDENTIAL_INSUFFICIENT');
});

t.test('a route without an action, and two routes for one path, stop the app from being made', async (t) => {
  const { log } = keptLog();
  const clock = { monotonicMs: () => 0 };
  const [route] = serverRoutes;
  if (!route) throw new Error('there are routes');
  const identify = async () => ({ kind: 'owner' }) as const;
  const make = (routes: typeof serverRoutes) => () =>
    createApp({ routes, services: Object.create(null), identify, clock, log });
  t.throws(make([{ ...route, action: '' }]), /does not say who may call it/);
  t.throws(make([route, route]), /is listed twice/);
});
