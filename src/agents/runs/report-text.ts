/** A report in words for a model, from its facts. */
import { counted } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import type { ReportFacts } from './report-facts.ts';

/** The text; secrets are out of a report already. */
export function reportText(facts: ReportFacts): string {
  return linesOf(
    ...headOf(facts),
    ...facts.failed_checks.flatMap(failedLines),
    ...exchangeLines(facts),
    ...logLines(facts.log),
    ...facts.queries.map(queryLine),
    ...facts.notes.map((note) => `Note: ${note}`),
    ...proofLines(facts.proof),
  );
}

function headOf(facts: ReportFacts): string[] {
  const { result, failure, checks, observed_status } = facts;
  const outcome = result ?? 'was cancelled';
  const status = observed_status === null ? 'no status' : `status ${observed_status}`;
  const judged = checks.not_judged > 0 ? `, ${checks.not_judged} not judged` : '';
  return [
    `${facts.scenario_id} ${outcome} (run ${facts.run_id}, ${status})`,
    failure ? `Failure ${failure.kind}: ${failure.message}` : '',
    failure ? `Cure: ${failure.cure}` : '',
    `Checks: ${checks.passed} passed, ${checks.failed} failed${judged}. ${countedText(facts)}`,
  ];
}

function countedText(facts: ReportFacts): string {
  const { assertions_enforced_count: enforced, evidence_assertions_count: evidence, status_check_applied } = facts;
  const beside = evidence > 0 ? `, evidence_assertions_count ${evidence}` : '';
  const status = status_check_applied ? ' The status check was applied; it is never counted.' : '';
  return `assertions_enforced_count ${enforced}${beside}.${status}`;
}

function failedLines(check: ReportFacts['failed_checks'][number]): string[] {
  return [
    `Failed, line ${check.line} of the scenario: ${check.check}`,
    check.expected === null ? '' : `  expected: ${check.expected}`,
    check.actual === null ? '' : `  actual:   ${check.actual}`,
    check.pointer === null ? '' : `  pointer:  ${check.pointer || '(the whole body)'}`,
    check.body_around === '' ? '' : `  body:\n${indented(check.body_around)}`,
  ];
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

function exchangeLines({ request, response, correlation_id, failed_checks }: ReportFacts): string[] {
  if (!request) return ['Nothing was sent.'];
  const sent = `Sent: ${request.method} ${request.url} (correlation id ${correlation_id})`;
  if (!response) return [sent, 'Received: no answer'];
  const { status, headers, body, size_bytes, complete } = response;
  const received = `Received: ${status}, ${size_bytes} bytes${headers.length > 0 ? `; ${headers.join('; ')}` : ''}`;
  const isShown = failed_checks.some(({ body_around }) => body_around !== '');
  if (body === null || body === '' || isShown) return [sent, received];
  return [sent, received, `Body${complete ? '' : ' (its beginning)'}:\n${indented(body)}`];
}

function logLines(log: ReportFacts['log']): string[] {
  if (!log) return [];
  if (log.problem !== null) return [`Log: ${log.problem}. Cure: ${log.cure ?? ''}`];
  const counts = `Log: ${counted(log.line_count, 'line')}, ${counted(log.error_count, 'error')}, ${counted(log.saga_event_count, 'saga event')}`;
  return [counts, ...log.lines.map(({ text, level, error }) => `  ${error ? '!' : ' '} [${level ?? '-'}] ${text}`)];
}

function queryLine({ name, row_count, problem, cure, columns, rows }: ReportFacts['queries'][number]): string {
  if (problem !== null) return `Query ${name}: ${problem}. Cure: ${cure ?? ''}`;
  const told = rows.map((row) => `    ${row.map((cell) => cell ?? 'NULL').join(' | ')}`);
  return [`Query ${name}: ${counted(row_count, 'row')} (${columns.join(', ')})`, ...told].join('\n');
}

function proofLines(proof: ReportFacts['proof']): string[] {
  if (!proof) return [];
  if (proof.problem !== null) return [`Proof: ${proof.problem}`];
  const weak = proof.weak_checks.map(({ line, text, verdict, advice }) => {
    return `  line ${line} ${verdict}: ${text}${advice === null ? '' : ` (${advice})`}`;
  });
  const unchecked = proof.unchecked.map(({ pointer, suggestion }) => `  ${pointer} is not checked: - ${suggestion}`);
  const head = `Proof: ${counted(proof.proven, 'check')} proven by ${counted(proof.changes, 'change')}`;
  return [head, ...weak, ...unchecked];
}
