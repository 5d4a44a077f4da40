import { fieldOf, operandOf, readBodyForm } from './body-form.ts';
import { type FieldCheck, judgeText } from './body-value.ts';
import { bounded } from './bounded.ts';
import type { CheckKind } from './kind.ts';

/** The value contains the text. */
export type ContainsCheck = FieldCheck & { readonly kind: 'contains'; readonly text: string };

const holds = (text: string, check: ContainsCheck): boolean => text.includes(check.text);

/** `body has <field> containing <text>`; on the string form of the value. */
export const contains: CheckKind<ContainsCheck> = {
  kind: 'contains',
  form: 'body has <field> containing <text>',
  meaning: 'the value contains the text, upper and lower case told apart',
  example: 'body has database.status containing ok',
  looksAt: 'response',
  counted: true,
  keyword: 'containing',
  mistakes: ['contains', 'contain', 'includes', 'including', 'include'],
  parse(text, report) {
    const form = readBodyForm(text);
    if (form?.keyword.text !== 'containing') return undefined;
    const field = fieldOf(form.field, report);
    const operand = operandOf(form, contains.example, report);
    if (field === undefined || operand === undefined) return 'refused';
    return { kind: 'contains', field, text: operand, expected: `a value containing ${bounded(operand)}` };
  },
  judge: (check, observed) => judgeText(check, observed, holds),
};
