/** `concurrent <n>`: the request of a step is sent so many times at once. */
import type { ReportProblem } from '../check/check-kind.ts';
import type { LinePiece } from './blocks.ts';
import type { ResponseChecks } from './scenario.ts';

/** Each response may have 10 MiB. */
export const concurrentLimits = { min: 2, max: 16 } as const;

const form = /^concurrent\s+(\d{1,3})$/;

export function startsWithConcurrent(text: string): boolean {
  return /^concurrent(?:\s|$)/.test(text);
}

/** Undefined after a report. */
export function readConcurrent(
  { text, start }: LinePiece,
  isStep: boolean,
  earlier: number | undefined,
  report: ReportProblem,
): number | undefined {
  const end = start + text.length;
  const count = Number(form.exec(text)?.[1] ?? 0);
  const { min, max } = concurrentLimits;
  if (!isStep) report('SCENARIO_CONCURRENT_POSITION', start, end, {});
  else if (count < min || count > max || earlier !== undefined)
    report('SCENARIO_CONCURRENT_INVALID', start, end, { min, max });
  else return count;
  return undefined;
}

/** Reports what needs a single response: captures, `until`, and checks of the log or the database. */
export function checkConcurrent({ text, start }: LinePiece, read: ResponseChecks, report: ReportProblem): void {
  const looksElsewhere = read.checks.some(({ definition }) => definition.looksAt !== 'response');
  if (read.captures.length > 0 || read.until !== undefined || looksElsewhere)
    report('SCENARIO_CONCURRENT_COMBINED', start, start + text.length, {});
}
