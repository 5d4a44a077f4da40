/** Random searches over random runs find what looking at each run finds, page by page. */

import type { Test } from 'tap';
import t from 'tap';
import type { RunPage } from '../../../src/contract/run-search-api.ts';
import type { RunListFilter } from '../../../src/control/control.ts';
import { listRunPage } from '../../../src/control/runs/run-list.ts';
import { openControlStore } from '../../../src/store/control/control-store.ts';
import { maxExaminedRuns } from '../../../src/store/control/runs/run-search.ts';
import { openStoresUnderTest } from '../../store/engine-under-test.ts';
import { createSeededRandom } from '../../storm/seeded-random.ts';
import {
  createFilter,
  createSearchedRuns,
  findSearchedRuns,
  type SearchedRuns,
  saveSearchedRuns,
} from './searched-runs.ts';

async function openStore(t: Test, runs: SearchedRuns) {
  const folder = t.testdir();
  const store = (await openStoresUnderTest(t, folder))?.control ?? (await openControlStore({ folder, pid: 1 }));
  t.teardown(() => store.close());
  const { database } = store;
  await saveSearchedRuns(database, runs);
  const readPage = (filter: RunListFilter, limit: number, cursor?: string): Promise<RunPage> =>
    database.read((sql) => listRunPage(sql, filter, { limit, cursor }));
  return { readPage };
}

/** All pages; each is full, the last one, or says how far it has searched. */
async function readPages(t: Test, readNext: (cursor?: string) => Promise<RunPage>, limit: number) {
  const pages: RunPage[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await readNext(cursor);
    pages.push(page);
    const { items, next_cursor: next, looked_until: until } = page;
    if (next === null) break;
    if (items.length < limit) t.type(until, 'string', 'a short page says how far it has searched');
    if (cursor !== undefined && next >= cursor) throw new Error(`${cursor} is followed by ${next}`);
    cursor = next;
  }
  return pages;
}

for (const [count, failedShare] of [
  [600, 0.5],
  [14_000, 0.05],
] as const)
  t.test(`searches over ${count} runs find what looking at each run finds`, async (t) => {
    const random = createSeededRandom(count);
    const runs = createSearchedRuns(random, count, failedShare);
    const { readPage } = await openStore(t, runs);
    for (let round = 0; round < 120; round += 1) {
      const filter = createFilter(random, runs);
      const limit = random.pick([1, 7, 50, 200]);
      const expected = findSearchedRuns(runs, filter);
      if (expected.length > 60 * limit) continue;
      const pages = await readPages(t, (cursor) => readPage(filter, limit, cursor), limit);
      const runIds = pages.flatMap(({ items }) => items.map(({ run_id }) => run_id));
      t.same(runIds, expected, `${JSON.stringify(filter)} in pages of ${limit}`);
      const most = Math.ceil(expected.length / limit) + Math.ceil(count / maxExaminedRuns) + 1;
      t.ok(pages.length <= most, `${pages.length} pages, at most ${most}`);
    }
  });

t.test('what few runs have is found at once, whatever else is stored', async (t) => {
  const random = createSeededRandom(3);
  const common = createSearchedRuns(random, 12_000, 0.02);
  const [oldest] = common.filter(({ state, revision }) => state === 'failed' && revision.instance === 'app');
  if (!oldest) throw new Error('no failed run');
  const group = { id: 'f'.repeat(16), instance: 'app', check: 'body has rare', outcome: 'got rarity' };
  const source = { id: 1000, instance: 'app', branch: 'rare', commit: 'eeee' };
  const rare = { ...oldest, version: 'rare', group, source, summary: 'rare words: got 1' };
  const runs = common.map((run) => (run === oldest ? rare : run));
  const { readPage } = await openStore(t, runs);
  const searches = [
    { failure: group.id },
    { target_version: 'rare' },
    { branch: 'rare' },
    { commit: 'ee' },
    { text: ['rare'] },
    { text: ['RARITY', 'words'] },
  ];
  for (const search of searches) {
    const { items, next_cursor: next } = await readPage({ instance: 'app', search }, 50);
    t.match(items, [{ target_version: 'rare' }], JSON.stringify(search));
    t.equal(next, null);
  }
  const page = await readPage({ search: { target_version: 'rare' } }, 50);
  t.match(page, { items: [], looked_until: /^2026/ }, 'over all instances no index helps, and the page says so');
});
