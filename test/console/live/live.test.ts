import { QueryClient, QueryObserver } from '@tanstack/react-query';
import t from 'tap';
import { applyChangeEvents, refreshAfterConnection } from '../../../src/console/live/apply-changes.ts';
import { isLiveMessage } from '../../../src/console/live/live-message.ts';
import { createBatch } from '../../../src/console/live/live-stream.ts';
import type { Run } from '../../../src/contract/api.ts';
import { createTestRun } from '../test-run.ts';

const listKey = ['runs', { instance: 'shop' }];

function createClientWithRuns(...runs: Run[]): QueryClient {
  const queryClient = new QueryClient();
  queryClient.setQueryData(listKey, { pages: [{ items: runs, next_cursor: null }], pageParams: [undefined] });
  return queryClient;
}

const listRuns = (queryClient: QueryClient): Run[] =>
  queryClient.getQueryData<{ pages: { items: Run[] }[] }>(listKey)?.pages.flatMap(({ items }) => items) ?? [];

t.test('a changed run is updated in its list and on its page, whose report is loaded when the run ends', async (t) => {
  const run = createTestRun(1, { state: 'in_progress' });
  const queryClient = createClientWithRuns(run);
  queryClient.setQueryData(['run', run.run_id], { ...run, report: null });
  applyChangeEvents(queryClient, [{ seq: 1, type: 'run', run: createTestRun(1, { state: 'failed' }) }]);
  t.equal(listRuns(queryClient)[0]?.state, 'failed');
  t.match(queryClient.getQueryData(['run', run.run_id]), { state: 'failed', report: null });
  t.equal(queryClient.getQueryState(['run', run.run_id])?.isInvalidated, true);
});

t.test('new runs do not enter a search, whose texts they do not have', async (t) => {
  const key = ['runs', { instance: 'shop', find: 'refused' }];
  const queryClient = new QueryClient();
  const run = createTestRun(1, { state: 'failed' });
  queryClient.setQueryData(key, { pages: [{ items: [run], next_cursor: null }], pageParams: [undefined] });
  applyChangeEvents(queryClient, [
    { seq: 1, type: 'run', run: createTestRun(2, { state: 'failed' }) },
    { seq: 2, type: 'run', run: createTestRun(1, { state: 'failed', failure_message: 'refused' }) },
  ]);
  const { pages = [] } = queryClient.getQueryData<{ pages: { items: Run[] }[] }>(key) ?? {};
  t.match(pages, [{ items: [{ run_id: run.run_id, failure_message: 'refused' }] }]);
  t.equal(pages[0]?.items.length, 1);
});

t.test('what failed while the control plane was away is read again when the stream is there', async (t) => {
  const queryClient = createClientWithRuns(createTestRun(1));
  queryClient.setQueryData(['suites', 'shop'], []);
  const results = { queryKey: ['scenario-results', 'shop'], retry: false };
  let isAway = true;
  const queryFn = async () => {
    if (isAway) throw new Error('away');
    return ['passed'];
  };
  await queryClient.prefetchQuery({ ...results, queryFn });
  isAway = false;
  const observer = new QueryObserver(queryClient, { ...results, queryFn, retryOnMount: false });
  t.teardown(observer.subscribe(() => undefined));
  await refreshAfterConnection(queryClient);
  t.same(queryClient.getQueryData(results.queryKey), ['passed']);
  t.equal(queryClient.getQueryState(listKey)?.isInvalidated, true);
  t.equal(queryClient.getQueryState(['suites', 'shop'])?.isInvalidated, false);
});

t.test('a run that is not displayed is not cached', async (t) => {
  const queryClient = new QueryClient();
  applyChangeEvents(queryClient, [{ seq: 1, type: 'run', run: createTestRun(1) }]);
  t.equal(queryClient.getQueryData(['run', createTestRun(1).run_id]), undefined);
});

t.test('scenarios and instances are loaded again, or updated in place', async (t) => {
  const queryClient = new QueryClient();
  queryClient.setQueryData(['scenarios', 'shop'], []);
  queryClient.setQueryData(['instances'], []);
  applyChangeEvents(queryClient, [
    { seq: 1, type: 'scenario', instance: 'shop', scenario_id: 'RT', revision: 2, deleted: false },
    { seq: 2, type: 'gone', instance: 'old' },
  ]);
  t.equal(queryClient.getQueryState(['scenarios', 'shop'])?.isInvalidated, true);
  t.equal(queryClient.getQueryState(['instances'])?.isInvalidated, true);
});

t.test('a burst is flushed together', async (t) => {
  const { promise, resolve } = Promise.withResolvers<readonly number[]>();
  const batch = createBatch<number>(1, resolve);
  for (const item of [1, 2, 3]) batch.add(item);
  t.same(await promise, [1, 2, 3]);
  batch.add(4);
  batch.stop();
});

t.test('unknown messages are ignored', async (t) => {
  t.ok(isLiveMessage({ kind: 'state-request' }));
  t.ok(isLiveMessage({ kind: 'changes', changes: [] }));
  t.ok(isLiveMessage({ kind: 'state', state: { kind: 'live' } }));
  for (const malformed of [null, 'state-request', {}, { kind: 'changes' }, { kind: 'later' }])
    t.notOk(isLiveMessage(malformed));
});
