import { cachedDataVersionTag } from 'node:v8';
import t from 'tap';
import { takeTurnForText } from '../../src/timing/large-text-turn.ts';
import { eventually } from '../eventually.ts';

/** The tag is computed from the flags of V8. */
t.test('the heap grows for large texts, and then as V8 decides', async (t) => {
  const tag = cachedDataVersionTag();
  await takeTurnForText(1000);
  t.equal(cachedDataVersionTag(), tag);
  await takeTurnForText(1_000_000);
  t.not(cachedDataVersionTag(), tag);
  await eventually(() => cachedDataVersionTag() === tag);
});
