import type { CheckKind } from '../check-kind.ts';
import { type FieldCheck, findBodyValue, getElementRead } from '../forms/body-value.ts';
import { parseBodyForm, parseFieldPath } from '../forms/has-form.ts';
import { describeValue } from '../json/describe-value.ts';
import { createBodySubject } from '../subjects/body-subject.ts';

export type ExistsCheck = FieldCheck & { readonly kind: 'exists' };

/** `body has <field>`; null is a value. */
export const existsKind: CheckKind<ExistsCheck> = {
  kind: 'exists',
  form: 'body has <field>',
  meaning: 'the field is present; its value may be null',
  example: 'body has data',
  looksAt: 'response',
  counted: true,
  parse(text, report) {
    const form = parseBodyForm(text);
    if (form === undefined || form.keyword.text !== '') return undefined;
    const field = parseFieldPath(form.field, report);
    return field === undefined ? 'refused' : { kind: 'exists', field, expected: `a field \`${field.text}\`` };
  },
  judge(check, observation) {
    const match = findBodyValue(check, observation);
    if ('passed' in match) return match;
    return {
      passed: true,
      expected: check.expected,
      actual: describeValue(match.value, observation.conceal),
      pointer: match.pointer,
    };
  },
  getElementsRead: getElementRead,
  getSubject: (check, observation, outcome) => createBodySubject(check, observation, outcome),
  isPresenceCheck: () => true,
  readingCost: 0,
};
