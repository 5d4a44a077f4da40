import type { CheckKind } from '../check-kind.ts';
import { parseFieldPath } from '../forms/has-form.ts';
import { createListSubject, type ListCheck, walkBody } from '../forms/list-check.ts';
import { formatValue } from '../json/describe-value.ts';
import { toStringForm } from '../json/json.ts';
import { explainWalk, formatPointer } from '../json/list-walk.ts';

export type UniqueCheck = ListCheck & { readonly kind: 'unique' };

const uniquePattern = /^body\s+unique\s+((?:\["(?:[^"\\]|\\.)*"\]|(?!\[")\S)+)$/;

/** `body unique <path>`. */
export const uniqueKind: CheckKind<UniqueCheck> = {
  kind: 'unique',
  form: 'body unique <path>',
  meaning: 'no two elements have the same value there, by its string form; needs at least two',
  example: 'body unique data.id',
  looksAt: 'response',
  counted: true,
  parse(text, report) {
    const pathText = uniquePattern.exec(text)?.[1];
    if (pathText === undefined) return undefined;
    const start = text.length - pathText.length;
    const path = parseFieldPath({ text: pathText, start, end: text.length }, report);
    return path === undefined ? 'refused' : { kind: 'unique', path, expected: `every \`${path.text}\` once` };
  },
  judge(check, observation) {
    const { expected } = check;
    const walk = walkBody(check, observation);
    if ('passed' in walk) return walk;
    const { conceal } = observation;
    const problem = explainWalk(walk, conceal);
    if (problem !== undefined) return { passed: false, expected, actual: problem };
    if (walk.values.length < 2) {
      return {
        passed: false,
        expected,
        actual: 'only one element, which is always unique: send a request that gives more',
      };
    }
    const indexesByText = new Map<string, number>();
    for (const [index, value] of walk.values.entries()) {
      const key = `${typeof value === 'string'}${toStringForm(value)}`;
      const earlier = indexesByText.get(key);
      if (earlier !== undefined) {
        const pointer = walk.locate(index);
        const actual = `${formatValue(value, conceal)} at ${formatPointer(walk.locate(earlier))} and ${formatPointer(pointer)}`;
        return { passed: false, expected, actual, pointer };
      }
      indexesByText.set(key, index);
    }
    return { passed: true, expected, actual: `${walk.values.length} different ones`, pointer: walk.firstList ?? '' };
  },
  getSubject: createListSubject,
  readingCost: 4,
};
