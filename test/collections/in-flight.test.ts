/** Own process: it measures the heap. */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { InFlightMap, InFlightSet } from '../../src/collections/in-flight.ts';

type Member = { readonly name: string };

t.test('members are walked in the order in which they were added, until they are removed', async (t) => {
  const set = new InFlightSet<Member>();
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
  const [removeA, removeB, removeC] = [set.add(a), set.add(b), set.add(c)];
  t.same([...set], [a, b, c]);
  removeB();
  removeB();
  t.same([[...set], set.size, set.has(b), set.has(c)], [[a, c], 2, false, true]);
  removeA();
  removeC();
  t.same([[...set], set.size], [[], 0]);
  set.add(b);
  t.same([...set], [b], 'an empty set takes further ones');
});

t.test('a walk does not reach members that are removed or added meanwhile', async (t) => {
  const set = new InFlightSet<Member>();
  set.add({ name: 'a' });
  const remove = set.add({ name: 'b' });
  set.add({ name: 'c' });
  const reached: string[] = [];
  for (const { name } of set) {
    reached.push(name);
    remove();
    set.add({ name: `after ${name}` });
  }
  t.same(reached, ['a', 'c']);
  t.equal(set.size, 4);
});

t.test('a value is there under its key until it is deleted or replaced', async (t) => {
  const map = new InFlightMap<string, Member>();
  const [first, second] = [{ name: 'first' }, { name: 'second' }];
  map.set('x', first);
  map.set('x', second);
  map.set('y', first);
  t.same([map.get('x'), map.has('y'), map.size, [...map.values()]], [second, true, 2, [second, first]]);
  t.same([map.delete('x'), map.delete('x'), map.get('x'), map.size], [true, false, undefined, 1]);
  for (const value of map.values()) {
    t.equal(value, first);
    map.clear();
  }
  t.equal(map.size, 0);
});

/** Collects garbage of all objects, or of new ones only. */
function findCollector(): (options?: { type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

function measureOldSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;
}

/** How much of 20 MB that came and went, a few at a time, has reached the space of old objects, in MB. */
function measurePromoted(add: (member: object) => () => void): number {
  const collect = findCollector();
  const removals = Array.from({ length: 8 }, () => add([]));
  // The present table becomes old.
  collect();
  const before = measureOldSpace();
  for (let turn = 0; turn < 2000; turn += 1) {
    removals.push(add(Array.from({ length: 1000 }, (_, index) => index + 0.5)));
    removals.shift()?.();
    if (turn % 200 === 0) collect({ type: 'minor' });
  }
  return (measureOldSpace() - before) / 1e6;
}

t.test('what has left is not carried into the space of old objects', async (t) => {
  const plain = new Set<object>();
  const promotedOfPlain = measurePromoted((member) => {
    plain.add(member);
    return () => plain.delete(member);
  });
  t.ok(promotedOfPlain > 8, `a plain set does that: ${promotedOfPlain} MB`);
  const set = new InFlightSet<object>();
  const promoted = measurePromoted((member) => set.add(member));
  t.ok(promoted < 2, `${promoted} MB`);
  const map = new InFlightMap<number, object>();
  let key = 0;
  const promotedOfMap = measurePromoted((member) => {
    key += 1;
    const own = key;
    map.set(own, member);
    return () => map.delete(own);
  });
  t.ok(promotedOfMap < 2, `${promotedOfMap} MB`);
});
