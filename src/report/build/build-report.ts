import type { CheckProof, Proof, UncheckedPart } from '../../judge/prove/proof.ts';
import type { JudgedCheck, JudgedStep, JudgedSteps, Verdict } from '../../judge/verdict.ts';
import type { Evidence, HeaderList, ReceivedResponse, SentRequest, Timings } from '../../run/evidence.ts';
import type { RunRequest } from '../../run/run-request.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { truncateText } from '../body-excerpt.ts';
import type {
  FailedCheck,
  ProvenCheck,
  Report,
  ReportCheck,
  ReportExchange,
  ReportProof,
  ReportStep,
} from '../report.ts';
import { toReportLog, toReportQuery } from './build-evidence.ts';

/**
 * The report of a judged run. `scenario` is undefined where the request's text could not be read; the evidence must
 * be redacted.
 */
export function buildReport(
  request: RunRequest,
  scenario: Scenario | undefined,
  verdict: Verdict,
  evidence: Evidence,
  executorVersion: string,
  proof?: Proof,
  around: JudgedSteps = { steps: [], cleanup: [] },
): Report {
  const isWrongStatus = verdict.failure?.kind === 'status_mismatch';
  const steps = around.steps.map(toReportStep);
  const stepChecks = steps.flatMap((step) => step.checks);
  const checks = [...stepChecks, ...verdict.checks.map((check) => toReportCheck(check, isWrongStatus))];
  const { beforeMs = 0, attempts } = evidence;
  return {
    report_version: 1,
    run_id: request.runId,
    correlation_id: request.correlationId,
    instance: request.instanceId,
    scenario: toReportScenario(request, scenario),
    origin: request.origin,
    result: verdict.result,
    failure: verdict.failure ? { ...verdict.failure } : null,
    observed_status: verdict.observedStatus ?? null,
    ...(evidence.targetVersion === undefined ? {} : { target_version: evidence.targetVersion }),
    assertions_enforced_count: verdict.assertionsEnforcedCount,
    checks,
    failed_checks: checks.filter(({ outcome }) => outcome === 'failed').map(toFailedCheck),
    notes: [...verdict.notes],
    evidence_assertions_count: verdict.evidenceAssertionsCount,
    exchange: toReportExchange(evidence.request, evidence.response),
    ...(attempts === undefined ? {} : { attempts }),
    ...(steps.length === 0 ? {} : { steps }),
    ...(around.cleanup.length === 0 ? {} : { cleanup: around.cleanup.map(toReportStep) }),
    log: evidence.log ? toReportLog(evidence.log) : null,
    queries: (evidence.queries ?? []).map(toReportQuery),
    proof: proof ? toReportProof(proof) : null,
    timings: toReportTimings(request.queuedMs, evidence),
    started_at: formatMoment(evidence.startedAtMs),
    finished_at: formatMoment(
      evidence.startedAtMs + beforeMs + evidence.timings.totalMs + (evidence.timings.evidenceMs ?? 0),
    ),
    executor_version: executorVersion,
  };
}

function toReportScenario(request: RunRequest, scenario: Scenario | undefined): Report['scenario'] {
  const { owner, links = [] } = scenario ?? {};
  return {
    id: request.scenarioId,
    title: scenario?.title ?? request.scenarioId,
    layer: scenario?.layer ?? 'HTTP Ingestion',
    tags: [...(scenario?.tags ?? [])],
    revision: request.revision,
    ...(owner === undefined ? {} : { owner }),
    ...(links.length === 0 ? {} : { links: [...links] }),
  };
}

/** In UTF-16 units: a report may have 60 of these bodies. */
const maxStepBodyLength = 8192;

export function truncateExchange({ request, response }: ReportExchange): ReportExchange {
  const text = response?.body.text ?? null;
  if (!response || text === null || text.length <= maxStepBodyLength) return { request, response };
  const body = { ...response.body, text: truncateText(text, maxStepBodyLength), truncated: true };
  return { request, response: { ...response, body } };
}

/** The pointer of a check refers to the body of TRIGGER, so that those of steps have none. */
function toReportStep({ name, line, outcome, failure, checks, evidence, concurrent }: JudgedStep): ReportStep {
  const isWrongStatus = checks.some(
    ({ definition, outcome: own }) => definition.expectedStatus !== undefined && own?.passed === false,
  );
  const exchange = truncateExchange(toReportExchange(evidence?.request, evidence?.response));
  return {
    ...{ name, line, outcome, problem: failure?.message ?? null, cure: failure?.cure ?? null },
    checks: checks.map((check) => ({ ...toReportCheck(check, isWrongStatus), pointer: null, step: name })),
    exchange,
    attempts: evidence?.attempts ?? null,
    ...(concurrent ? { concurrent } : {}),
    ...(evidence?.request ? { at_ms: roundToMicroseconds(evidence.beforeMs ?? 0) } : {}),
    total_ms: evidence?.request ? roundToMicroseconds(evidence.timings.totalMs) : null,
  };
}

/** Error lines of the log are no consequence of a wrong status: they may be its cause. */
function toReportCheck(
  { check, definition, text, range, outcome, counted }: JudgedCheck,
  isWrongStatus: boolean,
): ReportCheck {
  const follows =
    isWrongStatus &&
    outcome?.passed === false &&
    !definition.expectedStatus &&
    !definition.readsTime &&
    definition.looksAt !== 'log';
  return {
    ...(follows ? { follows_from_status: true as const } : {}),
    text,
    kind: check.kind,
    line: range.start.line,
    column: range.start.column,
    outcome: outcome ? (outcome.passed ? 'passed' : 'failed') : 'not_judged',
    counted,
    looks_at: definition.looksAt,
    expected: outcome?.expected ?? null,
    actual: outcome?.actual ?? null,
    pointer: outcome?.pointer ?? null,
  };
}

function toFailedCheck({
  text,
  line,
  column,
  expected,
  actual,
  pointer,
  follows_from_status,
  step,
}: ReportCheck): FailedCheck {
  return {
    ...{ text, line, column, expected, actual, pointer },
    ...(follows_from_status ? { follows_from_status } : {}),
    ...(step === undefined ? {} : { step }),
  };
}

function toReportExchange(request: SentRequest | undefined, response: ReceivedResponse | undefined): ReportExchange {
  return { request: request ? toReportRequest(request) : null, response: response ? toReportResponse(response) : null };
}

function toReportRequest({ method, url, headers, body }: SentRequest): NonNullable<ReportExchange['request']> {
  return { method, url, headers: toPairs(headers), body: body ?? null };
}

function toReportResponse({
  status,
  headers,
  displayedBody,
}: ReceivedResponse): NonNullable<ReportExchange['response']> {
  const { text, sizeBytes, truncated } = displayedBody;
  return { status, headers: toPairs(headers), body: { text: text ?? null, size_bytes: sizeBytes, truncated } };
}

/** Checks have looked at all of them. */
const maxReportedHeaders = 1000;

function toPairs(headers: HeaderList): [string, string][] {
  return headers.slice(0, maxReportedHeaders).map(([name, value]) => [name, value]);
}

function toReportTimings(
  queuedMs: number,
  { timings, beforeMs }: { readonly timings: Timings; readonly beforeMs?: number | undefined },
): Report['timings'] {
  return {
    ...(beforeMs === undefined ? {} : { before_ms: roundToMicroseconds(beforeMs) }),
    queued_ms: roundToMicroseconds(queuedMs),
    connect_ms: roundOrNull(timings.connectMs),
    first_byte_ms: roundOrNull(timings.firstByteMs),
    body_ms: roundOrNull(timings.bodyMs),
    total_ms: roundToMicroseconds(timings.totalMs),
    evidence_ms: roundOrNull(timings.evidenceMs),
  };
}

/** The clock is no more precise than microseconds. Never negative, even when the clock was set back. */
function roundToMicroseconds(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}

function roundOrNull(ms: number | undefined): number | null {
  return ms === undefined ? null : roundToMicroseconds(ms);
}

function formatMoment(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** In UTF-16 units; less than the wire schema allows. */
const maxSentenceLength = 3000;

function toReportProof({ changes, checks, unchecked, problem }: Proof): ReportProof {
  return {
    changes,
    checks: checks.map(toProvenCheck),
    unchecked: unchecked.map(toReportUncheckedPart),
    problem: toSentence(problem),
  };
}

function toProvenCheck({ text, line, verdict, changes, noticed, coveredBy, example, advice }: CheckProof): ProvenCheck {
  const sentences = { example: toSentence(example), advice: toSentence(advice) };
  return { text, line, verdict, changes, noticed, covered_by: [...coveredBy], ...sentences };
}

function toReportUncheckedPart({ pointer, value, suggestion, note }: UncheckedPart): ReportProof['unchecked'][number] {
  return { pointer, value, suggestion, ...(note === undefined ? {} : { note: truncateText(note, maxSentenceLength) }) };
}

function toSentence(text: string | undefined): string | null {
  return text === undefined ? null : truncateText(text, maxSentenceLength);
}
