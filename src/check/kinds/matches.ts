import type { Pattern } from '../../pattern/pattern.ts';
import type { CheckKind } from '../check-kind.ts';
import { type FieldCheck, getElementRead, judgeText } from '../forms/body-value.ts';
import { parseBodyForm, parseFieldPath } from '../forms/has-form.ts';
import { compileOperand, requireOperand } from '../forms/operand.ts';
import { abbreviate } from '../json/describe-value.ts';
import { createBodySubject } from '../subjects/body-subject.ts';

export type MatchesCheck = FieldCheck & { readonly kind: 'matches'; readonly pattern: Pattern };

const holds = (text: string, check: MatchesCheck): boolean => check.pattern.test(text);

/** `body has <field> matching <regex>`; RE2 syntax, compiled once, when the check is parsed. */
export const matchesKind: CheckKind<MatchesCheck> = {
  kind: 'matches',
  form: 'body has <field> matching <regex>',
  meaning: 'the value matches the regular expression (RE2) somewhere; anchor it with ^ and $ to match all of it',
  example: 'body has count matching ^[0-9]+$',
  looksAt: 'response',
  counted: true,
  keyword: 'matching',
  mistakes: ['match', 'matches', 'matched', '~', '=~', 'like'],
  parse(text, report) {
    const form = parseBodyForm(text);
    if (form?.keyword.text !== 'matching') return undefined;
    const field = parseFieldPath(form.field, report);
    const operand = requireOperand(form, matchesKind.example, report);
    if (operand === undefined) return 'refused';
    const pattern = compileOperand(form.operand, report);
    if (field === undefined || pattern === undefined) return 'refused';
    return { kind: 'matches', field, pattern, expected: `a value matching ${abbreviate(operand)}` };
  },
  judge: (check, observation) => judgeText(check, observation, holds),
  getElementsRead: getElementRead,
  getSubject: (check, observation, outcome) => createBodySubject(check, observation, outcome),
  readingCost: 8,
};
