import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import { fieldOf, operandOf, readBodyForm, type Word } from './body-form.ts';
import { type FieldCheck, judgeText } from './body-value.ts';
import { bounded } from './bounded.ts';
import type { CheckKind, ReportProblem } from './kind.ts';

/** The value matches the pattern, anywhere in its string form. */
export type MatchesCheck = FieldCheck & { readonly kind: 'matches'; readonly pattern: Pattern };

const holds = (text: string, check: MatchesCheck): boolean => check.pattern.test(text);

/** Longer patterns take long to compile. */
const maxLength = 1000;

/** The part of the pattern that the engine's words end in, in code marks. */
function faultIn(operand: Word, problem: string): Word {
  const fault = /: `(.+)`$/.exec(problem)?.[1];
  const at = fault === undefined ? -1 : operand.text.lastIndexOf(fault);
  if (fault === undefined || at === -1) return operand;
  return { text: fault, start: operand.start + at, end: operand.start + at + fault.length };
}

function patternOf(operand: Word, report: ReportProblem): Pattern | undefined {
  const { text, start, end } = operand;
  if (text.length > maxLength) {
    report('SCENARIO_CHECK_PATTERN', start, end, { problem: `it has more than ${maxLength} characters` });
    return undefined;
  }
  const compiled = compilePattern(text);
  if ('pattern' in compiled) return compiled.pattern;
  const fault = faultIn(operand, compiled.problem);
  report('SCENARIO_CHECK_PATTERN', fault.start, fault.end, { problem: compiled.problem });
  return undefined;
}

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
