import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { decodeLine } from '../../../src/logs/lines/decode-line.ts';
import { LineSplitter } from '../../../src/logs/lines/line-splitter.ts';

/** The lines of `chunks` as text, and the incomplete rest. */
function split(chunks: readonly Buffer[], maxBytes = 1000): { lines: string[]; incompleteLine: string } {
  const splitter = new LineSplitter(maxBytes);
  const lines: string[] = [];
  const take = (block: Buffer): void => {
    for (let start = 0; start < block.length; ) {
      const end = block.indexOf(10, start);
      lines.push(decodeLine(block.subarray(start, end), maxBytes));
      start = end + 1;
    }
    block.fill(0); // Its memory may be reused.
  };
  for (const chunk of chunks) {
    const copy = Buffer.from(chunk);
    splitter.push(copy, take);
    copy.fill(0);
  }
  return { lines, incompleteLine: splitter.incompleteLine.toString() };
}

t.test('lines are the same however their bytes arrive', async (t) => {
  const line = fc.stringMatching(/^[aäß€😀{}"]{0,12}\r?$/u);
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat({ max: 200 })), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const positions = [0, ...cuts.filter((index) => index < bytes.length).sort((a, b) => a - b), bytes.length];
      const chunks = positions.slice(1).map((end, index) => bytes.subarray(positions[index], end));
      assert.deepEqual(
        split(chunks).lines,
        lines.map((text) => text.replace(/\r$/, '')),
      );
    }),
  );
  t.pass('whatever the bytes');
});

t.test('a line without its line break waits', async (t) => {
  t.strictSame(split([Buffer.from('one\ntw'), Buffer.from('o\r\nthr')]), {
    lines: ['one', 'two'],
    incompleteLine: 'thr',
  });
});

t.test('a line longer than the limit is cut between characters, and says so', async (t) => {
  const long = Buffer.from(`${'a'.repeat(9)}€${'b'.repeat(5000)}\nnext\n`);
  const pieces = [long.subarray(0, 7), long.subarray(7, 3000), long.subarray(3000)];
  for (const chunks of [[long], pieces]) {
    t.strictSame(split(chunks, 10).lines, ['aaaaaaaaa… [cut after 10 bytes]', 'next']);
  }
  t.strictSame(split([Buffer.from('0123456789\n')], 10).lines, ['0123456789']);
});

t.test('null bytes before a line are dropped, as in a file truncated under its writer', async (t) => {
  t.strictSame(split([Buffer.alloc(50), Buffer.from('\0\0one\n')]).lines, ['one']);
});
