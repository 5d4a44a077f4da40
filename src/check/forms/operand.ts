/** Operands of checks: texts, numbers and regular expressions. */
import { compilePattern, type Pattern } from '../../pattern/pattern.ts';
import type { ReportProblem } from '../check-kind.ts';
import { abbreviate } from '../json/describe-value.ts';
import { isNumber } from './decimal.ts';
import type { CheckWord, HasForm } from './has-form.ts';

/** Undefined after a report where the operand is missing. Warns of quotation marks around it. */
export function requireOperand(form: HasForm, example: string, report: ReportProblem): string | undefined {
  const { text, start, end } = form.operand;
  if (text === '') {
    report('SCENARIO_CHECK_OPERAND_MISSING', form.keyword.start, form.keyword.end, {
      keyword: form.keyword.text,
      example,
    });
    return undefined;
  }
  const marks = /^(["'`])(.*)\1$/.exec(text);
  if (marks?.[2]) report('SCENARIO_CHECK_QUOTED', start, end, { mark: marks[1] ?? '', inner: marks[2] });
  return text;
}

/** The number behind `>`, `>=`, `<`, `<=`, as written; undefined after a report. */
export function parseNumberOperand({ keyword, operand }: HasForm, report: ReportProblem): string | undefined {
  if (isNumber(operand.text) && /\d$/.test(operand.text)) return operand.text;
  if (operand.text === '') {
    const values = { keyword: keyword.text, example: `${keyword.text} 5` };
    report('SCENARIO_CHECK_OPERAND_MISSING', keyword.start, keyword.end, values);
  } else {
    report('SCENARIO_CHECK_NUMBER', operand.start, operand.end, { written: abbreviate(operand.text) });
  }
  return undefined;
}

/** Longer patterns take long to compile. */
const maxPatternLength = 1000;

/** The part of the pattern that the engine's message quotes at its end. */
function findInvalidPart(operand: CheckWord, problem: string): CheckWord {
  const invalidText = /: `(.+)`$/.exec(problem)?.[1];
  const offset = invalidText === undefined ? -1 : operand.text.lastIndexOf(invalidText);
  if (invalidText === undefined || offset === -1) return operand;
  return { text: invalidText, start: operand.start + offset, end: operand.start + offset + invalidText.length };
}

/** Undefined after a report. */
export function compileOperand(operand: CheckWord, report: ReportProblem): Pattern | undefined {
  const { text, start, end } = operand;
  if (text.length > maxPatternLength) {
    report('SCENARIO_CHECK_PATTERN', start, end, { problem: `it has more than ${maxPatternLength} characters` });
    return undefined;
  }
  const compiled = compilePattern(text);
  if ('pattern' in compiled) return compiled.pattern;
  const invalidPart = findInvalidPart(operand, compiled.problem);
  report('SCENARIO_CHECK_PATTERN', invalidPart.start, invalidPart.end, { problem: compiled.problem });
  return undefined;
}
