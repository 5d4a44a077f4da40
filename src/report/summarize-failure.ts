/** One line that names what went wrong, for lists, CI systems and annotations. */
import { truncateText } from './body-excerpt.ts';
import { splitChecksByDetail } from './detail.ts';
import type { FailedCheck, Report } from './report.ts';

const maxValueLength = 200;

/**
 * The first failing check with what it expected and what came, as `body has count matching ^9$: expected a value matching
 * ^9$, got 3 (and 2 more)`; the message of the failure where no check failed.
 */
export function summarizeFailure(report: Pick<Report, 'failure' | 'checks' | 'failed_checks' | 'notes'>): string {
  const { full } = splitChecksByDetail(report);
  const [check] = full;
  if (!check) return report.failure?.message ?? report.notes[0] ?? 'the run was cancelled';
  const following = report.failed_checks.filter(({ follows_from_status: follows }) => follows).length;
  const more = report.failed_checks.length - 1 - following;
  const counts = [
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(following > 0 ? [`${following} ${following === 1 ? 'check follows' : 'checks follow'} from it`] : []),
  ];
  return `${describeCheck(check)}${counts.length > 0 ? ` (${counts.join(', ')})` : ''}`;
}

function describeCheck({ text, expected, actual }: FailedCheck): string {
  const values = [
    ...(expected === null ? [] : [`expected ${truncateText(expected, maxValueLength)}`]),
    ...(actual === null ? [] : [`got ${truncateText(actual, maxValueLength)}`]),
  ];
  return values.length === 0 ? text : `${text}: ${values.join(', ')}`;
}
