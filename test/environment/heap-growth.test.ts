/** Own process: it changes flags of V8. */
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
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

t.test('both options are known to this version of V8', async (t) => {
  const tags = [cachedDataVersionTag()];
  for (const option of ['--heap-growing-percent=100', '--external-memory-accounted-in-global-limit']) {
    setFlagsFromString(option);
    tags.push(cachedDataVersionTag());
  }
  t.equal(new Set(tags).size, 3);
  setFlagsFromString('--heap-growing-percent=0');
  setFlagsFromString('--no-external-memory-accounted-in-global-limit');
  t.equal(cachedDataVersionTag(), tags[0]);
  await takeTurnForText(1_000_000);
  t.equal(cachedDataVersionTag(), tags[2]);
  await eventually(() => cachedDataVersionTag() === tags[0]);
});
