import t from 'tap';
import {
  isFirstPageTooLong,
  joinRunPages,
  keepFirstPage,
  maxFirstPageRows,
  maxFirstPageRowsWhilePaused,
  mergeRuns,
  type RunPages,
} from '../../../src/console/runs/run-pages.ts';
import type { Run } from '../../../src/contract/api.ts';
import { createTestRun } from '../test-run.ts';

const unfiltered = { instance: 'shop' } as const;

function createPages(...items: readonly (readonly Run[])[]): RunPages {
  const last = items.length - 1;
  return {
    pages: items.map((page, index) => ({ items: page, next_cursor: index === last ? null : `after ${index}` })),
    pageParams: items.map(() => undefined),
  };
}

/** Pages with more older ones that are not loaded. */
function createPartialPages(...items: readonly (readonly Run[])[]): RunPages {
  const { pages: loadedPages, pageParams } = createPages(...items);
  return { pages: loadedPages.map((page) => ({ ...page, next_cursor: 'more' })), pageParams };
}

const listIds = (data: RunPages) => joinRunPages(data).map(({ run_id }) => Number(run_id.slice(-3)));

t.test('new runs are inserted by age, in whatever order they arrive', async (t) => {
  const data = createPages([createTestRun(50), createTestRun(40)], [createTestRun(30), createTestRun(20)]);
  t.same(
    listIds(mergeRuns(data, [createTestRun(60), createTestRun(45), createTestRun(25), createTestRun(10)], unfiltered)),
    [60, 50, 45, 40, 30, 25, 20, 10],
  );
});

t.test('a changed run keeps its position', async (t) => {
  const data = createPages([createTestRun(50), createTestRun(40)], [createTestRun(30)]);
  const next = mergeRuns(data, [createTestRun(50, { state: 'failed' })], unfiltered);
  t.equal(joinRunPages(next)[0]?.state, 'failed');
  t.same(listIds(next), [50, 40, 30]);
  t.equal(next.pages[1], data.pages[1], 'pages without a change are the same objects');
});

t.test('a queued run that has started leaves the queue', async (t) => {
  const queue = { ...unfiltered, result: 'queued' } as const;
  const data = createPages([createTestRun(50, { state: 'queued' }), createTestRun(40, { state: 'queued' })]);
  t.same(listIds(mergeRuns(data, [createTestRun(40, { state: 'in_progress' })], queue)), [50]);
});

t.test('runs older than the loaded pages are ignored', async (t) => {
  t.same(
    listIds(mergeRuns(createPartialPages([createTestRun(50), createTestRun(40)]), [createTestRun(10)], unfiltered)),
    [50, 40],
  );
  t.same(listIds(mergeRuns(createPages([]), [createTestRun(10)], unfiltered)), [10]);
});

t.test('runs that the filter excludes are not inserted, and listed runs stay', async (t) => {
  const data = createPages([createTestRun(50, { state: 'failed', failure_kind: 'body_mismatch' })]);
  const broken = createTestRun(70, { state: 'failed', failure_kind: 'timeout' });
  const failed = createTestRun(60, { state: 'failed', failure_kind: 'status_mismatch' });
  t.same(listIds(mergeRuns(data, [broken, failed, createTestRun(80)], { ...unfiltered, result: 'failed' })), [60, 50]);
  t.same(
    listIds(mergeRuns(createPages([]), [broken, failed, createTestRun(80)], { ...unfiltered, result: 'broken' })),
    [70],
  );
  t.same(
    listIds(
      mergeRuns(createPages([]), [createTestRun(1), createTestRun(2, { scenario_id: 'RT-B' })], {
        ...unfiltered,
        scenario: 'RT-B',
      }),
    ),
    [2],
  );
  t.same(listIds(mergeRuns(createPages([]), [createTestRun(1, { instance: 'other' })], unfiltered)), []);
});

t.test('a first page that is too long is detected', async (t) => {
  const createLongPage = (count: number) =>
    createPages(Array.from({ length: count }, (_, index) => createTestRun(999 - index)));
  t.notOk(isFirstPageTooLong(createLongPage(maxFirstPageRows)));
  t.notOk(isFirstPageTooLong(undefined));
  t.ok(isFirstPageTooLong(createLongPage(maxFirstPageRows + 1)));
  t.same(listIds(keepFirstPage(createPages([createTestRun(9)], [createTestRun(8)]))), [9]);
});

t.test('the first page has a bounded size while the list is paused, and its rows are still updated', async (t) => {
  const rows = Array.from({ length: maxFirstPageRowsWhilePaused }, (_, index) =>
    createTestRun(index, { run_id: `run ${90_000 - index}` }),
  );
  const full = createPages(rows);
  const next = mergeRuns(
    full,
    [createTestRun(1, { run_id: 'run 99999' }), { ...createTestRun(0, { run_id: 'run 90000' }), state: 'failed' }],
    unfiltered,
  );
  t.equal(joinRunPages(next).length, maxFirstPageRowsWhilePaused);
  t.equal(joinRunPages(next)[0]?.state, 'failed');
});
