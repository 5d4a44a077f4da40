/** What checks of the log and the database ask of a value: the words behind the field, as in checks of the body. */
import type { Pattern } from '../pattern/pattern.ts';
import { type HasForm, operandOf } from './body-form.ts';
import { bounded, stringForm } from './bounded.ts';
import { type Comparison, compares, isComparison } from './decimal.ts';
import type { ReportProblem } from './kind.ts';
import { numberOf } from './number-operand.ts';
import type { Json } from './observed.ts';
import { patternOf } from './regex-operand.ts';

/** A test as plain data. `exists`: what that means is up to the kind. */
export type ValueTest =
  | { readonly kind: 'exists' }
  | { readonly kind: 'equals'; readonly text: string }
  | { readonly kind: 'contains'; readonly text: string }
  | { readonly kind: 'matches'; readonly pattern: Pattern }
  | { readonly kind: 'compares'; readonly sign: Comparison; readonly number: string };

/** The tests with their words, for the guide. */
export const valueTests = [
  { form: 'equals <value>', meaning: 'it is exactly this, by its string form' },
  { form: 'containing <text>', meaning: 'its string form contains the text' },
  { form: 'matching <regex>', meaning: 'its string form matches the regular expression (RE2) somewhere' },
  { form: '> <number>', meaning: 'it is a number that compares so; also `>=`, `<`, `<=`; exact, nothing is rounded' },
] as const;

/** The test that stands behind the field; undefined where the keyword is none. `start` is what an example begins with. */
export function readValueTest(form: HasForm, start: string, report: ReportProblem): ValueTest | 'refused' | undefined {
  const keyword = form.keyword.text;
  if (keyword === '') return { kind: 'exists' };
  if (isComparison(keyword) && keyword !== '=' && keyword !== '!=') {
    const number = numberOf(form, report);
    return number === undefined ? 'refused' : { kind: 'compares', sign: keyword, number };
  }
  if (keyword !== 'equals' && keyword !== 'containing' && keyword !== 'matching') return undefined;
  const text = operandOf(form, `${start} ${keyword} ${keyword === 'matching' ? '^ok$' : 'ok'}`, report);
  if (text === undefined) return 'refused';
  if (keyword !== 'matching') return { kind: keyword === 'equals' ? 'equals' : 'contains', text };
  const pattern = patternOf(form.operand, report);
  return pattern === undefined ? 'refused' : { kind: 'matches', pattern };
}

/** Whether a value that is there passes. `conceal` takes secrets out of its string form. */
export function passes(test: ValueTest, value: Json, conceal: ((text: string) => string) | undefined): boolean {
  if (test.kind === 'exists') return true;
  const plain = stringForm(value);
  const text = conceal?.(plain) ?? plain;
  switch (test.kind) {
    case 'equals':
      return text === test.text;
    case 'contains':
      return text.includes(test.text);
    case 'matches':
      return test.pattern.test(text);
    default:
      return compares(text, test.sign, test.number);
  }
}

/** For `Outcome.expected`, behind the name of what is tested. */
export function testWords(test: ValueTest): string {
  switch (test.kind) {
    case 'exists':
      return '';
    case 'equals':
      return ` exactly ${bounded(test.text)}`;
    case 'contains':
      return ` containing ${bounded(test.text)}`;
    case 'matches':
      return ` matching ${bounded(test.pattern.source)}`;
    default:
      return ` ${test.sign} ${test.number}`;
  }
}
