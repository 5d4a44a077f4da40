/** Formats a report summary as text for a model. */

import { describeQuarantine } from '../../run/quarantine.ts';
import { formatQuantity, joinLines, truncate } from '../tools/result-text.ts';
import type { ReportSummary } from './report-summary.ts';

/** Returns the text; secrets have already been removed from the report. */
export function formatReport(summary: ReportSummary): string {
  return joinLines(
    ...formatHead(summary),
    ...formatCases(summary),
    ...summary.failed_checks.flatMap(formatFailedCheck),
    ...formatExchange(summary),
    ...summary.steps.flatMap((step) => formatStep('Step', step)),
    ...summary.cleanup.flatMap((step) => formatStep('Cleanup', step)),
    ...formatLog(summary.log),
    ...summary.queries.map(formatQuery),
    ...summary.notes.map((note) => `Note: ${note}`),
    ...formatProof(summary.proof),
  );
}

function formatHead(summary: ReportSummary): string[] {
  const { result, failure, checks, observed_status, quarantine } = summary;
  const outcome = result ?? 'was cancelled';
  const status = observed_status === null ? 'no status' : `status ${observed_status}`;
  const notJudgedText = checks.not_judged > 0 ? `, ${checks.not_judged} not judged` : '';
  return [
    `${summary.scenario_id} ${outcome} (run ${summary.run_id}, ${status})`,
    quarantine ? `It is ${truncate(describeQuarantine(quarantine), 300)}. A failure does not count until then.` : '',
    failure ? `Failure ${failure.kind}: ${failure.message}` : '',
    failure ? `Fix: ${failure.cure}` : '',
    `Checks: ${checks.passed} passed, ${checks.failed} failed${notJudgedText}. ${formatAssertionCounts(summary)}`,
  ];
}

function formatAssertionCounts(summary: ReportSummary): string {
  const { assertions_enforced_count: enforced, evidence_assertions_count: evidence, status_check_applied } = summary;
  const evidenceText = evidence > 0 ? `, evidence_assertions_count ${evidence}` : '';
  const status = status_check_applied ? ' The status check was applied; it is never counted.' : '';
  return `assertions_enforced_count ${enforced}${evidenceText}.${status}`;
}

/** Everything after it is about the displayed case. */
function formatCases({ cases, displayed_case: name }: ReportSummary): string[] {
  if (!cases) return [];
  const lines = cases.not_passed.map(({ name: own, line, outcome, reason }) => {
    return `  ${own} (line ${line}) ${outcome.replaceAll('_', ' ')}: ${reason}`;
  });
  const more = cases.not_passed_count - lines.length;
  return [`Cases: ${cases.counts}`, ...lines, ...(more > 0 ? [`  … ${more} more`] : []), `Of the case ${name}:`];
}

function formatFailedCheck(check: ReportSummary['failed_checks'][number]): string[] {
  if (check.follows_from_status) return [`Follows from the wrong status, line ${check.line}: ${check.check}`];
  return [
    `Failed, line ${check.line} of the scenario${check.step === null ? '' : `, step ${check.step}`}: ${check.check}`,
    check.expected === null ? '' : `  expected: ${check.expected}`,
    check.actual === null ? '' : `  actual:   ${check.actual}`,
    check.pointer === null ? '' : `  pointer:  ${check.pointer || '(the whole body)'}`,
    check.body_around === '' ? '' : `  body:\n${indent(check.body_around)}`,
  ];
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

function formatExchange({ request, response, correlation_id, failed_checks, sending_known }: ReportSummary): string[] {
  if (!request) return [sending_known ? 'Nothing was sent.' : 'It is not known whether the request was sent.'];
  const sent = `Sent: ${request.method} ${request.url} (correlation id ${correlation_id})`;
  if (!response) return [sent, 'Received: no response'];
  const { status, headers, body, size_bytes, complete } = response;
  const received = `Received: ${status}, ${size_bytes} bytes${headers.length > 0 ? `; ${headers.join('; ')}` : ''}`;
  const isBodyInCheck = failed_checks.some(({ body_around }) => body_around !== '');
  if (body === null || body === '' || isBodyInCheck) return [sent, received];
  return [sent, received, `Body${complete ? '' : ' (its beginning)'}:\n${indent(body)}`];
}

function formatStep(kind: string, step: ReportSummary['steps'][number]): string[] {
  const { name, outcome, request, status, problem, body } = step;
  const facts = [request ?? 'nothing sent', ...(status === null ? [] : [`status ${status}`])].join(', ');
  const text = `${kind} ${name}: ${outcome.replaceAll('_', ' ')} (${facts})${problem === null ? '' : `: ${problem}`}`;
  return body === null ? [text] : [text, indent(body)];
}

function formatLog(log: ReportSummary['log']): string[] {
  if (!log) return [];
  if (log.problem !== null) return [`Log: ${log.problem}. Fix: ${log.cure ?? ''}`];
  const errors = log.errors_unknown ? 'errors not known' : formatQuantity(log.error_count, 'error');
  const counts = `Log: ${formatQuantity(log.line_count, 'line')}, ${errors}, ${formatQuantity(log.saga_event_count, 'saga event')}`;
  return [counts, ...log.lines.map(({ text, level, error }) => `  ${error ? '!' : ' '} [${level ?? '-'}] ${text}`)];
}

function formatQuery({ name, row_count, problem, cure, columns, rows }: ReportSummary['queries'][number]): string {
  if (problem !== null) return `Query ${name}: ${problem}. Fix: ${cure ?? ''}`;
  const rowLines = rows.map((row) => `    ${row.map((cell) => cell ?? 'NULL').join(' | ')}`);
  return [`Query ${name}: ${formatQuantity(row_count, 'row')} (${columns.join(', ')})`, ...rowLines].join('\n');
}

function formatProof(proof: ReportSummary['proof']): string[] {
  if (!proof) return [];
  if (proof.problem !== null) return [`Proof: ${proof.problem}`];
  const weak = proof.weak_checks.map(({ line, text, verdict, advice }) => {
    return `  line ${line} ${verdict}: ${text}${advice === null ? '' : ` (${advice})`}`;
  });
  const unchecked = proof.unchecked.map(({ pointer, suggestion, note }) => {
    return `  ${pointer} is not checked: - ${suggestion}${note === null ? '' : ` (${note})`}`;
  });
  const head = `Proof: ${formatQuantity(proof.proven, 'check')} proven by ${formatQuantity(proof.changes, 'change')}`;
  return [head, ...weak, ...unchecked];
}
