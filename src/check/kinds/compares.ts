import type { CheckKind } from '../check-kind.ts';
import { type FieldCheck, getElementRead, judgeText } from '../forms/body-value.ts';
import { type Comparison, compareDecimals as holdsFor, isComparison } from '../forms/decimal.ts';
import { parseBodyForm, parseFieldPath } from '../forms/has-form.ts';
import { parseNumberOperand } from '../forms/operand.ts';
import { createBodySubject } from '../subjects/body-subject.ts';

/** `number` is as written. */
export type ComparesCheck = FieldCheck & {
  readonly kind: 'compares';
  readonly sign: Comparison;
  readonly number: string;
};

const holds = (text: string, check: ComparesCheck): boolean => holdsFor(text, check.sign, check.number);

/** `body has <field> > <number>`; plain HTTP scenarios refuse it (spec). */
export const comparesKind: CheckKind<ComparesCheck> = {
  kind: 'compares',
  form: 'body has <field> > <number>',
  meaning:
    'the value is a number that compares so, exactly; also `>=`, `<`, `<=`; not in the layer `HTTP Ingestion`, where the digits are matched',
  example: 'body has count >= 1',
  looksAt: 'response',
  counted: true,
  refusedInPlain: true,
  parse(text, report) {
    const form = parseBodyForm(text);
    const sign = form?.keyword.text;
    if (form === undefined || sign === undefined || !isComparison(sign) || sign === '=' || sign === '!=')
      return undefined;
    const field = parseFieldPath(form.field, report);
    const number = parseNumberOperand(form, report);
    if (field === undefined || number === undefined) return 'refused';
    return { kind: 'compares', field, sign, number, expected: `a number ${sign} ${number}` };
  },
  judge: (check, observation) => judgeText(check, observation, holds),
  getElementsRead: getElementRead,
  getSubject: (check, observation, outcome) => createBodySubject(check, observation, outcome),
};
