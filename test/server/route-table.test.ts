/** The route table: complete, closed lists of open routes, and every route with every caller of identity/authorization.ts. */
import { globSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { createApp } from '../../src/http/create-app.ts';
import { anyoneAction } from '../../src/http/route.ts';
import { authorizationTable, callerKinds, isAction } from '../../src/identity/authorization.ts';
import { createServerApp } from '../../src/server/app.ts';
import type { ServerRoute } from '../../src/server/route.ts';
import { mountedPaths, serverRoutes } from '../../src/server/route-table.ts';
import { createMemoryLog } from '../http/memory-log.ts';
import { startCompleteServer } from './complete-server.ts';
import { createAgentToken, createApiKey, createBrowser, inviteMember, setUpOwner } from './test-browser.ts';
import { registerInstance, startTestServer, type TestServer } from './test-server.ts';

/** Routes that need no credential: the whole list (ARCHITECTURE.md, credentials). */
const openRoutes = [
  'GET /api/v1/sign-in-options',
  'GET /api/v1/setup',
  'POST /api/v1/setup',
  'POST /api/v1/setup/look-up',
  'POST /api/v1/session',
  'GET /api/v1/single-sign-on',
  'POST /api/v1/single-sign-on',
  'POST /api/v1/single-sign-on/password',
  'POST /api/v1/password-reset/look-up',
  'POST /api/v1/password-reset',
  'POST /api/v1/invitations/look-up',
  'POST /api/v1/invitations/accept',
  'GET /hubs/sign-in/client.json',
  'GET /hubs/sign-in',
  'POST /mcp',
  'GET /mcp',
  'DELETE /mcp',
  ...['/v0', '/v0.1'].flatMap((root) => [
    `GET ${root}/servers`,
    `GET ${root}/servers/{name}/versions`,
    `GET ${root}/servers/{name}/versions/{version}`,
    `POST ${root}/auth/dns`,
    `PUT ${root}/servers/{name}/versions/{version}`,
    `DELETE ${root}/servers/{name}/versions/{version}`,
    `GET ${root}/health`,
    `GET ${root}/ping`,
    `GET ${root}/version`,
  ]),
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
  'GET /status/{secret}',
  'GET /status/{secret}/badge.svg',
  'GET /healthz',
  'GET /readyz',
  'GET /schemas/hub-file.json',
];

/** Routes whose handlers verify a credential of their own: the whole list, with a body for those that need one. */
const ownCredentialRoutes: Readonly<Record<string, object | undefined>> = {
  'POST /api/v1/instances/{instance}/schedules/{schedule}/webhook': {},
  'POST /agent/mcp': {},
  'GET /agent/mcp': undefined,
  'DELETE /agent/mcp': undefined,
  'POST /hub/{slug}/mcp': {},
  'GET /hub/{slug}/mcp': undefined,
  'DELETE /hub/{slug}/mcp': undefined,
  'POST /memory/mcp': {},
  'POST /memory/hub/{slug}/mcp': {},
  'POST /v0/publish': {},
  'PATCH /v0/servers/{name}/versions/{version}/status': { status: 'active' },
  'PATCH /v0/servers/{name}/status': { status: 'active' },
  'POST /v0.1/publish': {},
  'PATCH /v0.1/servers/{name}/versions/{version}/status': { status: 'active' },
  'PATCH /v0.1/servers/{name}/status': { status: 'active' },
};

/** Routes that refuse API keys by a rule of their own: CONNECTION_SIGN_IN_BROWSER. */
const browserOnlyRoutes = ['POST /api/v1/hubs/{hub}/connections/{connection}/sign-in'];

const nameRoute = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

t.test('every route has an action of the table, and only the listed ones are open', async (t) => {
  const unknown = serverRoutes.filter(({ action }) => action !== anyoneAction && !isAction(action));
  t.same(unknown, []);
  const withoutAction = serverRoutes.filter(({ action }) => action === anyoneAction);
  t.same(
    withoutAction
      .filter(({ credential }) => credential === undefined)
      .map(nameRoute)
      .sort(),
    [...openRoutes].sort(),
  );
  t.same(
    withoutAction
      .filter(({ credential }) => credential !== undefined)
      .map(nameRoute)
      .sort(),
    Object.keys(ownCredentialRoutes).sort(),
  );
  const used = new Set(serverRoutes.map(({ action }) => action));
  t.same(
    Object.keys(authorizationTable).filter((action) => !used.has(action)),
    [],
    'no action is unused',
  );
});

t.test('only the OAuth server, the console and the documentation are served outside of the routes', async (t) => {
  t.same(
    mountedPaths.map(({ name, paths }) => [name, paths]),
    [
      ['OAuth server', ['/oauth/*', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']],
      [
        'web console',
        [
          '/assets/*',
          '/',
          '/hubs/*',
          '/instances/*',
          '/registry/*',
          '/reset-password/*',
          '/runs/*',
          '/settings/*',
        ].concat(['/sign-in/*', '/single-sign-on/*', '/setup/*', '/invitation/*', '/device/*', '/interaction/*']),
      ],
      ['documentation', ['/docs', '/docs/*']],
    ],
  );
  const shadowed = serverRoutes.filter(({ method, path }) =>
    mountedPaths.some((mounted) => mounted.methods.includes(method) && mounted.accepts(path.replaceAll(/[{}]/g, ''))),
  );
  t.same(shadowed.map(nameRoute), [], 'no route is hidden behind them');
});

t.test('the app serves the routes of the table and no others', async (t) => {
  const app = createServerApp({
    ...Object.create(null),
    control: { changes: { onCommit: () => undefined } },
    clock: systemClock,
  });
  const served = app.routes.filter(({ method }) => method !== 'ALL');
  t.same(
    served.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    serverRoutes.map(nameRoute),
  );
  const known = new Set(serverRoutes.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1')));
  t.same(
    app.routes.filter(({ method, path }) => method === 'ALL' && !known.has(path)),
    [],
  );
});

t.test('every list of routes in the source is part of the table', async (t) => {
  const listed = new Set<unknown>(serverRoutes);
  let count = 0;
  for (const file of globSync('src/server/**/*.ts')) {
    const exports: Record<string, unknown> = await import(pathToFileURL(file).href);
    for (const [name, value] of Object.entries(exports)) {
      const routes = (Array.isArray(value) ? value : [value]).filter(isRoute);
      count += routes.length;
      t.same(routes.filter((route) => !listed.has(route)).map(nameRoute), [], `${name} of ${file}`);
    }
  }
  t.ok(count > serverRoutes.length);
});

function isRoute(value: unknown): value is ServerRoute {
  return typeof value === 'object' && value !== null && 'serve' in value && 'path' in value;
}

t.test('actions that may be limited to one’s own instances stand on routes that name an instance', async (t) => {
  const limitedFor = (columns: readonly string[]) =>
    serverRoutes.filter(
      ({ action }) =>
        isAction(action) &&
        Object.entries(authorizationTable[action]).some(
          ([column, scope]) => scope === 'own' && columns.includes(column),
        ),
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
    ofAgents.filter(({ path, filtersByCaller }) => !/\{(instance|run)\}/.test(path) && !filtersByCaller),
    [],
    'or a run, or narrow their answer',
  );
});

type SendRequest = (method: string, path: string, body?: object) => Promise<Response>;

/** One caller of each kind; `owner key` is that of a control plane without accounts. */
async function callers(
  api: TestServer,
  freshServer: TestServer,
): Promise<Record<string, { column: string; send: SendRequest; browser: boolean; instance?: string }>> {
  const ana = await setUpOwner(api);
  const [max, vic] = [await inviteMember(api, ana, 'Max', 'member'), await inviteMember(api, ana, 'Vic', 'viewer')];
  const { executor_key: executor } = await api.control.instances.create({ instance_id: 'ex' }, { name: 'x' });
  const agent = async (role: 'test' | 'product') => ({
    ...byKey(`${role}_agent`, await createAgentToken(ana, 'ex', role)),
    instance: 'ex',
  });
  const byKey = (column: string, key: string, server = api) => ({
    column,
    browser: false,
    send: (method: string, path: string, body?: object) => server.ask(method, path, body, key),
  });
  const inBrowser = (column: string, personBrowser: typeof ana) => ({
    column,
    browser: true,
    send: (method: string, path: string, body?: object) => personBrowser.ask(method, path, body),
  });
  await api.control.instances.create({ instance_id: 'machine' }, { name: 'x' });
  const forMachine = await ana.ask('POST', '/api/v1/instances/machine/machine-key');
  return {
    'owner in a browser': inBrowser('owner', ana),
    'member in a browser': inBrowser('member', max),
    'viewer in a browser': inBrowser('viewer', vic),
    'key of an owner': byKey('owner', await createApiKey(ana, 'owner')),
    'member key of an owner': byKey('member', await createApiKey(ana, 'member')),
    'viewer key of a member': byKey('viewer', await createApiKey(max, 'viewer')),
    'owner key': byKey('key', freshServer.owner, freshServer),
    'test agent': await agent('test'),
    'product agent': await agent('product'),
    machine: { ...byKey('machine', (await forMachine.json()).machine_key), instance: 'machine' },
    executor: byKey('executor', executor),
    scrape: byKey('scrape', api.scrape),
  };
}

t.test('every route accepts exactly the callers of its row, and none without a credential', async (t) => {
  const api = await startCompleteServer(t);
  const freshServer = await startCompleteServer(t);
  const callersByName = await callers(api, freshServer);
  t.same(
    new Set(Object.values(callersByName).map(({ column }) => column)),
    new Set(callerKinds),
    'one for each column at least',
  );
  // Routes that invalidate the caller come last.
  const isLast = (operation: string) => ['signOut', 'deleteInstance'].includes(operation);
  const routes = serverRoutes.filter(({ operation }) => !isLast(operation));
  const last = serverRoutes.filter(({ operation }) => isLast(operation));
  for (const { method, path, action, credential } of [...routes, ...last]) {
    if (credential !== undefined) continue;
    const buildUrl = (instance = 'nothing') => path.replace('{instance}', instance).replaceAll(/\{\w+\}/g, 'nothing');
    const response = await createBrowser(api).ask(method, buildUrl());
    await response.body?.cancel();
    t.equal(
      response.status === 401,
      action !== anyoneAction,
      `${method} ${path} without a credential: ${response.status}`,
    );
    if (!isAction(action)) continue;
    const row: Record<string, unknown> = authorizationTable[action];
    for (const [name, caller] of Object.entries(callersByName)) {
      const { status, body } = await caller.send(method, buildUrl(caller.instance));
      await body?.cancel();
      const isBrowserNeeded = row.sessionOnly || browserOnlyRoutes.includes(`${method} ${path}`);
      const isAllowed = row[caller.column] !== undefined && (caller.browser || !isBrowserNeeded);
      t.equal(status !== 403 && status !== 401, isAllowed, `${method} ${path} as ${name}: ${status}`);
    }
  }
});

t.test('routes with a credential of their own accept no other', async (t) => {
  const api = await startCompleteServer(t);
  const callersByName = await callers(api, await startCompleteServer(t));
  for (const [name, body] of Object.entries(ownCredentialRoutes)) {
    const [method = '', template = ''] = name.split(' ');
    const path = template.replaceAll(/\{\w+\}/g, 'nothing');
    t.equal((await api.ask(method, path, body, null)).status, 401, `${name} without a credential`);
    t.equal((await api.ask(method, path, body, 'unknown')).status, 401, `${name} with an unknown token`);
    for (const [caller, { send }] of Object.entries(callersByName))
      t.equal((await send(method, path, body)).status, 401, `${name} as ${caller}`);
  }
});

t.test('an instance is changed by its person and by owners, and used by members', async (t) => {
  const api = await startTestServer(t);
  const ana = await setUpOwner(api);
  const max = await inviteMember(api, ana, 'Max', 'member');
  const eve = await inviteMember(api, ana, 'Eve', 'member');
  const response = await max.ask('POST', '/api/v1/instances', { instance_id: 'of-max' });
  t.equal(response.status, 201);
  const { instance } = await response.json();
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

t.test('changes are recorded with the person’s name', async (t) => {
  const api = await startTestServer(t);
  const ana = await setUpOwner(api);
  await ana.ask('POST', '/api/v1/instances', { instance_id: 'a' });
  const { createScenarioText: aScenario } = await import('../control/report-fixture.ts');
  const written = await ana.ask('PUT', '/api/v1/instances/a/scenarios/RT-GET-document', { text: aScenario() });
  t.equal((await written.json()).updated_by, 'Ana');
  const key = await createApiKey(ana, 'member');
  const body = { scenarios: [{ id: 'RT-GET-document' }] };
  const requested = await api.ask('POST', '/api/v1/instances/a/runs', body, key);
  t.equal((await requested.json()).runs[0].requested_by, 'Ana');
});

t.test('an instance of a removed person has no owner', async (t) => {
  const api = await startTestServer(t);
  const ana = await setUpOwner(api);
  const max = await inviteMember(api, ana, 'Max', 'member');
  await max.ask('POST', '/api/v1/instances', { instance_id: 'of-max' });
  const { items } = await (await ana.ask('GET', '/api/v1/people')).json();
  const { person_id: id } = items.find(({ name }: { name: string }) => name === 'Max');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${id}`)).status, 204);
  t.equal((await (await ana.ask('GET', '/api/v1/instances/of-max')).json()).owner, null);
});

t.test('malformed and unknown credentials are refused', async (t) => {
  const api = await startTestServer(t);
  const credentials = [
    `Basic ${btoa(`x:${api.owner}`)}`,
    api.owner,
    `Bearer ${api.owner}x`,
    'Bearer',
    `Bearer ${'x'.repeat(5000)}`,
    `Bearer vpk_${'x'.repeat(43)}`,
  ];
  for (const authorization of credentials) {
    const response = await api.ask('GET', '/api/v1/runs', undefined, null, { authorization });
    t.equal(response.status, 401);
    t.match(response.headers.get('www-authenticate'), /^Bearer realm="vp", error="invalid_token"/);
    t.equal((await response.json()).code, 'CREDENTIAL_INVALID');
  }
  const inQuery = await api.ask('GET', `/api/v1/runs?access_token=${api.owner}`, undefined, null);
  t.equal((await inQuery.json()).code, 'CREDENTIAL_MISSING');
});

t.test('a refused caller does not learn whether an instance exists', async (t) => {
  const api = await startTestServer(t);
  const { executor_key } = await registerInstance(api);
  const known = await (await api.ask('GET', '/api/v1/instances/sign-dev', undefined, executor_key)).json();
  const unknown = await (await api.ask('GET', '/api/v1/instances/nothing', undefined, executor_key)).json();
  t.same(known, unknown);
  t.equal(known.code, 'CREDENTIAL_INSUFFICIENT');
});

t.test('a route without an action, and two routes for one path, are refused at creation', async (t) => {
  const { log } = createMemoryLog();
  const clock = { monotonicMs: () => 0 };
  const [route] = serverRoutes;
  if (!route) throw new Error('there are routes');
  const identify = async () => ({ kind: 'owner' }) as const;
  const make = (routes: typeof serverRoutes) => () =>
    createApp({ routes, services: Object.create(null), identify, clock, log });
  t.throws(make([{ ...route, action: '' }]), /does not say who may call it/);
  t.throws(make([route, route]), /is listed twice/);
});
