import { truncateText } from './body-excerpt.ts';
import type { FailedCheck, Report } from './report.ts';

/** Further failing checks rarely add information. */
const maxDetailedChecks = 10;

/**
 * The failing checks to display in full, and those for one line each. After a status mismatch only the status check is
 * displayed in full: what the body lacks is then a consequence.
 */
export function splitChecksByDetail({
  failure,
  checks,
  failed_checks,
}: Pick<Report, 'failure' | 'checks' | 'failed_checks'>): {
  readonly full: readonly FailedCheck[];
  readonly short: readonly FailedCheck[];
} {
  const statusLines = new Set(checks.filter(({ kind }) => kind === 'status').map(({ line }) => line));
  const isDetailed = ({ line }: FailedCheck): boolean => failure?.kind !== 'status_mismatch' || statusLines.has(line);
  const full = failed_checks.filter(isDetailed).slice(0, maxDetailedChecks);
  return { full, short: failed_checks.filter((check) => !full.includes(check)) };
}

const maxValueLength = 200;

/** `body has count matching ^9$: expected a value matching ^9$, got 3` */
export function describeCheck({ text, expected, actual }: FailedCheck): string {
  const values = [
    ...(expected === null ? [] : [`expected ${truncateText(expected, maxValueLength)}`]),
    ...(actual === null ? [] : [`got ${truncateText(actual, maxValueLength)}`]),
  ];
  return values.length === 0 ? text : `${text}: ${values.join(', ')}`;
}
