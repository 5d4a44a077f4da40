import type { CheckKind } from '../check-kind.ts';
import { type FieldCheck, getElementRead, judgeText } from '../forms/body-value.ts';
import { parseBodyForm, parseFieldPath } from '../forms/has-form.ts';
import { requireOperand } from '../forms/operand.ts';
import { abbreviate } from '../json/describe-value.ts';
import { createBodySubject } from '../subjects/body-subject.ts';

export type EqualsCheck = FieldCheck & { readonly kind: 'equals'; readonly text: string };

const holds = (text: string, check: EqualsCheck): boolean => text === check.text;

/** `body has <field> equals <value>`; exact since 0.3.51 (spec). */
export const equalsKind: CheckKind<EqualsCheck> = {
  kind: 'equals',
  form: 'body has <field> equals <value>',
  meaning:
    'the value is exactly this: strings without quotation marks, everything else as compact JSON, numbers as they were sent (`1.0` is not `1`)',
  example: 'body has currentPage equals 1',
  looksAt: 'response',
  counted: true,
  keyword: 'equals',
  mistakes: ['equal', 'is', '=', '==', '===', 'equalling', 'equaling'],
  parse(text, report) {
    const form = parseBodyForm(text);
    if (form?.keyword.text !== 'equals') return undefined;
    const field = parseFieldPath(form.field, report);
    const operand = requireOperand(form, equalsKind.example, report);
    if (field === undefined || operand === undefined) return 'refused';
    return { kind: 'equals', field, text: operand, expected: `exactly ${abbreviate(operand)}` };
  },
  judge: (check, observation) => judgeText(check, observation, holds),
  getElementsRead: getElementRead,
  getSubject: (check, observation, outcome) => createBodySubject(check, observation, outcome),
};
