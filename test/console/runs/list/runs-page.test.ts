import { createElement } from 'react';
import t from 'tap';
import type { Run } from '../../../../src/contract/api.ts';
import { renderConsole } from '../../render-console.ts';
import { replaceGlobals } from '../../replace-globals.ts';
import { createTestInstance } from '../../test-records.ts';
import { createTestRun } from '../../test-run.ts';

const page = <T>(items: readonly T[]) => ({ items, next_cursor: null });
const figures = { passed: 3, failed: 1, not_judged: 0, cancelled: 0, p50_ms: 12, p95_ms: 40 };
const statistics = { totals: figures, buckets: [{ start: '2026-11-20T14:30:00.000Z', ...figures }], complete: true };

const failed = createTestRun(3, {
  ...({ state: 'failed', result: 'failed', failure_kind: 'body_mismatch' } as const),
  ...{ failure_summary: 'body has count equals 4: got 3 (+3)', duration_ms: 41 },
  ...{ started_at: '2026-11-20T14:30:12.000Z', finished_at: '2026-11-20T14:30:14.041Z' },
});
const runs = [
  createTestRun(9, { state: 'queued', scenario_id: 'RT-NEXT', requested_by: 'ci' }),
  createTestRun(8, { state: 'queued' }),
  createTestRun(7, { state: 'in_progress', scenario_id: 'RT-NOW', requested_by: 'ben' }),
  failed,
  createTestRun(2),
];

/** Answers like the API: by state and scenario. */
function listRuns(query: URLSearchParams) {
  const states = query.getAll('state');
  const scenario = query.get('scenario');
  return page(
    runs.filter((run: Run) => states.includes(run.state) && (scenario === null || run.scenario_id === scenario)),
  );
}

const renderRuns = (t: Parameters<typeof renderConsole>[0], path: string, more: object = {}) =>
  renderConsole(
    t,
    path,
    {
      'GET /api/v1/instances': page([createTestInstance('shop', { queued: 2 })]),
      'GET /api/v1/instances/shop/scenarios': page([]),
      'GET /api/v1/instances/shop/statistics': statistics,
      'GET /api/v1/runs': listRuns,
      ...more,
    },
    async () => {
      const { default: RunsPage } = await import('../../../../src/console/runs/list/runs-page.tsx');
      return createElement(RunsPage, { instance: 'shop' });
    },
  );

t.test('finished runs are a table with column headers; the running one and the queue stand above', async (t) => {
  const { container, until } = await renderRuns(t, '/instances/shop/runs');
  await until(() => container.querySelectorAll('.run-row').length === 2);
  const headers = [...container.querySelectorAll('.run-table th')].map((header) => header.textContent);
  t.same(headers, ['', 'Outcome', 'Scenario', 'Title', 'Status', 'Result', 'Duration', 'Requested', 'By']);
  const [row] = container.querySelectorAll('.run-row');
  t.match(row?.textContent, /RT-COUNT.*GET documents.*200.*got 3 \(\+3\).*41 ms \+ 2 s/, 'the wait stands apart');
  t.match(container.querySelector('.queue-strip')?.textContent, /RT-NOW.*running.*by ben.*2 queued runs/s);
  t.equal(container.querySelectorAll('.queued-runs').length, 0, 'the queue is folded');
});

t.test('while the first runs wait, the list says that none has ended', async (t) => {
  const unended = (query: URLSearchParams) =>
    page(listRuns(query).items.filter(({ state }) => state === 'queued' || state === 'in_progress'));
  const { container, until } = await renderRuns(t, '/instances/shop/runs', { 'GET /api/v1/runs': unended });
  await until(() => /No run has ended yet/.test(container.querySelector('.runs-layout')?.textContent ?? ''));
});

t.test('where nothing was ever requested, the list shows the steps to the first run', async (t) => {
  const { container, until } = await renderRuns(t, '/instances/shop/runs', {
    'GET /api/v1/instances': page([createTestInstance('shop')]),
    'GET /api/v1/instances/shop/scenarios': page([{ scenario_id: 'RT-COUNT', title: 'GET count', tags: [] }]),
    'GET /api/v1/runs': page([]),
  });
  await until(() => container.querySelector('.empty h2')?.textContent === 'No runs yet');
});

t.test('the queue unfolds, and is cancelled as a whole after a confirmation', async (t) => {
  let body: unknown;
  const rendered = await renderRuns(t, '/instances/shop/runs', {
    'POST /api/v1/instances/shop/queue/cancel': (_: URLSearchParams, sent: string) => {
      body = JSON.parse(sent);
      return { cancelled: 2 };
    },
  });
  const { container, until, click, button, type } = rendered;
  await until(() => container.querySelector('.queue-strip button') !== null);
  await click(button('▸ 2 queued runs'));
  t.match(container.querySelector('.queued-runs')?.textContent, /RT-NEXT/);
  await click(button('Cancel all…'));
  t.equal(button('Cancel queued runs').disabled, true);
  await type('Type shop to confirm', 'shop');
  await click(button('Cancel queued runs'));
  await until(() => body !== undefined);
  t.same(body, {});
});

t.test('queued runs are selected in the queue and cancelled, apart from the list below', async (t) => {
  const cancelled: string[] = [];
  const cancel = (id: string) => ({
    [`POST /api/v1/runs/${id}/cancel`]: () => {
      cancelled.push(id);
      return { ...runs.find((run) => run.run_id === id), state: 'cancelled' };
    },
  });
  const [next, other] = runs.map(({ run_id: id }) => id);
  const { container, until, click, button, press } = await renderRuns(t, '/instances/shop/runs', {
    ...cancel(next ?? ''),
    ...cancel(other ?? ''),
  });
  await until(() => container.querySelectorAll('.run-row').length === 2);
  await click(button('▸ 2 queued runs'));
  const focus = (list: string, index = 0): void =>
    container.querySelectorAll<HTMLElement>(`${list} [data-row]`)[index]?.focus();
  // The list is paused where the reader has scrolled.
  replaceGlobals(t, { scrollY: 0 });
  const selectedRows = (list: string): number => container.querySelectorAll(`${list} tr.is-selected`).length;
  focus('.runs-layout');
  await press('x');
  t.same([selectedRows('.queue-strip'), selectedRows('.runs-layout')], [0, 1], 'a key is of the list that has the row');
  await press('x');
  focus('.queued-runs');
  await press('x');
  t.same([selectedRows('.queue-strip'), selectedRows('.runs-layout')], [1, 0]);
  t.match(container.querySelector('.queue-strip .bulk-bar')?.textContent, /1 selected.*Cancel 1 run/);
  focus('.queued-runs', 1);
  await press('X');
  await click(button('Cancel 2 runs'));
  await until(() => /2 runs cancelled\./.test(container.querySelector('.queue-strip')?.textContent ?? ''));
  t.same(cancelled.sort(), [next, other].sort(), 'and no other run');
});

t.test('what the list below has too is selected there', async (t) => {
  const { container, until, click, button } = await renderRuns(t, '/instances/shop/runs?result=queued');
  await until(() => container.querySelectorAll('.run-row').length === 2);
  await click(button('▸ 2 queued runs'));
  await until(() => container.querySelectorAll('.queued-runs .run-row').length === 2);
  t.equal(container.querySelectorAll('.queued-runs input[type=checkbox]').length, 0);
  t.equal(container.querySelectorAll('.runs-layout tbody input[type=checkbox]').length, 2);
});

t.test('counts, pass rate, queue and charts obey the filter of scenario and time', async (t) => {
  // To the minute: the page rounds the time down.
  const startMs = Math.floor(Date.now() / 60_000) * 60_000;
  const { container, until, requests } = await renderRuns(t, '/instances/shop/runs?scenario=RT-NOW&since=7d');
  await until(() => /75\.0 % passed/.test(container.textContent));
  t.match(container.querySelector('.instance-head')?.textContent, /last 7 days, RT-NOW/);
  const statisticsRequests = requests.filter((request) => request.includes('/statistics'));
  t.ok(statisticsRequests.length > 0 && statisticsRequests.every((request) => request.includes('scenario=RT-NOW')));
  const sevenDaysLater =
    7 * 86_400_000 + Date.parse(new URLSearchParams(statisticsRequests[0]?.split('?')[1]).get('since') ?? '');
  t.ok(startMs <= sevenDaysLater && sevenDaysLater <= Date.now(), 'seven days');
  t.match(container.querySelector('.queue-strip')?.textContent, /RT-NOW.*The queue is empty/s);
});

t.test('runs that have not ended have no charts', async (t) => {
  const { container, until } = await renderRuns(t, '/instances/shop/runs?result=queued');
  await until(() => container.querySelectorAll('.run-row').length === 2);
  t.equal(container.querySelector('.charts-fold'), null);
});

t.test('queued and running runs are filters', async (t) => {
  const { container, until } = await renderRuns(t, '/instances/shop/runs?result=queued');
  await until(() => container.querySelectorAll('.run-row').length === 2);
  t.match(container.querySelector('.run-row')?.textContent, /RT-NEXT.*queued/);
  t.equal(container.querySelector('.chip[aria-pressed=true]')?.textContent, 'queued');
});
