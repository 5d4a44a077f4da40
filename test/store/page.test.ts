import t from 'tap';
import { slicePage } from '../../src/store/page.ts';

t.test('a page has `limit` rows, and its last row where there are more', async (t) => {
  t.same(slicePage([1, 2, 3], 2), { items: [1, 2], last: 2 });
  t.same(slicePage([1, 2], 2), { items: [1, 2], last: undefined });
  t.same(slicePage([], 2), { items: [], last: undefined });
});
