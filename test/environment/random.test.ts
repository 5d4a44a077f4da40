/** Unpredictable bytes. */
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';

t.test('bytes and tokens have the size that was asked for, and never come twice', async (t) => {
  const values = new Set<string>();
  const sizes = [1, 8, 16, 32, 64, 65, 5000];
  for (let turn = 0; turn < 500; turn += 1) {
    for (const size of sizes) {
      const bytes = systemRandom.bytes(size);
      t.equal(bytes.length, size);
      if (size >= 16) values.add(Buffer.from(bytes).toString('hex'));
    }
    values.add(systemRandom.token(12));
  }
  t.equal(values.size, 500 * (sizes.filter((size) => size >= 16).length + 1));
});

t.test('what was given out stays as it is', async (t) => {
  const first = systemRandom.bytes(16);
  const text = Buffer.from(first).toString('hex');
  first.fill(0, 0, 0);
  for (let turn = 0; turn < 1000; turn += 1) systemRandom.bytes(16).fill(255);
  t.equal(Buffer.from(first).toString('hex'), text);
  for (const size of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
    t.throws(() => systemRandom.bytes(size), RangeError);
  t.equal(systemRandom.bytes(0).length, 0);
  t.match(systemRandom.token(32), /^[A-Za-z0-9_-]{43}$/);
});

t.test('a token is never taken for a flag', async (t) => {
  const tokens = Array.from({ length: 2000 }, () => systemRandom.token(12));
  t.same(
    tokens.filter((text) => text.startsWith('-')),
    [],
  );
  t.ok(tokens.every((text) => /^[\w-]{16}$/.test(text)));
});
