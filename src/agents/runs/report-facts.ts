/** A report as data for agents: everything needed to mend the application or the scenario, each part bounded. */
import { bodyExcerpt } from '../../report/excerpt.ts';
import type { FailedCheck, Report, ReportLog, ReportProof, ReportQuery } from '../../report/report.ts';
import { cut, fitting } from '../answer/bounds.ts';

/** Lengths and counts of one answer; what is left out is read by `part`. */
const most = {
  columns: 12,
  checks: 12,
  value: 400,
  body: 2000,
  header: 200,
  line: 500,
  all: 4000,
  allChecks: 8000,
  notes: 10,
} as const;

/** Headers of a response that say what its body is, or where it leads. */
const tellingHeaders = new Set([
  'content-type',
  'location',
  'retry-after',
  'www-authenticate',
  'allow',
  'x-request-id',
]);

/** The parts. */
export function reportFacts(report: Report) {
  const { checks } = report;
  const outcomes = { passed: 0, failed: 0, not_judged: 0 };
  for (const { outcome } of checks) outcomes[outcome] += 1;
  return {
    run_id: report.run_id,
    correlation_id: report.correlation_id,
    scenario_id: report.scenario.id,
    layer: report.scenario.layer,
    result: report.result,
    failure: report.failure && { ...report.failure, message: cut(report.failure.message, 1000) },
    observed_status: report.observed_status,
    status_check_applied: checks.some(({ kind, outcome }) => kind === 'status' && outcome !== 'not_judged'),
    assertions_enforced_count: report.assertions_enforced_count,
    evidence_assertions_count: report.evidence_assertions_count,
    checks: outcomes,
    failed_checks: fitting(
      report.failed_checks.slice(0, most.checks).map((check) => failedFacts(check, report)),
      most.allChecks,
    ),
    notes: report.notes.slice(0, most.notes).map((note) => cut(note, most.line)),
    request: requestFacts(report),
    response: responseFacts(report),
    log: report.log && logFacts(report.log),
    queries: fitting(report.queries.map(queryFacts), most.all),
    proof: report.proof && proofFacts(report.proof),
    timings: report.timings,
  };
}

/** See {@link reportFacts}. */
export type ReportFacts = ReturnType<typeof reportFacts>;

function failedFacts({ text, line, column, expected, actual, pointer }: FailedCheck, { exchange }: Report) {
  const body = exchange.response?.body.text ?? null;
  const around = pointer === null || body === null ? [] : bodyExcerpt(body, pointer);
  return {
    check: cut(text, most.value),
    line,
    column,
    expected: expected === null ? null : cut(expected, most.value),
    actual: actual === null ? null : cut(actual, most.value),
    pointer,
    body_around: cut(around.map(({ text: shown, marked }) => `${marked ? '>' : ' '} ${shown}`).join('\n'), most.value),
  };
}

function requestFacts({ exchange: { request } }: Report) {
  if (!request) return null;
  const lines = request.headers.slice(0, 30).map(([name, value]) => `${name}: ${cut(value, most.header)}`);
  const headers = fitting(lines, most.body);
  const body = request.body === null ? null : cut(request.body, most.body);
  return { method: request.method, url: cut(request.url, most.value), headers, body };
}

function responseFacts({ exchange: { response } }: Report) {
  if (!response) return null;
  const telling = response.headers.filter(([name]) => tellingHeaders.has(name.toLowerCase())).slice(0, 10);
  const { text, size_bytes, truncated } = response.body;
  return {
    status: response.status,
    headers: telling.map(([name, value]) => `${name}: ${cut(value, most.header)}`),
    body: text === null ? null : cut(text, most.body),
    size_bytes,
    complete: text !== null && !truncated && text.length <= most.body,
  };
}

/** Lines of errors first: they say what the application thinks went wrong. */
function logFacts({ lines, ...log }: ReportLog) {
  const ordered = [...lines.filter(({ error }) => error), ...lines.filter(({ error }) => !error)];
  const told = ordered.slice(0, 10).map((line) => ({ ...line, text: cut(line.text, most.line) }));
  return { ...log, lines: fitting(told, most.all), lines_left_out: Math.max(0, lines.length - told.length) };
}

function queryFacts({ rows, columns, sql, ...query }: ReportQuery) {
  const told = rows.slice(0, 5).map((row) => row.slice(0, most.columns).map((cell) => cell && cut(cell, 100)));
  const names = columns.slice(0, most.columns).map((name) => cut(name, 63));
  return {
    ...query,
    sql: cut(sql, most.value),
    columns: names,
    rows: told,
    truncated: query.truncated || rows.length > told.length,
  };
}

function proofFacts({ checks, unchecked, ...proof }: ReportProof) {
  const weak = checks.filter(({ verdict }) => verdict !== 'proven').map(weakFacts);
  return {
    ...proof,
    proven: checks.length - weak.length,
    weak_checks: fitting(weak.slice(0, 20), most.all),
    weak_count: weak.length,
    unchecked: fitting(unchecked.slice(0, 20).map(uncheckedFacts), most.all),
    unchecked_count: unchecked.length,
  };
}

function weakFacts({ text, line, verdict, covered_by, advice }: ReportProof['checks'][number]) {
  const told = { text: cut(text, most.value), line, verdict, covered_by: covered_by.slice(0, 20) };
  return { ...told, advice: advice === null ? null : cut(advice, most.value) };
}

function uncheckedFacts({ pointer, value, suggestion }: ReportProof['unchecked'][number]) {
  return { pointer: cut(pointer, 200), value: cut(value, 100), suggestion: cut(suggestion, 300) };
}
