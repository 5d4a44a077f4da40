import type { CheckKind } from '../check-kind.ts';
import { type FieldCheck, getElementRead, judgeText } from '../forms/body-value.ts';
import { parseBodyForm, parseFieldPath } from '../forms/has-form.ts';
import { requireOperand } from '../forms/operand.ts';
import { abbreviate } from '../json/describe-value.ts';
import { createBodySubject } from '../subjects/body-subject.ts';

export type ContainsCheck = FieldCheck & { readonly kind: 'contains'; readonly text: string };

const holds = (text: string, check: ContainsCheck): boolean => text.includes(check.text);

/** `body has <field> containing <text>`; on the string form of the value. */
export const containsKind: CheckKind<ContainsCheck> = {
  kind: 'contains',
  form: 'body has <field> containing <text>',
  meaning: 'the value contains the text, case-sensitive',
  example: 'body has database.status containing ok',
  looksAt: 'response',
  counted: true,
  keyword: 'containing',
  mistakes: ['contains', 'contain', 'includes', 'including', 'include'],
  parse(text, report) {
    const form = parseBodyForm(text);
    if (form?.keyword.text !== 'containing') return undefined;
    const field = parseFieldPath(form.field, report);
    const operand = requireOperand(form, containsKind.example, report);
    if (field === undefined || operand === undefined) return 'refused';
    return { kind: 'contains', field, text: operand, expected: `a value containing ${abbreviate(operand)}` };
  },
  judge: (check, observation) => judgeText(check, observation, holds),
  getElementsRead: getElementRead,
  getSubject: (check, observation, outcome) => createBodySubject(check, observation, outcome, check.text),
};
