import t from 'tap';
import { RecencyMap } from '../../src/limits/recency-map.ts';

t.test('a new entry replaces the least recently used one', async (t) => {
  const map = new RecencyMap<number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.set(key, index);
  t.equal(map.get('a'), 0);
  map.set('d', 3);
  t.equal(map.size, 3);
  t.same(
    ['a', 'b', 'c', 'd'].map((key) => map.get(key)),
    [0, undefined, 2, 3],
  );
  map.delete('a');
  t.equal(map.get('a'), undefined);
  t.equal(map.size, 2);
});
