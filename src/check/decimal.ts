/** Numbers as they are written, compared exactly: nothing is rounded, however long or great they are. */

/** The signs of comparisons, with whether they hold for less (-1), equal (0) and greater (1). */
export const comparisons = {
  '=': [0],
  '!=': [-1, 1],
  '>': [1],
  '>=': [0, 1],
  '<': [-1],
  '<=': [-1, 0],
} as const satisfies Readonly<Record<string, readonly (-1 | 0 | 1)[]>>;

/** A sign of {@link comparisons}. */
export type Comparison = keyof typeof comparisons;

/** True when `text` is such a sign. */
export function isComparison(text: string): text is Comparison {
  return Object.hasOwn(comparisons, text);
}

/** ± 0.d₁d₂d₃… × 10^exponent; `digits` has no zeros at its ends and is empty for zero. */
type Decimal = { readonly negative: boolean; readonly digits: string; readonly exponent: number };

const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;
/** Longer texts are no numbers that anybody compares. */
const maxLength = 1000;

function withoutZerosBehind(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

function decimalOf(text: string): Decimal | undefined {
  const found = text.length > maxLength ? null : form.exec(text);
  if (found === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = found;
  if (whole + fraction === '') return undefined;
  const significant = `${whole}${fraction}`.replace(/^0+/, '');
  const leading = whole.length + fraction.length - significant.length;
  const digits = withoutZerosBehind(significant);
  if (digits === '') return { negative: false, digits, exponent: 0 };
  return { negative: sign === '-', digits, exponent: Number(exponent) + whole.length - leading };
}

/** True for `5`, `-0.50`, `1e3`. */
export function isNumber(text: string): boolean {
  return decimalOf(text) !== undefined;
}

function orderOfMagnitudes(one: Decimal, other: Decimal): -1 | 0 | 1 {
  if (one.exponent !== other.exponent) return one.exponent < other.exponent ? -1 : 1;
  if (one.digits === other.digits) return 0;
  return one.digits < other.digits ? -1 : 1;
}

function order(one: Decimal, other: Decimal): -1 | 0 | 1 {
  if (one.digits === '' && other.digits === '') return 0;
  if (one.digits === '') return other.negative ? 1 : -1;
  if (other.digits === '') return one.negative ? -1 : 1;
  if (one.negative !== other.negative) return one.negative ? -1 : 1;
  return one.negative ? orderOfMagnitudes(other, one) : orderOfMagnitudes(one, other);
}

/** Whether `one` compares so with `other`; false where one of them is no number. */
export function compares(one: string, sign: Comparison, other: string): boolean {
  const [left, right] = [decimalOf(one), decimalOf(other)];
  if (left === undefined || right === undefined) return false;
  const found = order(left, right);
  return comparisons[sign].some((each) => each === found);
}
