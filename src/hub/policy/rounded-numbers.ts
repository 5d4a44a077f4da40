/** Numbers that rules see rounded: their text goes to the server, so that a rule would decide about another number. */
import { getNumberText } from '../../json/exact-json.ts';
import { toPointerPart } from '../audit/redacted-arguments.ts';

export type RoundedNumber = { readonly pointer: string; readonly text: string };

const decimal = /^-?(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE](?<exponent>[+-]?\d+))?$/;
/** Longer texts count as rounded. */
const maxLength = 400;

/** The digits without zeros around them, and the power of ten of the last one: the same for all texts of a value, whatever its sign. */
function normalize(text: string): string {
  const { whole = '', fraction = '', exponent = '0' } = decimal.exec(text)?.groups ?? {};
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}

/** False for a number that a double rounds, such as `9007199254740993`, and true for `1.0` and `0.1`. */
export function isExactDouble(text: string): boolean {
  if (text.length > maxLength) return false;
  const double = Number(text);
  return Number.isFinite(double) && normalize(text) === normalize(String(double));
}

/** The first number of a value of `parseExactJson` that a double rounds. */
export function findRoundedNumber(value: unknown, pointer = ''): RoundedNumber | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const text = getNumberText(value);
  if (text !== undefined) return isExactDouble(text) ? undefined : { pointer, text };
  for (const [name, member] of Object.entries(value)) {
    const roundedNumber = findRoundedNumber(member, `${pointer}/${toPointerPart(name)}`);
    if (roundedNumber) return roundedNumber;
  }
  return undefined;
}
