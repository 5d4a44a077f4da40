import { fieldOf, readBodyForm } from './body-form.ts';
import { type FieldCheck, lookUp } from './body-value.ts';
import { described } from './bounded.ts';
import type { CheckKind } from './kind.ts';

/** The field is there. */
export type ExistsCheck = FieldCheck & { readonly kind: 'exists' };

/** `body has <field>`; null is there. */
export const exists: CheckKind<ExistsCheck> = {
  kind: 'exists',
  form: 'body has <field>',
  meaning: 'the field is there, be it null',
  example: 'body has data',
  looksAt: 'response',
  counted: true,
  parse(text, report) {
    const form = readBodyForm(text);
    if (form === undefined || form.keyword.text !== '') return undefined;
    const field = fieldOf(form.field, report);
    return field === undefined ? 'refused' : { kind: 'exists', field, expected: `a field \`${field.text}\`` };
  },
  judge(check, observed) {
    const found = lookUp(check, observed);
    if ('passed' in found) return found;
    return {
      passed: true,
      expected: check.expected,
      actual: described(found.value, observed.conceal),
      pointer: found.pointer,
    };
  },
};
