import fc from 'fast-check';
import t from 'tap';
import { GrowingBuffer } from '../../src/streams/growing-buffer.ts';
import { measureSmallest } from '../smallest-measurement.ts';

const maxBytes = 20_000_000;

t.test('the content is the chunks in order, whatever is taken in between', async (t) => {
  const step = fc.record({ chunk: fc.uint8Array({ maxLength: 3000 }), take: fc.nat(3000) });
  const property = fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
    const buffer = new GrowingBuffer();
    let expected = Buffer.alloc(0);
    for (const { chunk, take } of steps) {
      buffer.append(chunk);
      expected = Buffer.concat([expected, chunk]);
      const taken = buffer.take(take);
      t.ok(taken.equals(expected.subarray(0, take)));
      expected = expected.subarray(take);
      t.equal(buffer.length, expected.length);
      t.ok(buffer.view().equals(expected));
    }
    t.ok(buffer.takeAll().equals(expected));
    t.equal(buffer.length, 0);
  });
  fc.assert(property, { numRuns: 30 });
});

t.test('a taken content is not changed by what follows', async (t) => {
  const buffer = new GrowingBuffer();
  buffer.append(Buffer.from('first'));
  const taken = buffer.takeAll();
  buffer.append(Buffer.from('other'));
  t.equal(taken.toString(), 'first');
});

t.test('a text is taken as a whole, and the chunks of others are not changed', async (t) => {
  const buffer = new GrowingBuffer();
  const foreign = Buffer.from('ä');
  buffer.append(foreign);
  t.equal(buffer.takeText(), 'ä');
  t.equal(foreign.toString(), 'ä');
  buffer.append(foreign.subarray(0, 1));
  buffer.append(foreign.subarray(1));
  buffer.append(Buffer.from('x'.repeat(5000)));
  t.equal(buffer.takeText(), `ä${'x'.repeat(5000)}`);
  t.equal(buffer.length, 0);
  buffer.append(foreign);
  t.equal(buffer.takeText(), 'ä');
});

t.test('chunks of one byte take little more memory than their bytes', async (t) => {
  const chunk = Buffer.from('x');
  const takenBytes = await measureSmallest(maxBytes, () => {
    const buffer = new GrowingBuffer();
    const memoryBefore = process.memoryUsage().heapUsed;
    for (let count = 0; count < 1_000_000; count += 1) buffer.append(chunk);
    t.equal(buffer.length, 1_000_000);
    return process.memoryUsage().heapUsed - memoryBefore;
  });
  t.ok(takenBytes <= maxBytes, 'a list of chunks takes about 100 MB');
});

t.test('what was announced changes nothing but the size of the buffer', async (t) => {
  const chunk = Buffer.from('0123456789abcdef'.repeat(4096));
  for (const announced of [0, 1, 300_000, 655_360, 1_000_000]) {
    const buffer = new GrowingBuffer();
    buffer.expect(announced);
    for (let count = 0; count < 10; count += 1) buffer.append(chunk);
    const bytes = buffer.takeAll();
    t.ok(bytes.equals(Buffer.concat(Array.from({ length: 10 }, () => chunk))), `${announced} bytes announced`);
    if (announced === 655_360) t.equal(bytes.buffer.byteLength, announced, 'it has grown to that at once');
  }
});

t.test('what is kept for long keeps little more memory than its bytes', async (t) => {
  const chunk = Buffer.from('0123456789abcdef'.repeat(4096));
  for (const [count, announced] of [
    [1, 0],
    [9, 0],
    [9, 9 * chunk.length],
  ] as const) {
    const buffer = new GrowingBuffer();
    buffer.expect(announced);
    for (let index = 0; index < count; index += 1) buffer.append(chunk);
    const bytes = buffer.takeFitting();
    t.ok(Buffer.concat(Array.from({ length: count }, () => chunk)).equals(bytes));
    t.ok(bytes.buffer.byteLength <= bytes.length * 1.25, `${bytes.buffer.byteLength} bytes`);
    t.equal(buffer.length, 0);
    t.not(bytes.buffer, chunk.buffer);
  }
});

t.test('what is discarded gives its memory back at once', async (t) => {
  const buffer = new GrowingBuffer();
  for (let count = 0; count < 2; count += 1) buffer.append(Buffer.alloc(1_000_000));
  const view = buffer.view();
  buffer.discard();
  t.equal(view.buffer.byteLength, 0);
  t.equal(buffer.length, 0);
  buffer.append(Buffer.from('next'));
  t.equal(buffer.takeText(), 'next');
});
