import { equal } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type Comparison, compares, comparisons, isComparison, isNumber } from '../../src/check/decimal.ts';

t.test('numbers are compared as they are written, without rounding', async (t) => {
  const cases: readonly (readonly [string, Comparison, string, boolean])[] = [
    ['9007199254740993', '>', '9007199254740992', true],
    ['0.1', '=', '0.10', true],
    ['1e2', '=', '100', true],
    ['-0', '=', '0', true],
    ['0.30000000000000004', '>', '0.3', true],
    ['1e400', '>', '9e399', true],
    ['-1e400', '<', '1e-400', true],
    ['1e-400', '>', '0', true],
    ['-5', '<', '-4.99', true],
    ['10', '>', '9', true],
    ['10', '!=', '10.0', false],
    ['2', '>=', '2', true],
    ['2', '<=', '1', false],
    ['1e+21', '=', '1000000000000000000000', true],
  ];
  for (const [one, sign, other, holds] of cases) t.equal(compares(one, sign, other), holds, `${one} ${sign} ${other}`);
});

t.test('what is no number compares with nothing', async (t) => {
  for (const text of ['', '.', '-', 'e5', '1e', '0x10', 'NaN', 'Infinity', '1 ', '1,5', 'null', '1'.repeat(1001)]) {
    t.notOk(isNumber(text), text.slice(0, 10));
    for (const sign of ['=', '!=', '>', '<'] as const) t.notOk(compares(text, sign, '1'));
  }
  t.notOk(isComparison('constructor'));
});

const scaled = fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(25));

/** The number n / 10^scale in plain digits. */
function plain([number, scale]: readonly [bigint, number]): string {
  const digits = (number < 0n ? -number : number).toString().padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return number < 0n ? `-${text}` : text;
}

t.test('it agrees with arithmetic on integers', async () => {
  fc.assert(
    fc.property(scaled, scaled, (one, other) => {
      const [left, right] = [one[0] * 10n ** BigInt(other[1]), other[0] * 10n ** BigInt(one[1])];
      const order = left === right ? 0 : left < right ? -1 : 1;
      for (const [sign, held] of Object.entries(comparisons)) {
        if (!isComparison(sign)) continue;
        equal(
          compares(plain(one), sign, plain(other)),
          held.some((each) => each === order),
        );
        equal(
          compares(`${one[0]}e-${one[1]}`, sign, plain(other)),
          held.some((each) => each === order),
        );
      }
    }),
    { numRuns: 2000 },
  );
});
