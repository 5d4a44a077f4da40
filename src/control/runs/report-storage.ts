/**
 * Splits a report into the columns of its run, the report without the response body, and the body, which expires earlier.
 */
import { describeFailure, listOwnFailures } from '../../insight/failure.ts';
import type { Report } from '../../report/report.ts';
import { findTargetIdentity } from '../../report/target-identity.ts';
import type { RunQuarantine } from '../../run/quarantine.ts';
import type { RunCompletion, StoredReport } from '../../store/control/runs/completion.ts';
import { parseRunQuarantine } from '../wire.ts';
import { toFailureOccurrence } from './failure-occurrence.ts';

const summaryLimit = 300;

/**
 * The first failing check as one line, for lists, with the number of further ones: `… got 3 (+2)`. Checks that only follow
 * from a wrong status are not counted.
 */
function summarizeReportFailure(report: Report): string | null {
  const [firstFailure, ...others] = listOwnFailures(report.checks);
  if (!firstFailure) return null;
  const inCase = report.displayed_case === undefined ? '' : `case ${report.displayed_case}: `;
  const text = `${inCase}${firstFailure.text}: got ${firstFailure.actual ?? 'nothing'}`;
  const more = others.length === 0 ? '' : ` (+${others.length})`;
  const limit = summaryLimit - more.length;
  return `${text.length > limit ? `${text.slice(0, limit - 1)}…` : text}${more}`;
}

/** `quarantine`: that of its scenario when it is judged. */
export function toRunCompletion(report: Report, quarantine: RunQuarantine | undefined): RunCompletion {
  const target = findTargetIdentity(report);
  const failure = describeFailure(report);
  return {
    state: report.result ?? 'cancelled',
    startedAtMs: Date.parse(report.started_at),
    finishedAtMs: Date.parse(report.finished_at),
    failureKind: report.failure?.kind ?? null,
    failureMessage: report.failure?.message ?? null,
    failureSummary: summarizeReportFailure(report),
    observedStatus: report.observed_status,
    assertionsEnforcedCount: report.assertions_enforced_count,
    evidenceAssertionsCount: report.evidence_assertions_count,
    durationMs: report.timings.total_ms,
    evidenceMs: report.timings.evidence_ms ?? 0,
    targetProcess: target.process,
    targetVersion: target.version,
    failure: failure ? toFailureOccurrence(failure) : null,
    quarantine: quarantine && report.result !== null ? JSON.stringify(quarantine) : null,
  };
}

function withoutQuarantine({ quarantine: _, ...report }: Report): Report {
  return report;
}

/** Separates the response body's text. A quarantine is the control plane's to say: it is stored with the run. */
export function toStoredReport(sent: Report): StoredReport {
  // Executors of this version send none, and need no copy.
  const report = sent.quarantine === undefined ? sent : withoutQuarantine(sent);
  const { response } = report.exchange;
  if (!response || response.body.text === null) return { report: JSON.stringify(report), body: null };
  const withoutBody = { ...response, body: { ...response.body, text: null } };
  return {
    report: JSON.stringify({ ...report, exchange: { ...report.exchange, response: withoutBody } }),
    body: response.body.text,
  };
}

/** What the control plane knows of a run besides its report: columns of its row. */
export type RunFacts = { readonly quarantine: string | null; readonly target_version: string | null };

/** Reassembles a stored report; its body's text is null when it has expired. */
export function fromStoredReport(stored: StoredReport, facts?: RunFacts): Report {
  // Written by toStoredReport from a report that had passed its schema.
  const { quarantine: _, ...report }: Report = JSON.parse(stored.report);
  if (report.exchange.response && stored.body !== null) report.exchange.response.body.text = stored.body;
  const { quarantine = null, target_version: version = null } = facts ?? {};
  return {
    ...report,
    ...(quarantine === null ? {} : { quarantine: parseRunQuarantine(quarantine) }),
    ...(version === null ? {} : { target_version: version }),
  };
}
