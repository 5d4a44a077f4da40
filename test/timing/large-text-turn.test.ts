import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { takeTurnForText } from '../../src/timing/large-text-turn.ts';

const large = 1_000_000;

t.test('small texts wait for nothing', async (t) => {
  t.equal(takeTurnForText(1_000), undefined);
});

t.test('in one turn of the event loop one large text is worked on', async (t) => {
  let turn = 0;
  let isOver = false;
  const countTurns = (async () => {
    for (; !isOver; turn += 1) await setImmediate();
  })();
  const turns: number[] = [];
  const work = Array.from({ length: 5 }, async () => {
    await takeTurnForText(large);
    turns.push(turn);
  });
  await Promise.all(work);
  isOver = true;
  await countTurns;
  t.equal(new Set(turns).size, 5, `${turns}`);
});
