import type { Pattern } from '../pattern/pattern.ts';
import { fieldOf, operandOf, readBodyForm } from './body-form.ts';
import { type FieldCheck, judgeText } from './body-value.ts';
import { bounded } from './bounded.ts';
import type { CheckKind } from './kind.ts';
import { patternOf } from './regex-operand.ts';

/** The value matches the pattern, anywhere in its string form. */
export type MatchesCheck = FieldCheck & { readonly kind: 'matches'; readonly pattern: Pattern };

const holds = (text: string, check: MatchesCheck): boolean => check.pattern.test(text);

/** `body has <field> matching <regex>`; RE2 syntax, compiled once, when parsed. */
export const matches: CheckKind<MatchesCheck> = {
  kind: 'matches',
  form: 'body has <field> matching <regex>',
  meaning: 'the value matches the regular expression (RE2) somewhere; anchor it with ^ and $ to match all of it',
  example: 'body has count matching ^[0-9]+$',
  looksAt: 'response',
  counted: true,
  keyword: 'matching',
  mistakes: ['match', 'matches', 'matched', '~', '=~', 'like'],
  parse(text, report) {
    const form = readBodyForm(text);
    if (form?.keyword.text !== 'matching') return undefined;
    const field = fieldOf(form.field, report);
    const operand = operandOf(form, matches.example, report);
    if (operand === undefined) return 'refused';
    const pattern = patternOf(form.operand, report);
    if (field === undefined || pattern === undefined) return 'refused';
    return { kind: 'matches', field, pattern, expected: `a value matching ${bounded(operand)}` };
  },
  judge: (check, observed) => judgeText(check, observed, holds),
};
