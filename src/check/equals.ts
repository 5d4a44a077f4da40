import { fieldOf, operandOf, readBodyForm } from './body-form.ts';
import { type FieldCheck, judgeText } from './body-value.ts';
import { bounded } from './bounded.ts';
import type { CheckKind } from './kind.ts';

/** The string form of the value is exactly the text. */
export type EqualsCheck = FieldCheck & { readonly kind: 'equals'; readonly text: string };

const holds = (text: string, check: EqualsCheck): boolean => text === check.text;

/** `body has <field> equals <value>`; exact since 0.3.51 (spec). */
export const equals: CheckKind<EqualsCheck> = {
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
    const form = readBodyForm(text);
    if (form?.keyword.text !== 'equals') return undefined;
    const field = fieldOf(form.field, report);
    const operand = operandOf(form, equals.example, report);
    if (field === undefined || operand === undefined) return 'refused';
    return { kind: 'equals', field, text: operand, expected: `exactly ${bounded(operand)}` };
  },
  judge: (check, observed) => judgeText(check, observed, holds),
};
