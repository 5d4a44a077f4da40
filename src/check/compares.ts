import { fieldOf, readBodyForm } from './body-form.ts';
import { type FieldCheck, judgeText } from './body-value.ts';
import { type Comparison, compares as holdsFor, isComparison } from './decimal.ts';
import type { CheckKind } from './kind.ts';
import { numberOf } from './number-operand.ts';

/** The value is a number that compares so; `number` as written. */
export type ComparesCheck = FieldCheck & {
  readonly kind: 'compares';
  readonly sign: Comparison;
  readonly number: string;
};

const holds = (text: string, check: ComparesCheck): boolean => holdsFor(text, check.sign, check.number);

/** `body has <field> > <number>`; plain HTTP scenarios refuse it (spec). */
export const compares: CheckKind<ComparesCheck> = {
  kind: 'compares',
  form: 'body has <field> > <number>',
  meaning:
    'the value is a number that compares so, exactly; also `>=`, `<`, `<=`; not in the layer `HTTP Ingestion`, where the digits are matched',
  example: 'body has count >= 1',
  looksAt: 'response',
  counted: true,
  refusedInPlain: true,
  parse(text, report) {
    const form = readBodyForm(text);
    const sign = form?.keyword.text;
    if (form === undefined || sign === undefined || !isComparison(sign) || sign === '=' || sign === '!=')
      return undefined;
    const field = fieldOf(form.field, report);
    const number = numberOf(form, report);
    if (field === undefined || number === undefined) return 'refused';
    return { kind: 'compares', field, sign, number, expected: `a number ${sign} ${number}` };
  },
  judge: (check, observed) => judgeText(check, observed, holds),
};
