import t from 'tap';
import { Listeners } from '../../src/listeners/listeners.ts';

t.test('listeners get the event in their order, until they are removed', async (t) => {
  const listeners = new Listeners<string>();
  const calls: string[] = [];
  const removeFirst = listeners.add((event) => void calls.push(`first ${event}`));
  listeners.add((event) => void calls.push(`second ${event}`));
  listeners.notify('a');
  removeFirst();
  removeFirst();
  listeners.notify('b');
  t.same(calls, ['first a', 'second a', 'second b']);
  t.equal(listeners.size, 1);
});

t.test('a function that was added twice is called twice, and each removal counts once', async (t) => {
  const listeners = new Listeners();
  let count = 0;
  const listener = (): void => {
    count += 1;
  };
  const remove = listeners.add(listener);
  listeners.add(listener);
  listeners.notify();
  remove();
  listeners.notify();
  t.equal(count, 3);
});

t.test('what a listener removes or adds is not reached in the same event', async (t) => {
  const listeners = new Listeners();
  const calls: string[] = [];
  listeners.add(() => {
    removeSecond();
    listeners.add(() => calls.push('third'));
  });
  const removeSecond = listeners.add(() => calls.push('second'));
  listeners.notify();
  t.same(calls, []);
});

t.test('an error goes to the one who notifies, or to onError without ending the others', async (t) => {
  const plain = new Listeners();
  plain.add(() => {
    throw new Error('no');
  });
  t.throws(() => plain.notify(), { message: 'no' });
  const errors: unknown[] = [];
  const guarded = new Listeners((error) => void errors.push(error));
  let isReached = false;
  guarded.add(() => {
    throw new Error('no');
  });
  guarded.add(() => {
    isReached = true;
  });
  guarded.notify();
  t.match(errors, [{ message: 'no' }]);
  t.ok(isReached);
});
