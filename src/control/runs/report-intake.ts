/** Accepts reports: each is stored exactly once, also when it is repeated or late. */
import { hash } from 'node:crypto';
import type { CompleteRequest, DirectRunRequest } from '../../contract/executor-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Report } from '../../report/report.ts';
import { parseRunId } from '../../run/run-id.ts';
import type { RunState } from '../../run/state.ts';
import type { Counters } from '../../store/control/counters.ts';
import { saveUncataloguedRevision } from '../../store/control/instances/catalogue.ts';
import {
  completeRun,
  findReportedRun,
  hasReport,
  insertDirectRun,
  insertLateReport,
  insertReport,
} from '../../store/control/runs/completion.ts';
import type { Sql } from '../../store/sql.ts';
import { findRunQuarantine } from '../catalogue/read-quarantines.ts';
import { toRunCompletion, toStoredReport } from './report-storage.ts';

function assertReportMatches(instance: string, report: Report, expected: string): void {
  if (report.run_id === expected && report.instance === instance) return;
  throw vpError('REPORT_MISMATCH', { found: report.run_id, instance: report.instance, expected });
}

/** The schema accepts leap seconds, which Date cannot represent. */
function assertValidTimes(report: Report): void {
  for (const name of ['started_at', 'finished_at'] as const)
    if (Number.isNaN(Date.parse(report[name])))
      throw vpError('REQUEST_INVALID', { where: `report.${name}`, problem: `is not a valid time: ${report[name]}` });
}

/**
 * Reports of unknown runs are stored as late reports, unless the id is this far ahead of our clock: we never gave such an
 * id.
 */
const maxClockLeadMs = 60_000;

/** Throws RUN_UNKNOWN for a run of another instance, REPORT_MISMATCH for the report of another run. */
function findOwnRun(sql: Sql, instance: string, runMs: number, { report, run_id }: CompleteRequest, nowMs: number) {
  const run = findReportedRun(sql, runMs, nowMs);
  const isForeign = run ? run.instance_id !== instance : runMs > nowMs + maxClockLeadMs;
  if (isForeign) throw vpError('RUN_UNKNOWN', { run: run_id });
  const isSameRun =
    !run ||
    (run.origin === 'queue' && run.correlation_id === report.correlation_id && run.scenario_id === report.scenario.id);
  if (isSameRun) return run;
  throw vpError('REPORT_MISMATCH', { found: report.correlation_id, instance: report.instance, expected: run_id });
}

/**
 * Accepts the report of a leased run. Returns the final state, or undefined when the run did not change: a repeated report is
 * dropped; one for a run that has ended without it, or that is unknown, is stored as a late report.
 */
export function acceptReport(
  sql: Sql,
  counters: Counters,
  instance: string,
  runMs: number,
  message: CompleteRequest,
  nowMs: number,
): RunState | undefined {
  assertReportMatches(instance, message.report, message.run_id);
  assertValidTimes(message.report);
  const run = findOwnRun(sql, instance, runMs, message, nowMs);
  const quarantine = run?.has_quarantines ? findRunQuarantine(sql, instance, run.scenario_id, nowMs) : undefined;
  const completion = toRunCompletion(message.report, quarantine);
  if (run && completeRun(sql, counters, run, message.fence, completion)) {
    insertReport(sql, runMs, toStoredReport(message.report));
    return completion.state;
  }
  // A lost run has a report of our own; the executor's report is stored besides it, because it says what happened.
  if (run && run.failure_kind !== 'executor_lost' && hasReport(sql, runMs)) return undefined;
  const correlationId = message.report.correlation_id;
  insertLateReport(sql, { id: runMs, instance, correlationId, report: JSON.stringify(message.report) });
  return undefined;
}

/** Stores a run that was started directly on the executor; false when it is stored already. */
export function acceptDirectRun(
  sql: Sql,
  counters: Counters,
  instance: string,
  message: DirectRunRequest,
  nowMs: number,
): boolean {
  const { report, scenario_text: text } = message;
  assertReportMatches(instance, report, report.run_id);
  assertValidTimes(report);
  const id = parseRunId(report.run_id);
  const { id: scenario, title, layer, tags } = report.scenario;
  const revisionId = saveUncataloguedRevision(sql, {
    ...{ instance, scenario, title, layer, tags, text },
    ...{ sha256: hash('sha256', text), createdBy: 'direct', nowMs },
  });
  const completion = toRunCompletion(report, findRunQuarantine(sql, instance, scenario, nowMs));
  const requestedAtMs = completion.startedAtMs ?? nowMs;
  const correlationId = report.correlation_id;
  const runMs = insertDirectRun(sql, counters, {
    ...{ id: id ?? nowMs, instance, scenario, revisionId, correlationId, requestedAtMs, nowMs, completion: completion },
  });
  if (runMs === undefined) return false;
  insertReport(sql, runMs, toStoredReport(report));
  return true;
}
