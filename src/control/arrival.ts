/** Reports that arrive: each is taken exactly once, whatever was repeated or came late. */
import { createHash } from 'node:crypto';
import type { Complete, DirectRun } from '../contract/executor-api.ts';
import { vpError } from '../errors/vp-error.ts';
import type { Report } from '../report/report.ts';
import { epochMsOfRunId } from '../run/run-id.ts';
import type { RunState } from '../run/state.ts';
import { revisionOutside } from '../store/control/catalogue.ts';
import { endRun, hasReport, insertDirectRun, insertLateReport, insertReport } from '../store/control/completion.ts';
import type { Counters } from '../store/control/counters.ts';
import { findRun } from '../store/control/runs.ts';
import type { Sql } from '../store/sql.ts';
import { endingOf, storedReportOf } from './report-storage.ts';

/** SHA-256 of a scenario's text, hex. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function requireMatch(instance: string, report: Report, expected: string): void {
  if (report.run_id === expected && report.instance === instance) return;
  throw vpError('REPORT_MISMATCH', { found: report.run_id, instance: report.instance, expected });
}

/**
 * Takes the report of a leased run. Gives the state it ended in, or undefined when this changed nothing: a repeated
 * report is dropped; one for a run that ended without it, or that is not known here, is kept apart.
 */
export function acceptReport(
  sql: Sql,
  counters: Counters,
  instance: string,
  runMs: number,
  message: Complete,
  nowMs: number,
): RunState | undefined {
  requireMatch(instance, message.report, message.run_id);
  const ending = endingOf(message.report);
  const run = findRun(sql, runMs);
  const own = run?.instance_id === instance;
  if (own && endRun(sql, counters, runMs, message.fence, ending)) {
    insertReport(sql, runMs, storedReportOf(message.report));
    return ending.state;
  }
  // A lost run has the report that was written for it; the executor's own is what its readers are after.
  if (own && run.failure_kind !== 'executor_lost' && hasReport(sql, runMs)) return undefined;
  insertLateReport(sql, runMs, instance, JSON.stringify(message.report), nowMs);
  return undefined;
}

/** Takes a run that was started directly on the executor; repeated, it changes nothing. */
export function acceptDirectRun(
  sql: Sql,
  counters: Counters,
  instance: string,
  message: DirectRun,
  nowMs: number,
): void {
  const { report, scenario_text: text } = message;
  const id = epochMsOfRunId(report.run_id);
  if (report.instance !== instance || id === undefined) requireMatch(instance, report, report.run_id);
  const { id: scenario, title, layer, tags } = report.scenario;
  const revisionId = revisionOutside(sql, {
    ...{ instance, scenario, title, layer, tags, text },
    ...{ sha256: digestOf(text), by: 'direct', nowMs },
  });
  const ending = endingOf(report);
  const requestedAtMs = ending.startedAtMs ?? nowMs;
  const correlationId = report.correlation_id;
  const runMs = insertDirectRun(sql, counters, {
    ...{ id: id ?? nowMs, instance, scenario, revisionId, correlationId, requestedAtMs, nowMs, ending },
  });
  insertReport(sql, runMs, storedReportOf(report));
}
