/** Checks of a text that has a name: headers and cookies. */
import type { CheckOutcome, ReportProblem } from '../check-kind.ts';
import { quoteText } from '../json/describe-value.ts';
import type { Observation } from '../observation.ts';
import { mutateValue } from '../subjects/mutate-value.ts';
import type { Mutation } from '../subjects/subject.ts';
import type { Comparison } from './decimal.ts';
import type { HasForm } from './has-form.ts';
import { describeTest, parseValueTest, passesTest, type ValueTest } from './value-test.ts';
import { explainDistance } from './within-now.ts';

/** `absent`: there must be none. */
export type PresenceTest = ValueTest | { readonly kind: 'absent' };

/** Undefined where the keyword is unknown; `=` is another way to write `equals`. */
export function parsePresenceTest(
  form: HasForm,
  start: string,
  report: ReportProblem,
): PresenceTest | 'refused' | undefined {
  const keyword = form.keyword.text;
  if (keyword === 'absent') return form.operand.text === '' ? { kind: 'absent' } : undefined;
  return parseValueTest(
    keyword === '=' ? { ...form, keyword: { ...form.keyword, text: 'equals' } } : form,
    start,
    report,
  );
}

export function findTestComparison(test: PresenceTest): Comparison | undefined {
  return test.kind === 'compares' ? test.sign : undefined;
}

/** `subject`: such as a header `Location`. */
export function describePresence(subject: string, test: PresenceTest): string {
  return test.kind === 'absent' ? `no ${subject}` : `a ${subject}${describeTest(test)}`;
}

/** `value` is concealed already. `missing` says that it is not there; `hidden` stands for a value that must not be displayed. */
export function judgePresence(
  test: PresenceTest,
  value: string | undefined,
  texts: { readonly expected: string; readonly missing: string; readonly hidden?: string },
  { nowMs }: Observation,
): CheckOutcome {
  const { expected, missing, hidden } = texts;
  if (value === undefined) return { passed: test.kind === 'absent', expected, actual: missing };
  if (test.kind === 'absent') return { passed: false, expected, actual: hidden ?? quoteText(value) };
  if (hidden !== undefined) return { passed: passesTest(test, value, { nowMs }), expected, actual: hidden };
  const distance = test.kind === 'within' ? `, ${explainDistance(value, nowMs)}` : '';
  return { passed: passesTest(test, value, { nowMs }), expected, actual: `${quoteText(value)}${distance}` };
}

/** `replace` gives the observation another text under the name; undefined removes it. */
export function mutateNamedText(
  name: string,
  value: string | undefined,
  replace: (observation: Observation, text: string | undefined) => Observation,
): Mutation[] {
  const create = (description: string, affects: Mutation['affects'], text: string | undefined): Mutation => ({
    description: `${name} ${description}`,
    affects,
    cost: 100,
    size: text?.length ?? 0,
    apply: (observation) => replace(observation, text),
  });
  if (value === undefined) return [create('is there', 'content', 'other')];
  const others = mutateValue(value).flatMap(({ description, create: createValue }) => {
    const text = createValue();
    return typeof text === 'string' ? [create(description, 'content', text)] : [];
  });
  return [create('is missing', 'presence', undefined), ...others];
}
