import t from 'tap';
import type { PageParams } from '../../../src/client/transport/api-call.ts';
import { readPages } from '../../../src/client/transport/pages.ts';

/** A list of the numbers below `count`; records the requests. */
function createList(count: number) {
  const requests: PageParams[] = [];
  const read = async (page: PageParams) => {
    requests.push(page);
    const start = Number(page.cursor ?? 0);
    const end = Math.min(count, start + (page.limit ?? 50));
    const items = Array.from({ length: end - start }, (_, index) => start + index);
    return { items, next_cursor: end < count ? String(end) : null };
  };
  return { read, requests };
}

t.test('every page is read, each from the cursor of the one before', async (t) => {
  const { read, requests } = createList(450);
  const { items, isComplete } = await readPages(read);
  t.same([items.length, items.at(-1), isComplete], [450, 449, true]);
  t.same(requests, [
    { limit: 200, cursor: undefined },
    { limit: 200, cursor: '200' },
    { limit: 200, cursor: '400' },
  ]);
});

t.test('no more than the limit is requested, and a list that goes on is not complete', async (t) => {
  const { read, requests } = createList(450);
  const { items, isComplete } = await readPages(read, 250);
  t.same([items.length, isComplete], [250, false]);
  t.same(
    requests.map(({ limit }) => limit),
    [200, 50],
  );
  t.same(await readPages(createList(0).read, 10), { items: [], isComplete: true });
  t.equal((await readPages(createList(250).read, 250)).isComplete, true);
});
