import fc from 'fast-check';
import t from 'tap';
import { TextLineSplitter } from '../../src/streams/text-line-splitter.ts';

t.test('lines end with LF or CR LF, and the last one waits for its end', async (t) => {
  const splitter = new TextLineSplitter(100);
  t.same(splitter.split(Buffer.from('one\ntwo\r\n\nthr')), ['one', 'two', '']);
  t.same(splitter.split(Buffer.from('ee\r')), []);
  t.same(splitter.split(Buffer.from('\nfour')), ['three']);
});

t.test('chunks may end anywhere, also within a character', async (t) => {
  const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n]/g, ''));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(20)), (lines, sizes) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const splitter = new TextLineSplitter(10_000);
      const received: string[] = [];
      let start = 0;
      for (const size of sizes) {
        received.push(...splitter.split(bytes.subarray(start, start + size)));
        start += size;
      }
      received.push(...splitter.split(bytes.subarray(start)));
      t.same(
        received,
        lines.map((text) => Buffer.from(text).toString('utf8')),
      );
    }),
    { numRuns: 100 },
  );
});

t.test('a line of more than the maximum is refused, complete or not', async (t) => {
  t.throws(() => new TextLineSplitter(5).split(Buffer.from('123456')), RangeError);
  t.throws(() => new TextLineSplitter(5).split(Buffer.from('123456\n')), RangeError);
  const splitter = new TextLineSplitter(5);
  t.same(splitter.split(Buffer.from('12345\n123')), ['12345']);
  t.throws(() => splitter.split(Buffer.from('456\n')), RangeError);
});
