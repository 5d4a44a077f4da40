/** The form `<what> <sign> <count>` of checks that count, and its judging. */
import { type Comparison, compares, isComparison } from './decimal.ts';

/** The words behind what is counted. */
export type CountTest = { readonly sign: Comparison; readonly count: number };

const form = /^([<>=!]+)\s*(\d{1,9})$/;

/** Reads ` >= 1`; undefined where it is none. */
export function readCount(text: string): CountTest | undefined {
  const [, sign = '', count] = form.exec(text.trimStart()) ?? [];
  return isComparison(sign) ? { sign, count: Number(count) } : undefined;
}

/** Whether the count compares so. */
export function countHolds(counted: number, { sign, count }: CountTest): boolean {
  return compares(String(counted), sign, String(count));
}

/** The same for more than `atLeast - 1` things, nobody knows how many; undefined where that decides nothing. */
export function openCountHolds(atLeast: number, test: CountTest): boolean | undefined {
  const decided = atLeast > test.count;
  switch (test.sign) {
    case '>':
    case '!=':
      return decided || undefined;
    case '>=':
      return atLeast >= test.count || undefined;
    case '<':
      return atLeast >= test.count ? false : undefined;
    default:
      return decided ? false : undefined;
  }
}

/** For `Outcome.expected`, such as `at least 1 row`. */
export function countWords({ sign, count }: CountTest, one: string, many: string): string {
  const words: Readonly<Record<Comparison, string>> = {
    '=': 'exactly',
    '!=': 'any number but',
    '>': 'more than',
    '>=': 'at least',
    '<': 'fewer than',
    '<=': 'at most',
  };
  return `${words[sign]} ${count} ${count === 1 ? one : many}`;
}
