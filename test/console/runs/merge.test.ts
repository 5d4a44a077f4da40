import t from 'tap';
import {
  firstPageOf,
  headLimit,
  heldLimit,
  isOverfull,
  type RunPages,
  rowsOf,
  withRuns,
} from '../../../src/console/runs/merge.ts';
import type { Run } from '../../../src/contract/api.ts';
import { aRun } from '../a-run.ts';

const all = { instance: 'shop' } as const;

function pages(...items: readonly (readonly Run[])[]): RunPages {
  const last = items.length - 1;
  return {
    pages: items.map((page, index) => ({ items: page, next_cursor: index === last ? null : `after ${index}` })),
    pageParams: items.map(() => undefined),
  };
}

/** Pages of which older ones were not loaded. */
function begun(...items: readonly (readonly Run[])[]): RunPages {
  const { pages: made, pageParams } = pages(...items);
  return { pages: made.map((page) => ({ ...page, next_cursor: 'more' })), pageParams };
}

const ids = (data: RunPages) => rowsOf(data).map(({ run_id }) => Number(run_id.slice(-3)));

t.test('new runs stand where their age puts them, in whatever order they are told', async (t) => {
  const data = pages([aRun(50), aRun(40)], [aRun(30), aRun(20)]);
  t.same(ids(withRuns(data, [aRun(60), aRun(45), aRun(25), aRun(10)], all)), [60, 50, 45, 40, 30, 25, 20, 10]);
});

t.test('a changed run stays in its place', async (t) => {
  const data = pages([aRun(50, { state: 'queued' }), aRun(40)], [aRun(30)]);
  const next = withRuns(data, [aRun(50, { state: 'in_progress' })], all);
  t.equal(rowsOf(next)[0]?.state, 'in_progress');
  t.same(ids(next), [50, 40, 30]);
  t.equal(next.pages[1], data.pages[1], 'pages without a change are the same objects');
});

t.test('runs older than what was loaded are left for their page', async (t) => {
  t.same(ids(withRuns(begun([aRun(50), aRun(40)]), [aRun(10)], all)), [50, 40]);
  t.same(ids(withRuns(pages([]), [aRun(10)], all)), [10]);
});

t.test('what the filter leaves out does not come in, and what is in stays', async (t) => {
  const data = pages([aRun(50, { state: 'failed', failure_kind: 'body_mismatch' })]);
  const broken = aRun(70, { state: 'failed', failure_kind: 'timeout' });
  const failed = aRun(60, { state: 'failed', failure_kind: 'status_mismatch' });
  t.same(ids(withRuns(data, [broken, failed, aRun(80)], { ...all, result: 'failed' })), [60, 50]);
  t.same(ids(withRuns(pages([]), [broken, failed, aRun(80)], { ...all, result: 'broken' })), [70]);
  t.same(ids(withRuns(pages([]), [aRun(1), aRun(2, { scenario_id: 'RT-B' })], { ...all, scenario: 'RT-B' })), [2]);
  t.same(ids(withRuns(pages([]), [aRun(1, { instance: 'other' })], all)), []);
});

t.test('a first page that has grown far is told', async (t) => {
  const grown = (count: number) => pages(Array.from({ length: count }, (_, index) => aRun(999 - index)));
  t.notOk(isOverfull(grown(headLimit)));
  t.notOk(isOverfull(undefined));
  t.ok(isOverfull(grown(headLimit + 1)));
  t.same(ids(firstPageOf(pages([aRun(9)], [aRun(8)]))), [9]);
});

t.test(
  'however many arrive while somebody reads, the page stays of bounded size, and rows in it stay true',
  async (t) => {
    const rows = Array.from({ length: heldLimit }, (_, index) => aRun(index, { run_id: `run ${90_000 - index}` }));
    const full = pages(rows);
    const next = withRuns(
      full,
      [aRun(1, { run_id: 'run 99999' }), { ...aRun(0, { run_id: 'run 90000' }), state: 'failed' }],
      all,
    );
    t.equal(rowsOf(next).length, heldLimit);
    t.equal(rowsOf(next)[0]?.state, 'failed');
  },
);
