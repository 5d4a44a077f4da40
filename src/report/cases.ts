/** Words for cases, in every report. */
import { describeCheck } from './detail.ts';
import type { ReportOutcome } from './outcome.ts';
import type { ReportCase } from './report.ts';

/** A case that was not sent, or of which nothing is known, was not judged. */
export function getCaseOutcome({ outcome }: ReportCase): ReportOutcome {
  return outcome === 'passed' || outcome === 'failed' ? outcome : 'broken';
}

/** `3 cases: 1 failed, 2 passed` */
export function countCases(cases: readonly ReportCase[]): string {
  const labels: readonly (readonly [ReportCase['outcome'], string])[] = [
    ['failed', 'failed'],
    ['not_judged', 'could not be judged'],
    ['not_known', 'not known'],
    ['not_sent', 'not sent'],
    ['passed', 'passed'],
  ];
  const counts = labels.flatMap(([outcome, label]) => {
    const count = cases.filter((entry) => entry.outcome === outcome).length;
    return count === 0 ? [] : [`${count} ${label}`];
  });
  return `${cases.length} ${cases.length === 1 ? 'case' : 'cases'}: ${counts.join(', ')}`;
}

/** Why a case did not pass, in one line. */
export function summarizeCase({ failed_checks: failed, problem, outcome }: ReportCase): string {
  const own = failed.filter(({ follows_from_status: follows }) => !follows);
  const [first] = own.length > 0 ? own : failed;
  const more = own.length > 1 ? ` (and ${own.length - 1} more)` : '';
  if (first) return `${describeCheck(first)}${more}`;
  return problem ?? (outcome === 'not_sent' ? 'not sent' : 'not judged');
}
