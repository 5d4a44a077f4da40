/** What did not pass, above the summary of a long output: one entry for each run, or for the runs with the same failure. */
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { getOutcome, isQuarantined } from '../../report/outcome.ts';
import type { Report } from '../../report/report.ts';
import type { RunResults } from '../../report/results.ts';
import { summarizeFailure } from '../../report/summarize-failure.ts';
import { wrapText } from '../../report/text/wrap-text.ts';
import type { TerminalPaint } from '../../terminal/paint.ts';

const maxListed = 50;

/** With each scenario's first failing check. */
export function formatFailureList(results: RunResults, paint: TerminalPaint): string[] {
  const notPassed = results.reports.filter((report) => getOutcome(report) !== 'passed' && !isQuarantined(report));
  if (notPassed.length === 0) return [];
  const groups = [...Map.groupBy(notPassed, toGroupKey).values()];
  const entries = groups.slice(0, maxListed).map((reports) => formatGroup(reports, results, paint));
  const more = groups.slice(maxListed).flat().length;
  return [
    `\n${paint.strong('did not pass')}\n`,
    ...entries,
    ...(more > 0 ? [paint.faint(`… and ${more} more\n`)] : []),
    '\n',
  ];
}

/** A failing check belongs to its scenario, whatever its message. */
function toGroupKey({ run_id, failure, failed_checks }: Report): string {
  return failure && failed_checks.length === 0 ? JSON.stringify([failure.kind, failure.message, failure.cure]) : run_id;
}

function formatGroup(reports: readonly Report[], results: RunResults, paint: TerminalPaint): string {
  const [first] = reports;
  if (!first) return '';
  const isFailed = getOutcome(first) === 'failed';
  const sign = isFailed ? paint.failed('✕') : paint.broken(getOutcome(first) === 'cancelled' ? '-' : '!');
  const reason = escapeUnsafeLine(formatReason(first, results));
  const names = [...new Set(reports.map(({ scenario }) => escapeUnsafeLine(scenario.id)))];
  if (names.length === 1) return `${sign} ${paint.strong(names[0] ?? '')}  ${reason}\n`;
  return [
    `${sign} ${paint.strong(`${names.length} scenarios`)}  ${reason}`,
    `    ${wrapText(names.join(', '), paint.proseWidth, 4)}`,
    `  ${paint.strong('fix')}   ${wrapText(escapeUnsafeLine(first.failure?.cure ?? ''), paint.proseWidth, 8)}\n`,
  ].join('\n');
}

/** `orders.md:19 body has count matching ^9$: expected a value matching ^9$, got 3 (and 2 more)`. */
function formatReason(report: Report, { sources }: RunResults): string {
  const [check] = report.failed_checks;
  const source = sources.get(report.scenario.id);
  const summary = summarizeFailure(report);
  return check && source ? `${source.file}:${check.line}  ${summary}` : summary;
}
