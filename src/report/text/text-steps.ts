/** The requests of STEPS and CLEANUP for terminals, one line each. */
import { escapeUnsafeLine } from '../escape-unsafe.ts';
import { formatDuration } from '../measures.ts';
import type { Report, ReportStep } from '../report.ts';
import type { TextStyles } from './text-styles.ts';
import { wrapText } from './wrap-text.ts';

/** The words for outcomes of steps, in every report. */
export const stepOutcomeLabels: Readonly<Record<ReportStep['outcome'], string>> = {
  passed: 'passed',
  failed: 'failed',
  not_judged: 'could not be judged',
  not_sent: 'not sent',
  not_known: 'not known',
};

const signs: Readonly<Record<ReportStep['outcome'], string>> = {
  passed: '✓',
  failed: '✕',
  not_judged: '!',
  not_sent: '-',
  not_known: '?',
};

/** `passed · status 201 · sent 3 times · 12 ms` */
export function formatStepFacts({ outcome, exchange, attempts, concurrent, total_ms }: ReportStep): string {
  const facts = [
    stepOutcomeLabels[outcome],
    ...(exchange.response ? [`status ${exchange.response.status}`] : []),
    ...(concurrent ? [formatConcurrent(concurrent)] : []),
    ...(attempts !== null && attempts > 1 ? [`sent ${attempts} times`] : []),
    ...(total_ms === null ? [] : [formatDuration(total_ms)]),
  ];
  return facts.join(' · ');
}

/** Says how many of the requests that were sent at once passed. */
export function formatConcurrent({ requests, passed }: NonNullable<ReportStep['concurrent']>): string {
  return `sent ${requests} times at once, ${passed} passed`;
}

function formatStep(step: ReportStep, paint: TextStyles): string[] {
  const { name, outcome, problem, cure } = step;
  const colour = outcome === 'passed' ? paint.passed : outcome === 'failed' ? paint.failed : paint.broken;
  const line = `            ${colour(signs[outcome])} ${escapeUnsafeLine(name)}  ${paint.faint(formatStepFacts(step))}`;
  if (problem === null) return [line];
  const text = cure === null ? problem : `${problem}; ${cure}`;
  return [line, `              ${wrapText(escapeUnsafeLine(text), paint.proseWidth, 14)}`];
}

function formatList(title: string, steps: readonly ReportStep[] | undefined, paint: TextStyles): string[] {
  if (steps === undefined || steps.length === 0) return [];
  return [`  ${title}`, ...steps.flatMap((step) => formatStep(step, paint))];
}

/** Nothing for a scenario that has neither. */
export function formatSteps({ steps, cleanup }: Pick<Report, 'steps' | 'cleanup'>, paint: TextStyles): string[] {
  return [...formatList('steps', steps, paint), ...formatList('cleanup', cleanup, paint)];
}
