import type { CheckKind, CheckOutcome } from '../check-kind.ts';
import { findElementIndex } from '../forms/body-value.ts';
import { parseFieldPath, parseHasForm } from '../forms/has-form.ts';
import { createListSubject, type ListCheck, walkBody } from '../forms/list-check.ts';
import { describeTest, parseValueTest, passesTest, type ValueTest } from '../forms/value-test.ts';
import { formatValue } from '../json/describe-value.ts';
import { explainWalk, formatPointer, type ListWalk } from '../json/list-walk.ts';
import type { Observation } from '../observation.ts';

/** `allowsNone`: also an empty list holds. */
export type ElementsCheck = ListCheck & {
  readonly kind: 'elements';
  readonly quantifier: 'every' | 'some';
  readonly allowsNone: boolean;
  readonly test: ValueTest;
};

const prefix = /^body\s+(every|some)(\s+or\s+none)?\s+/;

function describeElement(walk: ListWalk, index: number, { conceal }: Observation): string {
  const value = walk.values[index];
  if (value === undefined) return '';
  return `${formatValue(value, conceal)} at ${formatPointer(walk.locate(index))}`;
}

function judgeEvery(check: ElementsCheck, walk: ListWalk, observation: Observation): CheckOutcome {
  const { expected, test, allowsNone } = check;
  const pointer = walk.firstList ?? walk.locate(0);
  const isEmpty = walk.firstList !== undefined && walk.values.length === 0 && walk.gapCount === 0;
  if (isEmpty && allowsNone) return { passed: true, expected, actual: 'an empty list', pointer };
  const problem = explainWalk(walk, observation.conceal);
  if (problem !== undefined) {
    const hint = isEmpty ? '; send a request that gives some, or write `body every or none …`' : '';
    return { passed: false, expected, actual: problem + hint };
  }
  const failing = walk.values.findIndex((value) => !passesTest(test, value, observation));
  const { length } = walk.values;
  if (failing === -1)
    return { passed: true, expected, actual: `all ${length}, as ${describeElement(walk, 0, observation)}`, pointer };
  const actual = `${describeElement(walk, failing, observation)}, element ${failing + 1} of ${length}`;
  return { passed: false, expected, actual, pointer: walk.locate(failing) };
}

function judgeSome({ expected, test }: ElementsCheck, walk: ListWalk, observation: Observation): CheckOutcome {
  const passing = walk.values.findIndex((value) => passesTest(test, value, observation));
  const { firstList: pointer } = walk;
  if (pointer !== undefined && passing !== -1)
    return { passed: true, expected, actual: describeElement(walk, passing, observation), pointer };
  const { length } = walk.values;
  const none = `none of ${length}, such as ${describeElement(walk, 0, observation)}`;
  const actual = pointer !== undefined && length > 0 ? none : (explainWalk(walk, observation.conceal) ?? none);
  return { passed: false, expected, actual };
}

/** `body every <path> [<test>]` and `body some <path> [<test>]`. */
export const elementsKind: CheckKind<ElementsCheck> = {
  kind: 'elements',
  form: 'body every <path> [<test>]',
  meaning:
    'every element of the lists on the path has the field, and it passes the test; also `body some …`: at least one. `data.price` is the price of each item of `data`, `tags` each tag; an empty list holds only with `body every or none …`',
  example: 'body every data.id matching ^[0-9]+$',
  looksAt: 'response',
  counted: true,
  parse(text, report) {
    const [opening, word, none] = prefix.exec(text) ?? [];
    if (opening === undefined || (word === 'some' && none !== undefined)) return undefined;
    const form = parseHasForm(text, opening.length);
    const test = parseValueTest(form, text.slice(0, form.field.end), report);
    if (test === undefined) return undefined;
    const path = parseFieldPath(form.field, report);
    if (path === undefined || test === 'refused') return 'refused';
    const quantifier = word === 'some' ? 'some' : 'every';
    const expected = `${quantifier === 'some' ? 'at least one' : 'every'} \`${path.text}\`${describeTest(test)}`;
    return { kind: 'elements', quantifier, allowsNone: none !== undefined, path, test, expected };
  },
  judge(check, observation) {
    const walk = walkBody(check, observation);
    if ('passed' in walk) return walk;
    return check.quantifier === 'every' ? judgeEvery(check, walk, observation) : judgeSome(check, walk, observation);
  },
  getElementsRead: ({ quantifier, path, test }) =>
    quantifier === 'some' && test.kind !== 'within' && findElementIndex(path) === undefined ? 'each' : undefined,
  findComparison: ({ test }) => (test.kind === 'compares' ? test.sign : undefined),
  getSubject: createListSubject,
  readingCost: 4,
};
