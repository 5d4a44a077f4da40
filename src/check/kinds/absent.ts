import type { CheckKind } from '../check-kind.ts';
import { parseBodyForm, parseFieldPath } from '../forms/has-form.ts';
import { createListSubject, type ListCheck, mutateAddition, walkBody } from '../forms/list-check.ts';
import { formatValue } from '../json/describe-value.ts';
import type { FieldPath, PathStep } from '../json/field-path.ts';
import { isList, isObjectValue } from '../json/json.ts';
import { explainWalk, formatPointer, walkLists } from '../json/list-walk.ts';
import type { Subject } from '../subjects/subject.ts';

/** `path` leads to the objects that must not have `last`. */
export type AbsentCheck = ListCheck & { readonly kind: 'absent'; readonly field: FieldPath };

/** Words that make `body has no <word> …` a check of a field named `no`. */
const keywords: ReadonlySet<string> = new Set(['equals', 'containing', 'matching', 'within']);

/** The path without its last step; names joined by dots cover one step less. */
function toHolderPath({ text, steps }: FieldPath): FieldPath {
  const holderSteps = steps.slice(0, -1);
  return {
    text,
    steps: holderSteps.map((step, index): PathStep => {
      if (step.kind !== 'name') return step;
      return { kind: 'name', candidates: step.candidates.filter((each) => index + each.steps <= holderSteps.length) };
    }),
  };
}

function getLastName(field: FieldPath): string {
  const step = field.steps.at(-1);
  if (step?.kind === 'name') return step.candidates.at(-1)?.key ?? '';
  return step?.kind === 'key' ? step.key : String(step?.index ?? '');
}

/** `body has no <field>`; in every element where the path leads through lists. */
export const absentKind: CheckKind<AbsentCheck> = {
  kind: 'absent',
  form: 'body has no <field>',
  meaning:
    'no object on the path has the field, not even as null; `data.password`: none of the items of `data`. There must be something to look at: an object that could have it',
  example: 'body has no data.password',
  looksAt: 'response',
  counted: true,
  parse(text, report) {
    const form = parseBodyForm(text);
    const { keyword, operand } = form ?? {};
    if (form?.field.text !== 'no' || !keyword || keyword.text === '' || operand?.text !== '') return undefined;
    if (keywords.has(keyword.text) || /^[<>=!~]/.test(keyword.text)) return undefined;
    const field = parseFieldPath(keyword, report);
    if (field === undefined) return 'refused';
    return { kind: 'absent', field, path: toHolderPath(field), expected: `no field \`${field.text}\`` };
  },
  judge(check, observation) {
    const { expected, field } = check;
    const holders = walkBody(check, observation);
    if ('passed' in holders) return holders;
    const { body, conceal } = observation;
    const matches = body.kind === 'json' ? walkLists(body.value, field, false) : undefined;
    const match = matches?.values[0];
    if (matches && match !== undefined) {
      const others = matches.values.length > 1 ? `, and ${matches.values.length - 1} more` : '';
      const pointer = matches.locate(0);
      const actual = `${formatValue(match, conceal)} at ${formatPointer(pointer)}${others}`;
      return { passed: false, expected, actual, pointer };
    }
    const { values } = holders;
    const unableIndex = values.findIndex((value) => !isObjectValue(value) && !isList(value));
    if (values.length > 0 && unableIndex === -1 && holders.gapCount === 0) {
      const actual = values.length === 1 ? 'no such field' : `in none of ${values.length}`;
      return { passed: true, expected, actual, pointer: holders.firstList ?? holders.locate(0) };
    }
    const unable = values[unableIndex];
    const nothing =
      unable === undefined
        ? explainWalk(holders, conceal)
        : `${formatPointer(holders.locate(unableIndex))} is ${formatValue(unable, conceal)}, which has no fields`;
    return { passed: false, expected, actual: nothing ?? 'nothing to look at' };
  },
  getSubject(check, observation, outcome): Subject | undefined {
    const subject = createListSubject(check, observation, outcome);
    const { body } = observation;
    const holders = body.kind === 'json' ? walkLists(body.value, check.path) : undefined;
    if (!subject || !holders || holders.values.length === 0 || outcome.pointer === undefined) return undefined;
    return {
      id: `absent/${check.field.text}`,
      containers: [subject.id, ...(subject.containers ?? [])],
      mutations: () => mutateAddition(holders.locate(-1), getLastName(check.field), observation),
    };
  },
};
