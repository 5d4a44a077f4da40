import t from 'tap';
import { measureSmallest } from './smallest-measurement.ts';

function replay(values: readonly number[]) {
  let calls = 0;
  const measure = async (): Promise<number> => {
    calls += 1;
    return values[calls - 1] ?? Number.NaN;
  };
  return { measure, calls: () => calls };
}

t.test('what is within the bound is measured once', async (t) => {
  const { measure, calls } = replay([64, 1]);
  t.equal(await measureSmallest(64, measure), 64);
  t.equal(calls(), 1);
});

t.test('what is above it is measured again; the smallest of three counts', async (t) => {
  const once = replay([67, 40, 1]);
  t.equal(await measureSmallest(64, once.measure), 40);
  t.equal(once.calls(), 2);
  const always = replay([90, 80, 85, 1]);
  t.equal(await measureSmallest(64, always.measure), 80);
  t.equal(always.calls(), 3);
});
