/** Numbers as written, compared exactly: nothing is rounded, however long or large they are. */

/** The signs of comparisons with the orders for which they hold: less (-1), equal (0), greater (1). */
export const comparisons = {
  '=': [0],
  '!=': [-1, 1],
  '>': [1],
  '>=': [0, 1],
  '<': [-1],
  '<=': [-1, 0],
} as const satisfies Readonly<Record<string, readonly (-1 | 0 | 1)[]>>;

export type Comparison = keyof typeof comparisons;

export function isComparison(text: string): text is Comparison {
  return Object.hasOwn(comparisons, text);
}

/** ± 0.d₁d₂d₃… × 10^exponent; `digits` has no zeros at its ends and is empty for zero. */
type Decimal = { readonly negative: boolean; readonly digits: string; readonly exponent: number };

const decimalPattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;
const maxLength = 1000;

function trimTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

function parseDecimal(text: string): Decimal | undefined {
  const match = text.length > maxLength ? null : decimalPattern.exec(text);
  if (match === null) return undefined;
  const [, sign, integer = '', fraction = '', exponent = '0'] = match;
  if (integer + fraction === '') return undefined;
  const significant = `${integer}${fraction}`.replace(/^0+/, '');
  const leading = integer.length + fraction.length - significant.length;
  const digits = trimTrailingZeros(significant);
  if (digits === '') return { negative: false, digits, exponent: 0 };
  return { negative: sign === '-', digits, exponent: Number(exponent) + integer.length - leading };
}

/** True for `5`, `-0.50`, `1e3`. */
export function isNumber(text: string): boolean {
  return parseDecimal(text) !== undefined;
}

function compareMagnitudes(left: Decimal, right: Decimal): -1 | 0 | 1 {
  if (left.exponent !== right.exponent) return left.exponent < right.exponent ? -1 : 1;
  if (left.digits === right.digits) return 0;
  return left.digits < right.digits ? -1 : 1;
}

function compareParsed(left: Decimal, right: Decimal): -1 | 0 | 1 {
  if (left.digits === '' && right.digits === '') return 0;
  if (left.digits === '') return right.negative ? 1 : -1;
  if (right.digits === '') return left.negative ? -1 : 1;
  if (left.negative !== right.negative) return left.negative ? -1 : 1;
  return left.negative ? compareMagnitudes(right, left) : compareMagnitudes(left, right);
}

/** False where one of the texts is not a number. */
export function compareDecimals(leftText: string, sign: Comparison, rightText: string): boolean {
  const [left, right] = [parseDecimal(leftText), parseDecimal(rightText)];
  if (left === undefined || right === undefined) return false;
  const order = compareParsed(left, right);
  return comparisons[sign].some((each) => each === order);
}
