/** One line that names what went wrong, for lists, CI systems and annotations. */
import { countCases } from './cases.ts';
import { describeCheck, splitChecksByDetail } from './detail.ts';
import type { Report } from './report.ts';

/**
 * The first failing check with what it expected and what came, as `body has count matching ^9$: expected a value matching
 * ^9$, got 3 (and 2 more)`; the message of the failure where no check failed.
 */
export function summarizeFailure(report: SummarizedReport): string {
  const { cases, displayed_case: name } = report;
  const summary = summarizeOne(report);
  return cases && name !== undefined ? `case ${name}: ${summary} (${countCases(cases)})` : summary;
}

type SummarizedReport = Pick<Report, 'failure' | 'checks' | 'failed_checks' | 'notes' | 'cases' | 'displayed_case'>;

function summarizeOne(report: SummarizedReport): string {
  const { full } = splitChecksByDetail(report);
  const [check] = full;
  if (!check)
    return withoutCase(report.failure?.message, report.displayed_case) ?? report.notes[0] ?? 'the run was cancelled';
  const following = report.failed_checks.filter(({ follows_from_status: follows }) => follows).length;
  const more = report.failed_checks.length - 1 - following;
  const counts = [
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(following > 0 ? [`${following} ${following === 1 ? 'check follows' : 'checks follow'} from it`] : []),
  ];
  return `${describeCheck(check)}${counts.length > 0 ? ` (${counts.join(', ')})` : ''}`;
}

/** The message of a run with cases begins with the case. */
function withoutCase(message: string | undefined, name: string | undefined): string | undefined {
  const start = `case \`${name}\`: `;
  return message?.startsWith(start) ? message.slice(start.length) : message;
}
