import { QueryClient } from '@tanstack/react-query';
import t from 'tap';
import { applyChanges } from '../../../src/console/live/apply.ts';
import { batches } from '../../../src/console/live/batches.ts';
import { isLiveMessage } from '../../../src/console/live/message.ts';
import type { Run } from '../../../src/contract/api.ts';
import { aRun } from '../a-run.ts';

const list = ['runs', { instance: 'shop' }];

function queriesWith(...runs: Run[]): QueryClient {
  const queries = new QueryClient();
  queries.setQueryData(list, { pages: [{ items: runs, next_cursor: null }], pageParams: [undefined] });
  return queries;
}

const rows = (queries: QueryClient): Run[] =>
  queries.getQueryData<{ pages: { items: Run[] }[] }>(list)?.pages.flatMap(({ items }) => items) ?? [];

t.test('a changed run is changed in its list and on its page, whose report is asked for when it ends', async (t) => {
  const run = aRun(1, { state: 'in_progress' });
  const queries = queriesWith(run);
  queries.setQueryData(['run', run.run_id], { ...run, report: null });
  applyChanges(queries, [{ seq: 1, type: 'run', run: aRun(1, { state: 'failed' }) }]);
  t.equal(rows(queries)[0]?.state, 'failed');
  t.match(queries.getQueryData(['run', run.run_id]), { state: 'failed', report: null });
  t.equal(queries.getQueryState(['run', run.run_id])?.isInvalidated, true);
});

t.test('a run that nobody looks at is not kept', async (t) => {
  const queries = new QueryClient();
  applyChanges(queries, [{ seq: 1, type: 'run', run: aRun(1) }]);
  t.equal(queries.getQueryData(['run', aRun(1).run_id]), undefined);
});

t.test('scenarios and instances are asked for anew, or changed in place', async (t) => {
  const queries = new QueryClient();
  queries.setQueryData(['scenarios', 'shop'], []);
  queries.setQueryData(['instances'], []);
  applyChanges(queries, [
    { seq: 1, type: 'scenario', instance: 'shop', scenario_id: 'RT', revision: 2, deleted: false },
    { seq: 2, type: 'gone', instance: 'old' },
  ]);
  t.equal(queries.getQueryState(['scenarios', 'shop'])?.isInvalidated, true);
  t.equal(queries.getQueryState(['instances'])?.isInvalidated, true);
});

t.test('a burst is handed on at once', async (t) => {
  const { promise, resolve } = Promise.withResolvers<readonly number[]>();
  const batch = batches<number>(1, resolve);
  for (const item of [1, 2, 3]) batch.add(item);
  t.same(await promise, [1, 2, 3]);
  batch.add(4);
  batch.stop();
});

t.test('only messages that are understood count', async (t) => {
  t.ok(isLiveMessage({ kind: 'asked' }));
  t.ok(isLiveMessage({ kind: 'changes', changes: [] }));
  t.ok(isLiveMessage({ kind: 'state', state: { kind: 'live' } }));
  for (const other of [null, 'asked', {}, { kind: 'changes' }, { kind: 'later' }]) t.notOk(isLiveMessage(other));
});
