/** The list of scenarios, on prepared responses of the API. */
import { createElement } from 'react';
import t from 'tap';
import { renderConsole } from '../render-console.ts';
import { createTestInstance } from '../test-records.ts';
import { createTestRun } from '../test-run.ts';

const page = <T>(items: readonly T[]) => ({ items, next_cursor: null });

const entries = ['RT-COUNT', 'RT-MORE', 'RT-GONE'].map((id) => ({
  ...{ scenario_id: id, title: `GET ${id}`, layer: 'http', tags: ['smoke'], revision: 1 },
  ...{ updated_at: '2026-11-20T14:30:12.000Z', updated_by: 'ana' },
}));

t.test('runs are requested from several rows, and each row says what became of its own', async (t) => {
  const requested: unknown[] = [];
  const { container, until, click } = await renderConsole(
    t,
    '/instances/shop/scenarios',
    {
      'GET /api/v1/instances': page([createTestInstance('shop')]),
      'GET /api/v1/instances/shop/scenarios': page(entries),
      'GET /api/v1/instances/shop/scenario-results': page([]),
      'GET /api/v1/instances/shop/quarantines': page([]),
      'GET /api/v1/instances/shop/views': page([]),
      'POST /api/v1/instances/shop/runs': (_: URLSearchParams, body: string) => {
        const [{ id }] = JSON.parse(body).scenarios;
        requested.push(id);
        // As an unknown route: the request of this row is refused.
        if (id === 'RT-GONE') return undefined;
        return { runs: [createTestRun(requested.length, { scenario_id: id, state: 'queued' })] };
      },
    },
    async () => {
      const { default: ScenariosPage } = await import('../../../src/console/scenarios/scenarios-page.tsx');
      return createElement(ScenariosPage, { instance: 'shop' });
    },
  );
  const run = (id: string) => container.querySelector<HTMLButtonElement>(`button[aria-label="Run ${id}"]`);
  const row = (id: string) => run(id)?.closest('tr');
  await until(() => run('RT-GONE') !== null);
  for (const { scenario_id: id } of entries) await click(run(id) as HTMLButtonElement);
  await until(() => container.querySelectorAll('[role=status] a[href^="/runs/"]').length === 2);
  await until(() => row('RT-GONE')?.querySelector('[role=alert]') !== null);
  t.same(requested, ['RT-COUNT', 'RT-MORE', 'RT-GONE']);
  const links = ['RT-COUNT', 'RT-MORE'].map((id) => row(id)?.querySelector('[role=status] a')?.getAttribute('href'));
  t.equal(new Set(links).size, 2, 'each its own run');
  t.equal(row('RT-GONE')?.querySelector('[role=status]'), null);
  t.equal(run('RT-COUNT')?.disabled, false, 'it can be run again');
});
