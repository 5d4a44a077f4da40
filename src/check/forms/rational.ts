/** Exact numbers: decimals as they were sent, and what the four operations make of them. Nothing is rounded. */

/** `numerator / denominator`; the denominator is positive. */
export type Rational = { readonly numerator: bigint; readonly denominator: bigint };

const decimalPattern = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;
/** Longer numbers would take long to multiply. */
const maxDigits = 400;

/** Undefined where the text is not a number, or has too many digits. */
export function parseRational(text: string): Rational | undefined {
  const match = text.length > maxDigits ? null : decimalPattern.exec(text);
  if (match === null) return undefined;
  const [, sign = '', integer = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText) - fraction.length;
  if (Math.abs(exponent) > maxDigits) return undefined;
  const digits = BigInt(integer + fraction) * (sign === '-' ? -1n : 1n);
  const power = 10n ** BigInt(Math.abs(exponent));
  return exponent >= 0 ? { numerator: digits * power, denominator: 1n } : { numerator: digits, denominator: power };
}

function greatestDivisor(left: bigint, right: bigint): bigint {
  let [a, b] = [left < 0n ? -left : left, right];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

function reduce(numerator: bigint, denominator: bigint): Rational {
  if (denominator === 1n) return { numerator, denominator };
  const divisor = greatestDivisor(numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** Of decimals one denominator divides the other, so that most sums need no greatest common divisor. */
export function add(left: Rational, right: Rational): Rational {
  const [larger, smaller] = left.denominator >= right.denominator ? [left, right] : [right, left];
  if (larger.denominator % smaller.denominator === 0n) {
    const numerator = larger.numerator + smaller.numerator * (larger.denominator / smaller.denominator);
    return { numerator, denominator: larger.denominator };
  }
  return reduce(
    left.numerator * right.denominator + right.numerator * left.denominator,
    left.denominator * right.denominator,
  );
}

export function negate({ numerator, denominator }: Rational): Rational {
  return { numerator: -numerator, denominator };
}

/** Not reduced: an expression has too few operators for its numbers to grow much. */
export function multiply(left: Rational, right: Rational): Rational {
  return { numerator: left.numerator * right.numerator, denominator: left.denominator * right.denominator };
}

/** Undefined for a division by zero. */
export function divide(left: Rational, right: Rational): Rational | undefined {
  if (right.numerator === 0n) return undefined;
  const sign = right.numerator < 0n ? -1n : 1n;
  return reduce(left.numerator * right.denominator * sign, left.denominator * right.numerator * sign);
}

export function compareRationals(left: Rational, right: Rational): -1 | 0 | 1 {
  const difference = left.numerator * right.denominator - right.numerator * left.denominator;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

/** The next whole number down. */
export function floor({ numerator, denominator }: Rational): Rational {
  const quotient = numerator / denominator;
  const isBelow = numerator < 0n && quotient * denominator !== numerator;
  return { numerator: isBelow ? quotient - 1n : quotient, denominator: 1n };
}

export function ceil(value: Rational): Rational {
  return negate(floor(negate(value)));
}

/** To so many decimals; halves away from zero, as invoices are. */
export function round(value: Rational, decimals: number): Rational {
  const scale = { numerator: 10n ** BigInt(decimals), denominator: 1n };
  const isNegative = value.numerator < 0n;
  const scaled = multiply(isNegative ? negate(value) : value, scale);
  const rounded = floor(add(scaled, { numerator: 1n, denominator: 2n }));
  const result = reduce(rounded.numerator, scale.numerator);
  return isNegative ? negate(result) : result;
}

const maxDecimals = 12;

/** A decimal; cut with `…` where it does not end soon. */
export function formatRational(value: Rational): string {
  const { numerator, denominator } = value;
  const magnitude = numerator < 0n ? -numerator : numerator;
  const scaled = (magnitude * 10n ** BigInt(maxDecimals)) / denominator;
  const isExact = scaled * denominator === magnitude * 10n ** BigInt(maxDecimals);
  const digits = String(scaled).padStart(maxDecimals + 1, '0');
  const fraction = digits.slice(-maxDecimals);
  const shortFraction = isExact ? fraction.replace(/0+$/, '') : `${fraction}…`;
  const sign = numerator < 0n ? '-' : '';
  return `${sign}${digits.slice(0, -maxDecimals)}${shortFraction === '' ? '' : `.${shortFraction}`}`;
}
