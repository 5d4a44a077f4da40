import { looksAt } from '../check/kinds.ts';
import type { Proof } from '../judge/prove/proof.ts';
import type { JudgedCheck, Verdict } from '../judge/verdict.ts';
import type { Evidence, HeaderList, ReceivedResponse, SentRequest, Timings } from '../run/evidence.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { logOf, queryOf } from './make-evidence.ts';
import { proofOf } from './make-proof.ts';
import type { FailedCheck, Report, ReportCheck, ReportExchange } from './report.ts';

/**
 * The report of a judged run. `scenario` is undefined where the request's text could not be read; the evidence must
 * hold no secret any more.
 */
export function reportOf(
  request: RunRequest,
  scenario: Scenario | undefined,
  verdict: Verdict,
  evidence: Evidence,
  executorVersion: string,
  proof?: Proof,
): Report {
  const checks = verdict.checks.map(checkOf);
  return {
    report_version: 1,
    run_id: request.runId,
    correlation_id: request.correlationId,
    instance: request.instanceId,
    scenario: scenarioOf(request, scenario),
    origin: request.origin,
    result: verdict.result,
    failure: verdict.failure ? { ...verdict.failure } : null,
    observed_status: verdict.observedStatus ?? null,
    assertions_enforced_count: verdict.assertionsEnforcedCount,
    checks,
    failed_checks: checks.filter(({ outcome }) => outcome === 'failed').map(failedOf),
    notes: [...verdict.notes],
    evidence_assertions_count: verdict.evidenceAssertionsCount,
    exchange: exchangeOf(evidence.request, evidence.response),
    log: evidence.log ? logOf(evidence.log) : null,
    queries: (evidence.queries ?? []).map(queryOf),
    proof: proof ? proofOf(proof) : null,
    timings: timingsOf(request.queuedMs, evidence.timings),
    started_at: moment(evidence.startedAtMs),
    finished_at: moment(evidence.startedAtMs + evidence.timings.totalMs + (evidence.timings.evidenceMs ?? 0)),
    executor_version: executorVersion,
  };
}

function scenarioOf(request: RunRequest, scenario: Scenario | undefined): Report['scenario'] {
  return {
    id: request.scenarioId,
    title: scenario?.title ?? request.scenarioId,
    layer: scenario?.layer ?? 'HTTP Ingestion',
    tags: [...(scenario?.tags ?? [])],
    revision: request.revision,
  };
}

function checkOf({ check, text, range, outcome, counted }: JudgedCheck): ReportCheck {
  return {
    text,
    kind: check.kind,
    line: range.start.line,
    column: range.start.column,
    outcome: outcome ? (outcome.passed ? 'passed' : 'failed') : 'not_judged',
    counted,
    looks_at: looksAt(check),
    expected: outcome?.expected ?? null,
    actual: outcome?.actual ?? null,
    pointer: outcome?.pointer ?? null,
  };
}

function failedOf({ text, line, column, expected, actual, pointer }: ReportCheck): FailedCheck {
  return { text, line, column, expected, actual, pointer };
}

function exchangeOf(request: SentRequest | undefined, response: ReceivedResponse | undefined): ReportExchange {
  return { request: request ? sentOf(request) : null, response: response ? receivedOf(response) : null };
}

function sentOf({ method, url, headers, body }: SentRequest): NonNullable<ReportExchange['request']> {
  return { method, url, headers: pairsOf(headers), body: body ?? null };
}

function receivedOf({ status, headers, shownBody }: ReceivedResponse): NonNullable<ReportExchange['response']> {
  const { text, sizeBytes, truncated } = shownBody;
  return { status, headers: pairsOf(headers), body: { text: text ?? null, size_bytes: sizeBytes, truncated } };
}

function pairsOf(headers: HeaderList): [string, string][] {
  return headers.map(([name, value]) => [name, value]);
}

function timingsOf(queuedMs: number, timings: Timings): Report['timings'] {
  return {
    queued_ms: micros(queuedMs),
    connect_ms: microsOrNull(timings.connectMs),
    first_byte_ms: microsOrNull(timings.firstByteMs),
    body_ms: microsOrNull(timings.bodyMs),
    total_ms: micros(timings.totalMs),
    evidence_ms: microsOrNull(timings.evidenceMs),
  };
}

/** Microseconds are as fine as the clock is honest; never negative, whatever the clock did. */
function micros(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}

function microsOrNull(ms: number | undefined): number | null {
  return ms === undefined ? null : micros(ms);
}

function moment(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
