import t from 'tap';
import { SpareTurn } from '../../src/timing/spare-turn.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('work of a spare turn runs after what was sent in the next turn, once', async (t) => {
  const events: string[] = [];
  const spare = new SpareTurn(() => {
    events.push('work');
    return events.length;
  });
  setImmediate(() => events.push('sent'));
  await nextTurn();
  t.same(events, ['sent']);
  await nextTurn();
  t.same(events, ['sent', 'work']);
  t.equal(spare.take(), 2);
  t.equal(spare.take(), 2);
});

t.test('work whose result is taken too early never runs', async (t) => {
  for (const turns of [0, 1]) {
    let isRun = false;
    const spare = new SpareTurn(() => {
      isRun = true;
      return 1;
    });
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    t.equal(spare.take(), undefined);
    await nextTurn();
    await nextTurn();
    await nextTurn();
    t.equal(isRun, false, `after ${turns} turns`);
  }
});

t.test('work that throws has no result', async (t) => {
  const spare = new SpareTurn(() => {
    throw new Error('not now');
  });
  await nextTurn();
  await nextTurn();
  t.equal(spare.take(), undefined);
});
