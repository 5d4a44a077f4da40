/** A report as data for agents: everything needed to fix the application or the scenario, each part bounded. */
import { buildBodyExcerpt } from '../../report/body-excerpt.ts';
import { countCases, summarizeCase } from '../../report/cases.ts';
import type {
  FailedCheck,
  Report,
  ReportCase,
  ReportLog,
  ReportProof,
  ReportQuery,
  ReportStep,
} from '../../report/report.ts';
import { isExchangeUnknown } from '../../report/text/text-exchange.ts';
import { toAgentFix } from '../tools/next-step.ts';
import { takeWithinLength, truncate } from '../tools/result-text.ts';

/** Maximum lengths and counts in one result; the rest is read with `part`. */
const limits = {
  columns: 12,
  checks: 12,
  cases: 20,
  value: 400,
  body: 2000,
  header: 200,
  line: 500,
  all: 4000,
  allChecks: 8000,
  notes: 10,
} as const;

/** Response headers that describe the body or the next request. */
const reportedHeaders = new Set([
  'content-type',
  'location',
  'retry-after',
  'www-authenticate',
  'allow',
  'x-request-id',
]);

export function toReportSummary(report: Report) {
  const { checks } = report;
  const checkCounts = { passed: 0, failed: 0, not_judged: 0 };
  for (const { outcome } of checks) checkCounts[outcome] += 1;
  return {
    run_id: report.run_id,
    correlation_id: report.correlation_id,
    scenario_id: report.scenario.id,
    layer: report.scenario.layer,
    result: report.result,
    quarantine: report.quarantine ?? null,
    failure: report.failure && {
      ...report.failure,
      message: truncate(report.failure.message, 1000),
      cure: toAgentFix(report.failure.cure),
    },
    observed_status: report.observed_status,
    status_check_applied: checks.some(
      ({ kind, outcome, step }) => kind === 'status' && outcome !== 'not_judged' && step === undefined,
    ),
    assertions_enforced_count: report.assertions_enforced_count,
    evidence_assertions_count: report.evidence_assertions_count,
    checks: checkCounts,
    cases: report.cases ? toCasesSummary(report.cases) : null,
    displayed_case: report.displayed_case ?? null,
    failed_checks: takeWithinLength(
      report.failed_checks.slice(0, limits.checks).map((check) => toFailedCheck(check, report)),
      limits.allChecks,
    ),
    notes: report.notes.slice(0, limits.notes).map((note) => truncate(note, limits.line)),
    request: toRequestSummary(report),
    sending_known: !isExchangeUnknown(report.failure),
    response: toResponseSummary(report),
    steps: takeWithinLength((report.steps ?? []).map(toStepSummary), limits.all),
    cleanup: takeWithinLength((report.cleanup ?? []).map(toStepSummary), limits.all),
    log: report.log && toLogSummary(report.log),
    queries: takeWithinLength(report.queries.map(toQuerySummary), limits.all),
    proof: report.proof && toProofSummary(report.proof),
    timings: report.timings,
  };
}

export type ReportSummary = ReturnType<typeof toReportSummary>;

function toFailedCheck(check: FailedCheck, { exchange }: Report) {
  const { text, line, column, expected, actual, pointer, follows_from_status: follows, step = null } = check;
  const body = exchange.response?.body.text ?? null;
  // The body of another answer than expected is shown once, as the response.
  const excerpt = pointer === null || body === null || follows ? [] : buildBodyExcerpt(body, pointer);
  return {
    check: truncate(text, limits.value),
    step,
    line,
    column,
    expected: expected === null ? null : truncate(expected, limits.value),
    actual: actual === null ? null : truncate(actual, limits.value),
    pointer,
    follows_from_status: follows === true,
    body_around: truncate(
      excerpt.map(({ text: lineText, marked }) => `${marked ? '>' : ' '} ${lineText}`).join('\n'),
      limits.value,
    ),
  };
}

/** The counts of all cases, and those that did not pass. */
function toCasesSummary(cases: readonly ReportCase[]) {
  const others = cases.filter(({ outcome }) => outcome !== 'passed');
  const listed = others.slice(0, limits.cases).map((entry) => ({
    ...{ name: entry.name, line: entry.line, outcome: entry.outcome, status: entry.observed_status },
    reason: truncate(summarizeCase(entry), limits.value),
  }));
  return {
    counts: countCases(cases),
    not_passed: takeWithinLength(listed, limits.all),
    not_passed_count: others.length,
  };
}

/** The body only where it may explain something. */
function toStepSummary({ name, line, outcome, problem, exchange }: ReportStep) {
  const { request, response } = exchange;
  const text = outcome === 'failed' ? (response?.body.text ?? null) : null;
  return {
    ...{ name: truncate(name, limits.header), line, outcome },
    problem: problem === null ? null : truncate(problem, limits.value),
    request: request && `${request.method} ${truncate(request.url, limits.value)}`,
    status: response?.status ?? null,
    body: text === null ? null : truncate(text, limits.value),
  };
}

function toRequestSummary({ exchange: { request } }: Report) {
  if (!request) return null;
  const lines = request.headers.slice(0, 30).map(([name, value]) => `${name}: ${truncate(value, limits.header)}`);
  const headers = takeWithinLength(lines, limits.body);
  const body = request.body === null ? null : truncate(request.body, limits.body);
  return { method: request.method, url: truncate(request.url, limits.value), headers, body };
}

function toResponseSummary({ exchange: { response } }: Report) {
  if (!response) return null;
  const selectedHeaders = response.headers.filter(([name]) => reportedHeaders.has(name.toLowerCase())).slice(0, 10);
  const { text, size_bytes, truncated } = response.body;
  return {
    status: response.status,
    headers: selectedHeaders.map(([name, value]) => `${name}: ${truncate(value, limits.header)}`),
    body: text === null ? null : truncate(text, limits.body),
    size_bytes,
    complete: text !== null && !truncated && text.length <= limits.body,
  };
}

/** Error lines come first: they say what the application considers wrong. */
function toLogSummary({ lines, ...log }: ReportLog) {
  const ordered = [...lines.filter(({ error }) => error), ...lines.filter(({ error }) => !error)];
  const reportedLines = ordered.slice(0, 10).map((line) => ({ ...line, text: truncate(line.text, limits.line) }));
  return {
    ...log,
    lines: takeWithinLength(reportedLines, limits.all),
    lines_left_out: Math.max(0, lines.length - reportedLines.length),
  };
}

function toQuerySummary({ rows, columns, sql, ...query }: ReportQuery) {
  const reportedRows = rows
    .slice(0, 5)
    .map((row) => row.slice(0, limits.columns).map((cell) => cell && truncate(cell, 100)));
  const names = columns.slice(0, limits.columns).map((name) => truncate(name, 63));
  return {
    ...query,
    sql: truncate(sql, limits.value),
    columns: names,
    rows: reportedRows,
    truncated: query.truncated || rows.length > reportedRows.length,
  };
}

function toProofSummary({ checks, unchecked, ...proof }: ReportProof) {
  const weakChecks = checks.filter(({ verdict }) => verdict !== 'proven').map(toWeakCheck);
  return {
    ...proof,
    proven: checks.length - weakChecks.length,
    weak_checks: takeWithinLength(weakChecks.slice(0, 20), limits.all),
    weak_count: weakChecks.length,
    unchecked: takeWithinLength(unchecked.slice(0, 20).map(toUncheckedPart), limits.all),
    unchecked_count: unchecked.length,
  };
}

function toWeakCheck({ text, line, verdict, covered_by, advice }: ReportProof['checks'][number]) {
  const summary = { text: truncate(text, limits.value), line, verdict, covered_by: covered_by.slice(0, 20) };
  return { ...summary, advice: advice === null ? null : truncate(advice, limits.value) };
}

function toUncheckedPart({ pointer, value, suggestion, note }: ReportProof['unchecked'][number]) {
  const part = { pointer: truncate(pointer, 200), value: truncate(value, 100), suggestion: truncate(suggestion, 300) };
  return { ...part, note: note === undefined ? null : truncate(note, 300) };
}
