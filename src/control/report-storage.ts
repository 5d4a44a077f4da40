/** A report apart: the columns of its run, its text without the body, and the body, which expires earlier. */
import type { Report, ReportCheck } from '../report/report.ts';
import type { Ending, StoredReport } from '../store/control/completion.ts';

const summaryLimit = 300;

/** The first failing check as one line, for lists. */
export function summaryOf(report: Report): string | null {
  const first = report.checks.find((check: ReportCheck) => check.outcome === 'failed');
  if (!first) return null;
  const text = `${first.text}: got ${first.actual ?? 'nothing'}`;
  return text.length > summaryLimit ? `${text.slice(0, summaryLimit - 1)}…` : text;
}

/** What a report says about its run. */
export function endingOf(report: Report): Ending {
  return {
    state: report.result ?? 'cancelled',
    startedAtMs: Date.parse(report.started_at),
    finishedAtMs: Date.parse(report.finished_at),
    failureKind: report.failure?.kind ?? null,
    failureMessage: report.failure?.message ?? null,
    failureSummary: summaryOf(report),
    observedStatus: report.observed_status,
    assertionsEnforcedCount: report.assertions_enforced_count,
    evidenceAssertionsCount: report.evidence_assertions_count,
    durationMs: report.timings.total_ms,
  };
}

/** Takes the body's text out. */
export function storedReportOf(report: Report): StoredReport {
  const { response } = report.exchange;
  if (!response || response.body.text === null) return { report: JSON.stringify(report), body: null };
  const bare = { ...response, body: { ...response.body, text: null } };
  return {
    report: JSON.stringify({ ...report, exchange: { ...report.exchange, response: bare } }),
    body: response.body.text,
  };
}

/** Puts a stored report together again; its body's text is null when it expired. */
export function reportFrom(stored: StoredReport): Report {
  // Written by storedReportOf from a report that had passed its schema.
  const report: Report = JSON.parse(stored.report);
  if (report.exchange.response && stored.body !== null) report.exchange.response.body.text = stored.body;
  return report;
}
