import { equal } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import {
  type Comparison,
  compareDecimals,
  comparisons,
  isComparison,
  isNumber,
} from '../../../src/check/forms/decimal.ts';

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
  for (const [left, sign, right, holds] of cases)
    t.equal(compareDecimals(left, sign, right), holds, `${left} ${sign} ${right}`);
});

t.test('text that is not a number never satisfies a comparison', async (t) => {
  for (const text of ['', '.', '-', 'e5', '1e', '0x10', 'NaN', 'Infinity', '1 ', '1,5', 'null', '1'.repeat(1001)]) {
    t.notOk(isNumber(text), text.slice(0, 10));
    for (const sign of ['=', '!=', '>', '<'] as const) t.notOk(compareDecimals(text, sign, '1'));
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
    fc.property(scaled, scaled, (first, second) => {
      const [left, right] = [first[0] * 10n ** BigInt(second[1]), second[0] * 10n ** BigInt(first[1])];
      const order = left === right ? 0 : left < right ? -1 : 1;
      for (const [sign, holdingOrders] of Object.entries(comparisons)) {
        if (!isComparison(sign)) continue;
        equal(
          compareDecimals(plain(first), sign, plain(second)),
          holdingOrders.some((each) => each === order),
        );
        equal(
          compareDecimals(`${first[0]}e-${first[1]}`, sign, plain(second)),
          holdingOrders.some((each) => each === order),
        );
      }
    }),
    { numRuns: 2000 },
  );
});
