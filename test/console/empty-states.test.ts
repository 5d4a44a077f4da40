/** Every page without content says what is left to do, in commands only for readers who have a command line of vp. */
import { type ComponentType, createElement } from 'react';
import t, { type Test } from 'tap';
import { addControlPlane } from '../../src/console/components/command-line.tsx';
import type { Hub } from '../../src/contract/hubs/hubs-api.ts';
import { renderConsole } from './render-console.ts';
import { createTestHub, createTestInstance } from './test-records.ts';

const page = <T>(...items: T[]) => ({ items, next_cursor: null });
const figures = { passed: 0, failed: 0, not_judged: 0, cancelled: 0, p50_ms: null, p95_ms: null };
const hub = createTestHub('acme', 'Acme Engineering');

const nothing = {
  'GET /api/v1/instances': page(createTestInstance('shop', { executor_status: 'NEVER_SEEN' })),
  'GET /api/v1/instances/shop/scenario-results': page(),
  'GET /api/v1/instances/shop/scenarios': page(),
  'GET /api/v1/instances/shop/statistics': { totals: figures, buckets: [], complete: true },
  'GET /api/v1/runs': page(),
  'GET /api/v1/hubs': page(hub),
  'GET /api/v1/hubs/acme/connections': page(),
  'GET /api/v1/hubs/acme/tools': page(),
  'GET /api/v1/hubs/acme/tools/offered': { items: [], missing: [] },
  'GET /api/v1/hubs/acme/tokens': page(),
  'GET /api/v1/hub-tokens': page(),
  'GET /api/v1/tokens': page(),
  'GET /api/v1/hubs/acme/audit': { ...page(), looked_until: null },
  'GET /api/v1/hubs/acme/audit/state': { problem: null, used_bytes: 0, most_bytes: 1, first_seq: null, last_seq: null },
  'GET /api/v1/hubs/acme/members': page(),
  'GET /api/v1/instances/shop/suites': page(),
  'GET /api/v1/instances/shop/schedules': page(),
  'GET /api/v1/instances/shop/target-versions': page(),
  'GET /api/v1/notifications/channels': page(),
  'GET /api/v1/notifications/deliveries': page(),
  'GET /v0/servers': { servers: [], metadata: { count: 0 } },
};

type EmptyPage = { readonly element: () => Promise<React.ReactNode>; readonly responses?: object };

const ofHub = async (load: Promise<ComponentType<{ hub: Hub }>>) => createElement(await load, { hub });

const pages: Readonly<Record<string, EmptyPage>> = {
  '/': {
    element: async () => createElement((await import('../../src/console/overview/overview-page.tsx')).OverviewPage),
  },
  '/instances/shop/runs': {
    element: async () =>
      createElement((await import('../../src/console/runs/list/runs-page.tsx')).default, { instance: 'shop' }),
  },
  '/instances/shop/scenarios': {
    element: async () =>
      createElement((await import('../../src/console/scenarios/scenarios-page.tsx')).default, { instance: 'shop' }),
  },
  '/instances/shop/suites': {
    element: async () =>
      createElement((await import('../../src/console/suites/suites-page.tsx')).default, { instance: 'shop' }),
  },
  '/instances/shop/schedules': {
    element: async () =>
      createElement((await import('../../src/console/schedules/schedules-page.tsx')).default, { instance: 'shop' }),
  },
  '/instances/shop/compare': {
    element: async () =>
      createElement((await import('../../src/console/compare/compare-page.tsx')).default, { instance: 'shop' }),
  },
  '/instances/shop/coverage': {
    element: async () =>
      createElement((await import('../../src/console/coverage/coverage-page.tsx')).default, { instance: 'shop' }),
  },
  '/settings/notifications': {
    element: async () =>
      createElement(
        (await import('../../src/console/settings/notifications/notifications-page.tsx')).NotificationsPage,
      ),
  },
  '/settings/environments': {
    element: async () =>
      createElement((await import('../../src/console/settings/environments/environments-page.tsx')).EnvironmentsPage),
    responses: { 'GET /api/v1/instances': page() },
  },
  '/hubs': {
    element: async () => createElement((await import('../../src/console/hub/hubs-page.tsx')).default),
    responses: { 'GET /api/v1/hubs': page() },
  },
  '/hubs/acme/connections': {
    element: () =>
      ofHub(import('../../src/console/hub/connections/connections-page.tsx').then((file) => file.ConnectionsPage)),
  },
  '/hubs/acme/tools': {
    element: () => ofHub(import('../../src/console/hub/tools/tools-page.tsx').then((file) => file.ToolsPage)),
  },
  '/hubs/acme/try': {
    element: () => ofHub(import('../../src/console/hub/try/try-tool-page.tsx').then((file) => file.TryToolPage)),
  },
  '/hubs/acme/tokens': {
    element: () => ofHub(import('../../src/console/hub/tokens/tokens-page.tsx').then((file) => file.TokensPage)),
  },
  '/hubs/acme/audit': {
    element: () => ofHub(import('../../src/console/hub/audit/audit-page.tsx').then((file) => file.AuditPage)),
  },
  '/registry': {
    element: async () => createElement((await import('../../src/console/registry/registry-page.tsx')).default),
  },
};

const render = async (t: Test, url: string, { element, responses = {} }: EmptyPage) => {
  const rendered = await renderConsole(t, url, { ...nothing, ...responses }, element);
  await rendered.until(() => rendered.container.querySelector('.checklist') !== null);
  return rendered.container;
};

for (const [path, emptyPage] of Object.entries(pages)) {
  t.test(`${path}: a checklist with something to do`, async (t) => {
    const container = await render(t, path, emptyPage);
    const steps = [...container.querySelectorAll('.checklist li')].map((step) => step.textContent);
    t.ok(steps.length >= 3, steps.join('; '));
    t.ok(steps.some((step) => step.startsWith('to do ')));
  });
  t.test(`${path}: no command for a reader on another machine`, async (t) => {
    const container = await render(t, `http://vp.example.com${path}`, emptyPage);
    t.same(container.textContent.match(/\bvp [a-z]+/g), null);
  });
}

for (const [method, outcome, status] of [
  ['connection added', 'ok', 'to do'],
  ['tools/call', 'denied', 'to do'],
  ['tools/call', 'tool_error', 'done'],
])
  t.test(`with a row ${method} (${outcome}) in the audit, a call of a tool is ${status}`, async (t) => {
    const path = '/hubs/acme/tools';
    const responses = { 'GET /api/v1/hubs/acme/audit': { ...page({ method, outcome }), looked_until: null } };
    const element = pages[path]?.element ?? (async () => null);
    const container = await render(t, path, { element, responses });
    const steps = [...container.querySelectorAll('.checklist li')].map((step) => step.textContent);
    t.ok(steps.includes(`${status} Call a tool`), steps.join('; '));
  });

t.test('where vp serve runs on the reader’s machine the command stands beside the action', async (t) => {
  const path = '/settings/environments';
  const emptyPage = pages[path];
  if (!emptyPage) throw new Error('the table has no such page');
  const container = await render(t, path, emptyPage);
  t.match(container.textContent, /Register it below.*Or from a terminal:.*vp instances create my-app/s);
});

t.test('a command names the control plane unless it is the one that commands use by default', async (t) => {
  const cases: readonly [origin: string, expected: string][] = [
    ['http://127.0.0.1:7811', 'vp runs --control-plane http://127.0.0.1:7811'],
    ['https://localhost:7700', 'vp runs --control-plane https://localhost:7700'],
    ['http://127.0.0.1:7700', 'vp runs'],
    ['http://localhost:7700', 'vp runs'],
  ];
  for (const [origin, expected] of cases) t.equal(addControlPlane('vp runs', new URL(origin)), expected);
});

t.test('steps of a hub are marked as done by what the hub has', async (t) => {
  const container = await render(t, '/hubs/acme/tokens', {
    element: () => ofHub(import('../../src/console/hub/tokens/tokens-page.tsx').then((file) => file.TokensPage)),
    responses: {
      'GET /api/v1/hubs/acme/connections': page({ connection_id: 'c', name: 'weather' }),
      'GET /api/v1/hubs/acme/tools': page({ connection: 'weather', tool: 'forecast', state: 'approved' }),
    },
  });
  t.same(
    [...container.querySelectorAll('.checklist li')].map((step) => step.textContent),
    [
      'done Connect an MCP server',
      'done List its tools',
      'to do Call a tool',
      'to do Create a token for a client without a browser (optional)',
    ],
  );
});

t.test(
  'the document of a registry is created for an address that others reach, also where the page is of this machine',
  async (t) => {
    const element = async () => createElement((await import('../../src/console/registry/registry-page.tsx')).default);
    const container = await render(t, '/registry', { element });
    t.match(container.textContent, 'vp registry create hub --url https://');
  },
);
