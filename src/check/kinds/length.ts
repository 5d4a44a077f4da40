import type { CheckKind } from '../check-kind.ts';
import { type FieldCheck, findBodyValue, getElementRead } from '../forms/body-value.ts';
import { type CountTest, describeCount, isCountSatisfied, parseCount } from '../forms/count-form.ts';
import { parseFieldPath } from '../forms/has-form.ts';
import { bodyPath } from '../forms/list-check.ts';
import { describeValue } from '../json/describe-value.ts';
import { isList, isObjectValue, type Json } from '../json/json.ts';
import { createBodySubject } from '../subjects/body-subject.ts';

export type LengthCheck = FieldCheck & CountTest & { readonly kind: 'length' };

/** A long run of spaces would take time in the square of its length. */
const maxLength = 2000;
const lengthPattern =
  /^body\s+(?!has\s)((?:\["(?:[^"\\]|\\.)*"\]|(?!\[")[^\s<>=!~])*?)(?:\s+|(?<=body\s+))length\s*(?=[<>=!])/;

/** Elements of a list, characters of a text (code points), members of an object; undefined for anything else. */
function measureLength(value: Json): { readonly length: number; readonly unit: string } | undefined {
  if (typeof value === 'string') return { length: [...value].length, unit: 'characters' };
  if (isList(value)) return { length: value.length, unit: 'elements' };
  return isObjectValue(value) ? { length: Object.keys(value).length, unit: 'fields' } : undefined;
}

/** `body <field> length = <n>`. */
export const lengthKind: CheckKind<LengthCheck> = {
  kind: 'length',
  form: 'body <field> length = <n>',
  meaning:
    'the list has so many elements, the text so many characters, the object so many fields; also `!=`, and `>`, `>=`, `<`, `<=` where numbers are compared; `body length = 3` where the body itself is the list',
  example: 'body data length = 2',
  looksAt: 'response',
  counted: true,
  parse(text, report) {
    const [opening, fieldText = ''] = (text.length <= maxLength ? lengthPattern.exec(text) : null) ?? [];
    const count = opening === undefined ? undefined : parseCount(text.slice(opening.length));
    if (opening === undefined || count === undefined) return undefined;
    const start = text.indexOf(fieldText, 'body'.length);
    const field =
      fieldText === '' ? bodyPath : parseFieldPath({ text: fieldText, start, end: start + fieldText.length }, report);
    if (field === undefined) return 'refused';
    return {
      kind: 'length',
      field,
      ...count,
      expected: describeCount(count, 'element or character', 'elements or characters'),
    };
  },
  judge(check, observation) {
    const match = findBodyValue(check, observation);
    if ('passed' in match) return match;
    const { value, pointer } = match;
    const { expected } = check;
    const text = typeof value === 'string' ? (observation.conceal?.(value) ?? value) : value;
    const measured = measureLength(text);
    if (!measured)
      return { passed: false, expected, actual: `${describeValue(value, observation.conceal)} has no length`, pointer };
    const actual = `${measured.length} ${measured.length === 1 ? measured.unit.slice(0, -1) : measured.unit}`;
    return { passed: isCountSatisfied(measured.length, check), expected, actual, pointer };
  },
  getElementsRead: (check) => (check.field.steps.length === 0 ? 'count' : getElementRead(check)),
  findComparison: ({ sign }) => (sign === '=' || sign === '!=' ? undefined : sign),
  getSubject: (check, observation, outcome) => createBodySubject(check, observation, outcome),
};
