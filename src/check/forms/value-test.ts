/** Tests of one value in checks of the log and the database: the words after the field, as in checks of the body. */
import type { Pattern } from '../../pattern/pattern.ts';
import type { ReportProblem } from '../check-kind.ts';
import { abbreviate } from '../json/describe-value.ts';
import { type Json, toStringForm } from '../json/json.ts';
import type { Observation } from '../observation.ts';
import { type Comparison, compareDecimals, isComparison } from './decimal.ts';
import type { HasForm } from './has-form.ts';
import { compileOperand, parseNumberOperand, requireOperand } from './operand.ts';
import { formatNowOffset, isWithinSpan, parseWithinOperand, type WithinTest } from './within-now.ts';

/** The kind of the check defines what `exists` means. */
export type ValueTest =
  | { readonly kind: 'exists' }
  | { readonly kind: 'equals'; readonly text: string }
  | { readonly kind: 'contains'; readonly text: string }
  | { readonly kind: 'matches'; readonly pattern: Pattern }
  | { readonly kind: 'compares'; readonly sign: Comparison; readonly number: string }
  | WithinTest;

/** For the guide. */
export const valueTests = [
  { form: 'equals <value>', meaning: 'it is exactly this, by its string form' },
  { form: 'containing <text>', meaning: 'its string form contains the text' },
  { form: 'matching <regex>', meaning: 'its string form matches the regular expression (RE2) somewhere' },
  { form: '> <number>', meaning: 'it is a number that compares so; also `>=`, `<`, `<=`; exact, nothing is rounded' },
  {
    form: 'within <time> of now',
    meaning:
      'it is a date at most `30s`, `5m`, `2h` or `1d` from the moment the response had arrived, by the executor’s clock',
  },
] as const;

/** Undefined where the keyword is unknown. `start`: the beginning of the example in a report. */
export function parseValueTest(form: HasForm, start: string, report: ReportProblem): ValueTest | 'refused' | undefined {
  const keyword = form.keyword.text;
  if (keyword === '') return { kind: 'exists' };
  if (isComparison(keyword) && keyword !== '=' && keyword !== '!=') {
    const number = parseNumberOperand(form, report);
    return number === undefined ? 'refused' : { kind: 'compares', sign: keyword, number };
  }
  if (keyword === 'within') return parseWithinOperand(form, start, report);
  if (keyword !== 'equals' && keyword !== 'containing' && keyword !== 'matching') return undefined;
  const text = requireOperand(form, `${start} ${keyword} ${keyword === 'matching' ? '^ok$' : 'ok'}`, report);
  if (text === undefined) return 'refused';
  if (keyword !== 'matching') return { kind: keyword === 'equals' ? 'equals' : 'contains', text };
  const pattern = compileOperand(form.operand, report);
  return pattern === undefined ? 'refused' : { kind: 'matches', pattern };
}

/** Tests a value that exists. `conceal` removes secrets from its string form; `nowMs` is the moment of the response. */
export function passesTest(
  test: ValueTest,
  value: Json,
  { conceal, nowMs }: Pick<Observation, 'conceal' | 'nowMs'>,
): boolean {
  if (test.kind === 'exists') return true;
  const fullText = toStringForm(value);
  const text = conceal?.(fullText) ?? fullText;
  switch (test.kind) {
    case 'equals':
      return text === test.text;
    case 'contains':
      return text.includes(test.text);
    case 'matches':
      return test.pattern.test(text);
    case 'within':
      return isWithinSpan(text, test, nowMs);
    default:
      return compareDecimals(text, test.sign, test.number);
  }
}

/** Follows the name of the subject in `CheckOutcome.expected`. */
export function describeTest(test: ValueTest): string {
  switch (test.kind) {
    case 'exists':
      return '';
    case 'equals':
      return ` exactly ${abbreviate(test.text)}`;
    case 'contains':
      return ` containing ${abbreviate(test.text)}`;
    case 'matches':
      return ` matching ${abbreviate(test.pattern.source)}`;
    case 'within':
      return ` ${formatNowOffset(test)}`;
    default:
      return ` ${test.sign} ${test.number}`;
  }
}
