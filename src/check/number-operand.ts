/** The number behind `>`, `>=`, `<`, `<=`. */
import type { HasForm } from './body-form.ts';
import { bounded } from './bounded.ts';
import { isNumber } from './decimal.ts';
import type { ReportProblem } from './kind.ts';

/** The number as written; undefined after a report. */
export function numberOf({ keyword, operand }: HasForm, report: ReportProblem): string | undefined {
  if (isNumber(operand.text) && /\d$/.test(operand.text)) return operand.text;
  if (operand.text === '') {
    const values = { keyword: keyword.text, example: `${keyword.text} 5` };
    report('SCENARIO_CHECK_OPERAND_MISSING', keyword.start, keyword.end, values);
  } else {
    report('SCENARIO_CHECK_NUMBER', operand.start, operand.end, { written: bounded(operand.text) });
  }
  return undefined;
}
