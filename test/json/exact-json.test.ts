/** Numbers of a text are written as they were. */
import fc from 'fast-check';
import t from 'tap';
import { hasUnusualNumbers, hasUnusualNumbersInTurns, parseExactJson } from '../../src/json/exact-json.ts';

/** What a relay writes. */
function rewrite(text: string): string {
  return JSON.stringify(parseExactJson(text) ?? JSON.parse(text));
}

t.test('unusual numbers stay as they are', async (t) => {
  const numbers = ['9007199254740993', '-9223372036854775808', '1.0', '0.10', '1e3', '1E+2', '-0', '-0.0', '1e400'];
  for (const number of [...numbers, '0.1000000000000000055', '123456789012345678901234567890']) {
    const text = `{"a":[${number},1],"b":{"c":${number}}}`;
    t.equal(rewrite(text), text);
  }
});

t.test('a text that holds only ordinary numbers needs no exact value', async (t) => {
  for (const text of ['{"a":1,"b":[-2.5,"1.0 and 9007199254740993"]}', '[]', '"1e3"', 'null'])
    t.equal(parseExactJson(text), undefined, text);
});

t.test('every number of every text', async () => {
  const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);
  fc.assert(
    fc.property(fc.array(digits), fc.jsonValue(), (numbers, other) => {
      const text = `{"numbers":[${numbers.join()}],"other":${JSON.stringify(other)}}`;
      return rewrite(text) === text;
    }),
    { numRuns: 2000 },
  );
});

t.test('a number of a long text is found wherever it stands', async (t) => {
  let turns = 0;
  const takeTurn = async (): Promise<void> => {
    turns += 1;
  };
  for (const number of ['1.0', '12345678901234567890', '-0', '1e3'])
    for (const before of [0, 10, 499_975, 499_990, 499_998, 499_999, 500_000, 500_001, 999_985, 1_200_000]) {
      const text = `["${'x'.repeat(before)}",${number},1]`;
      t.equal(await hasUnusualNumbersInTurns(text, takeTurn), true, `${number} after ${before} characters`);
    }
  t.ok(turns > 10, 'there were turns');
  for (const ordinary of [' 1 ', ':1', '"1.5",', '123,']) {
    const text = `[${JSON.stringify(ordinary.repeat(300_000))}]`;
    t.equal(await hasUnusualNumbersInTurns(text, takeTurn), hasUnusualNumbers(text), ordinary);
  }
});
