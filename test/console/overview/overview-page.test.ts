import { createElement } from 'react';
import t from 'tap';
import type { ScenarioResult } from '../../../src/contract/scenario-results-api.ts';
import { renderConsole } from '../render-console.ts';
import { createTestHub, createTestInstance } from '../test-records.ts';
import { createTestRun } from '../test-run.ts';

const page = <T>(...items: T[]) => ({ items, next_cursor: null });
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

function createResult(overrides: Partial<ScenarioResult> = {}): ScenarioResult {
  return {
    scenario_id: 'RT-COUNT',
    title: 'GET',
    last_run: createTestRun(1),
    failing_since: null,
    former_ids: [],
    failed_runs: 0,
    ...overrides,
  };
}

const nothing = {
  'GET /api/v1/instances': page(createTestInstance('shop')),
  'GET /api/v1/instances/shop/scenario-results': page(createResult()),
  'GET /api/v1/hubs': page(),
  'GET /api/v1/tokens': page(),
  'GET /api/v1/hub-tokens': page(),
  'GET /api/v1/api-keys': page(),
};

const renderOverview = (t: Parameters<typeof renderConsole>[0], responses: object) =>
  renderConsole(t, '/', { ...nothing, ...responses }, async () => {
    const { OverviewPage } = await import('../../../src/console/overview/overview-page.tsx');
    return createElement(OverviewPage);
  });

t.test('failing scenarios, offline environments, held tools and expiring keys are listed', async (t) => {
  const failed = createTestRun(2, {
    state: 'failed',
    failure_kind: 'body_mismatch',
    failure_summary: 'count: got 3 (+2)',
  });
  const { container, until } = await renderOverview(t, {
    'GET /api/v1/instances': page(
      createTestInstance('shop'),
      createTestInstance('bank', { executor_status: 'AWAY', last_seen_at: hoursAgo(3), queued: 2 }),
    ),
    'GET /api/v1/instances/shop/scenario-results': page(
      createResult({ last_run: failed, failing_since: hoursAgo(5), failed_runs: 14 }),
    ),
    'GET /api/v1/instances/bank/scenario-results': page(),
    'GET /api/v1/hubs': page(createTestHub('acme', 'Acme Engineering')),
    'GET /api/v1/hubs/acme/tools': (search: URLSearchParams) => {
      const tools = [
        { connection: 'mail', tool: 'send', state: 'held' },
        { connection: 'mail', tool: 'list', state: 'approved' },
      ];
      const selected = search.get('state');
      return page(...tools.filter(({ state }) => selected === null || state === selected));
    },
    'GET /api/v1/api-keys': page({
      key_id: 'k',
      name: 'ci',
      role: 'viewer',
      expires_at: hoursAgo(-72),
      last_used_at: null,
    }),
  });
  await until(() => /mail__send/.test(container.textContent) && /API key/.test(container.textContent));
  const text = container.textContent;
  t.match(text, /1 failing scenario.*RT-COUNT.*shop.*count: got 3 \(\+2\).*5 h ago, 14 runs/s);
  t.match(text, /1 environment offline.*bank.*offline for 3 h.*2 runs waiting/s);
  t.match(text, /Acme Engineering.*mail__send/s);
  t.notMatch(text, /mail__list/);
  t.match(text, /ci.*API key.*expires in 3 days/s);
  t.notMatch(text, /Nothing needs a look|First steps/);
});

t.test('when all is well it says so', async (t) => {
  const { container, until } = await renderOverview(t, {});
  await until(() => /Nothing needs a look/.test(container.textContent));
  t.match(container.textContent, /1 scenario in 1 environment, none failing/);
  t.notMatch(container.textContent, /First steps/);
});

t.test('before the first run it is a checklist of the steps to it', async (t) => {
  const { container, until } = await renderOverview(t, {
    'GET /api/v1/instances/shop/scenario-results': page(createResult({ last_run: null })),
  });
  await until(() => container.querySelector('.checklist') !== null);
  const items = [...container.querySelectorAll('.checklist li')].map((item) => item.textContent);
  t.same(items.slice(0, 4), [
    'done Register an environment',
    'done Start its executor next to the application',
    'done Write a scenario',
    'to do Run it',
  ]);
  t.equal(container.querySelector('.checklist a')?.getAttribute('href'), '/instances/shop/runs');
});
