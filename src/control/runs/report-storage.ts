/**
 * Splits a report into the columns of its run, the report without the response body, and the body, which expires earlier.
 */
import type { Report, ReportCheck } from '../../report/report.ts';
import type { RunCompletion, StoredReport } from '../../store/control/runs/completion.ts';

const summaryLimit = 300;

/** The first failing check as one line, for lists. */
export function summarizeFailure(report: Report): string | null {
  const firstFailure = report.checks.find((check: ReportCheck) => check.outcome === 'failed');
  if (!firstFailure) return null;
  const text = `${firstFailure.text}: got ${firstFailure.actual ?? 'nothing'}`;
  return text.length > summaryLimit ? `${text.slice(0, summaryLimit - 1)}…` : text;
}

export function toRunCompletion(report: Report): RunCompletion {
  return {
    state: report.result ?? 'cancelled',
    startedAtMs: Date.parse(report.started_at),
    finishedAtMs: Date.parse(report.finished_at),
    failureKind: report.failure?.kind ?? null,
    failureMessage: report.failure?.message ?? null,
    failureSummary: summarizeFailure(report),
    observedStatus: report.observed_status,
    assertionsEnforcedCount: report.assertions_enforced_count,
    evidenceAssertionsCount: report.evidence_assertions_count,
    durationMs: report.timings.total_ms,
  };
}

/** Separates the response body's text. */
export function toStoredReport(report: Report): StoredReport {
  const { response } = report.exchange;
  if (!response || response.body.text === null) return { report: JSON.stringify(report), body: null };
  const withoutBody = { ...response, body: { ...response.body, text: null } };
  return {
    report: JSON.stringify({ ...report, exchange: { ...report.exchange, response: withoutBody } }),
    body: response.body.text,
  };
}

/** Reassembles a stored report; its body's text is null when it has expired. */
export function fromStoredReport(stored: StoredReport): Report {
  // Written by toStoredReport from a report that had passed its schema.
  const report: Report = JSON.parse(stored.report);
  if (report.exchange.response && stored.body !== null) report.exchange.response.body.text = stored.body;
  return report;
}
