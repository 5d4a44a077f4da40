/** The cases that did not pass, for terminals. */
import { summarizeCase } from '../cases.ts';
import { escapeUnsafeLine } from '../escape-unsafe.ts';
import type { Report, ReportCase } from '../report.ts';
import type { TextStyles } from './text-styles.ts';
import { wrapText } from './wrap-text.ts';

/** The JSON report has all of them. */
const maxListed = 20;

const signs: Readonly<Record<ReportCase['outcome'], string>> = {
  passed: '✓',
  failed: '✕',
  not_judged: '!',
  not_sent: '-',
  not_known: '?',
};

function formatCase(entry: ReportCase, paint: TextStyles): string[] {
  const { name, line, outcome } = entry;
  const colour = outcome === 'failed' ? paint.failed : paint.broken;
  const reason = wrapText(escapeUnsafeLine(summarizeCase(entry)), paint.proseWidth, 14);
  return [
    `            ${colour(signs[outcome])} ${escapeUnsafeLine(name)}  ${paint.faint(`line ${line}`)}`,
    `              ${reason}`,
  ];
}

/** Nothing for a scenario without cases; the checks after them are those of the case that is displayed. */
export function formatCases({ cases, displayed_case: name }: Report, paint: TextStyles): string[] {
  const listed = (cases ?? []).filter(({ outcome }) => outcome !== 'passed');
  if (!cases || name === undefined || listed.length === 0) return [];
  const remaining = listed.length - maxListed;
  return [
    '  cases',
    ...listed.slice(0, maxListed).flatMap((entry) => formatCase(entry, paint)),
    ...(remaining > 0 ? [`            … ${remaining} more`] : []),
    `  below     the case ${escapeUnsafeLine(name)}`,
  ];
}
