import t from 'tap';
import { KeyedListeners } from '../../src/listeners/keyed-listeners.ts';

t.test('listeners are those of their key, and a key without any is forgotten', async (t) => {
  const listeners = new KeyedListeners<string>();
  const remove = listeners.add('a', 'first');
  listeners.add('a', 'second');
  listeners.add('b', 'third');
  t.same([...listeners.get('a')], ['first', 'second']);
  t.same([...listeners.get('c')], []);
  remove();
  remove();
  t.same([...listeners.get('a')], ['second']);
  t.equal(listeners.size, 2);
  t.notOk(listeners.has('c'));
});

t.test('a listener that another one removes is not reached', async (t) => {
  for (const walk of ['get', 'take'] as const) {
    const listeners = new KeyedListeners<() => void>();
    const called: string[] = [];
    listeners.add('a', () => {
      called.push('first');
      removeSecond();
    });
    const removeSecond = listeners.add('a', () => called.push('second'));
    for (const listener of listeners[walk]('a')) listener();
    t.same(called, ['first'], walk);
  }
});

t.test('listeners that were taken are gone, and their removal leaves later ones alone', async (t) => {
  const listeners = new KeyedListeners<string>();
  const removeOld = listeners.add('a', 'old');
  t.same([...listeners.take('a')], ['old']);
  t.notOk(listeners.has('a'));
  listeners.add('a', 'new');
  removeOld();
  t.same([...listeners.get('a')], ['new']);
});
