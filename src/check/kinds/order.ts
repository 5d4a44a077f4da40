import type { CheckKind } from '../check-kind.ts';
import { compareDecimals, isNumber } from '../forms/decimal.ts';
import { parseFieldPath } from '../forms/has-form.ts';
import { createListSubject, type ListCheck, reverseListAt, walkBody } from '../forms/list-check.ts';
import { formatValue } from '../json/describe-value.ts';
import { type Json, Numeral, toStringForm } from '../json/json.ts';
import { explainWalk, formatPointer } from '../json/list-walk.ts';

export type OrderCheck = ListCheck & { readonly kind: 'order'; readonly isDescending: boolean };

const orderPattern = /^body\s+sorted\s+by\s+((?:\["(?:[^"\\]|\\.)*"\]|(?!\[")\S)+?)(?:\s+(asc|desc))?$/;

/** Numbers by their value, texts by code unit; undefined where the two cannot be compared. */
function compareValues(left: Json, right: Json): -1 | 0 | 1 | undefined {
  if (isNumeric(left) && isNumeric(right)) {
    const [a, b] = [toStringForm(left), toStringForm(right)];
    if (compareDecimals(a, '=', b)) return 0;
    return compareDecimals(a, '<', b) ? -1 : 1;
  }
  if (typeof left !== 'string' || typeof right !== 'string') return undefined;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function isNumeric(value: Json): value is number | Numeral {
  return (typeof value === 'number' || value instanceof Numeral) && isNumber(toStringForm(value));
}

/** `body sorted by <path> [desc]`. */
export const orderKind: CheckKind<OrderCheck> = {
  kind: 'order',
  form: 'body sorted by <path> [desc]',
  meaning:
    'the elements are in the order of this value, equal ones next to each other in any order: numbers by value, texts by code unit, as ISO dates are; needs at least two',
  example: 'body sorted by data.created_at desc',
  looksAt: 'response',
  counted: true,
  parse(text, report) {
    const [, pathText, direction] = orderPattern.exec(text) ?? [];
    if (pathText === undefined) return undefined;
    const start = text.indexOf(pathText, 'body sorted by'.length);
    const path = parseFieldPath({ text: pathText, start, end: start + pathText.length }, report);
    if (path === undefined) return 'refused';
    const isDescending = direction === 'desc';
    const expected = `in the order of \`${path.text}\`, ${isDescending ? 'descending' : 'ascending'}`;
    return { kind: 'order', path, isDescending, expected };
  },
  judge(check, observation) {
    const { expected, isDescending } = check;
    const walk = walkBody(check, observation);
    if ('passed' in walk) return walk;
    const { values, firstList } = walk;
    const { conceal } = observation;
    const problem = explainWalk(walk, conceal);
    if (problem !== undefined) return { passed: false, expected, actual: problem };
    if (values.length < 2) {
      return {
        passed: false,
        expected,
        actual: 'only one element, which shows no order: send a request that gives more',
      };
    }
    for (const [index, right] of values.entries()) {
      const left = values[index - 1];
      if (left === undefined) continue;
      const order = compareValues(left, right);
      if (order !== undefined && (isDescending ? order >= 0 : order <= 0)) continue;
      const pair = `${formatValue(left, conceal)} before ${formatValue(right, conceal)}`;
      const reason = order === undefined ? ', which cannot be compared' : '';
      const pointer = walk.locate(index);
      return { passed: false, expected, actual: `${pair} at ${formatPointer(pointer)}${reason}`, pointer };
    }
    return { passed: true, expected, actual: `${values.length} in order`, pointer: firstList ?? '' };
  },
  getSubject(check, observation, outcome) {
    const subject = createListSubject(check, observation, outcome);
    if (!subject) return undefined;
    const ownMutations: typeof subject.ownMutations = (context) => [
      ...(subject.ownMutations?.(context) ?? []),
      {
        description: 'the elements are in the opposite order',
        affects: 'content',
        cost: context.size,
        size: context.size,
        apply: (changed) => reverseListAt(changed, outcome.pointer ?? ''),
      },
    ];
    return { ...subject, ownMutations };
  },
  readingCost: 4,
};
