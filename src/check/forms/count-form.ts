/** The form `<subject> <sign> <count>` of checks that count. */
import { type Comparison, compareDecimals, isComparison } from './decimal.ts';

export type CountTest = { readonly sign: Comparison; readonly count: number };

const countPattern = /^([<>=!]+)\s*(\d{1,9})$/;

/** Parses ` >= 1`; undefined where the text is not of that form. */
export function parseCount(text: string): CountTest | undefined {
  const [, sign = '', count] = countPattern.exec(text.trimStart()) ?? [];
  return isComparison(sign) ? { sign, count: Number(count) } : undefined;
}

export function isCountSatisfied(actualCount: number, { sign, count }: CountTest): boolean {
  return compareDecimals(String(actualCount), sign, String(count));
}

/** False where some counts from `min` to `max` satisfy the test and others do not. */
export function isDecidedBetween(min: number, max: number, test: CountTest): boolean {
  const boundaries = [min, max, test.count - 1, test.count, test.count + 1];
  const outcomes = boundaries
    .filter((count) => count >= min && count <= max)
    .map((count) => isCountSatisfied(count, test));
  return outcomes.every((outcome) => outcome === outcomes[0]);
}

/** As `isCountSatisfied`, for an unknown count of which only a lower bound is known; undefined where that does not decide. */
export function isOpenCountSatisfied(atLeast: number, test: CountTest): boolean | undefined {
  const isExceeded = atLeast > test.count;
  switch (test.sign) {
    case '>':
    case '!=':
      return isExceeded || undefined;
    case '>=':
      return atLeast >= test.count || undefined;
    case '<':
      return atLeast >= test.count ? false : undefined;
    default:
      return isExceeded ? false : undefined;
  }
}

/** Such as `at least 1 row`. */
export function describeCount({ sign, count }: CountTest, singular: string, plural: string): string {
  const signTexts: Readonly<Record<Comparison, string>> = {
    '=': 'exactly',
    '!=': 'any number but',
    '>': 'more than',
    '>=': 'at least',
    '<': 'fewer than',
    '<=': 'at most',
  };
  return `${signTexts[sign]} ${count} ${count === 1 ? singular : plural}`;
}
