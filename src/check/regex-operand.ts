/** The regular expression behind `matching`. */
import { compilePattern, type Pattern } from '../pattern/pattern.ts';
import type { Word } from './body-form.ts';
import type { ReportProblem } from './kind.ts';

/** Longer patterns take long to compile. */
const maxLength = 1000;

/** The part of the pattern that the engine's words end in, in code marks. */
function faultIn(operand: Word, problem: string): Word {
  const fault = /: `(.+)`$/.exec(problem)?.[1];
  const at = fault === undefined ? -1 : operand.text.lastIndexOf(fault);
  if (fault === undefined || at === -1) return operand;
  return { text: fault, start: operand.start + at, end: operand.start + at + fault.length };
}

/** The pattern, compiled; undefined after a report. */
export function patternOf(operand: Word, report: ReportProblem): Pattern | undefined {
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
