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

/** The report's moments as numbers; a leap second passes the schema and is none that we can keep. */
function requireMoments(report: Report): void {
  for (const name of ['started_at', 'finished_at'] as const)
    if (Number.isNaN(Date.parse(report[name])))
      throw vpError('REQUEST_INVALID', { where: `report.${name}`, problem: `is no moment: ${report[name]}` });
}

/** Reports of runs that are not known here are kept apart, unless their ids lie ahead of our clock: nobody was given them. */
const clockSlackMs = 60_000;

/** The run, when it is the instance's own. Throws RUN_UNKNOWN for another's, REPORT_MISMATCH for another run's report. */
function ownRun(sql: Sql, instance: string, runMs: number, { report, run_id }: Complete, nowMs: number) {
  const run = findRun(sql, runMs);
  const foreign = run ? run.instance_id !== instance : runMs > nowMs + clockSlackMs;
  if (foreign) throw vpError('RUN_UNKNOWN', { run: run_id });
  const same =
    !run ||
    (run.origin === 'queue' && run.correlation_id === report.correlation_id && run.scenario_id === report.scenario.id);
  if (same) return run;
  throw vpError('REPORT_MISMATCH', { found: report.correlation_id, instance: report.instance, expected: run_id });
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
  requireMoments(message.report);
  const ending = endingOf(message.report);
  const run = ownRun(sql, instance, runMs, message, nowMs);
  if (run && endRun(sql, counters, runMs, message.fence, ending)) {
    insertReport(sql, runMs, storedReportOf(message.report));
    return ending.state;
  }
  // A lost run has the report that was written for it; the executor's own is what its readers are after.
  if (run && run.failure_kind !== 'executor_lost' && hasReport(sql, runMs)) return undefined;
  const correlationId = message.report.correlation_id;
  insertLateReport(sql, { id: runMs, instance, correlationId, report: JSON.stringify(message.report) });
  return undefined;
}

/** Takes a run that was started directly on the executor; repeated, it changes nothing and gives false. */
export function acceptDirectRun(
  sql: Sql,
  counters: Counters,
  instance: string,
  message: DirectRun,
  nowMs: number,
): boolean {
  const { report, scenario_text: text } = message;
  requireMatch(instance, report, report.run_id);
  requireMoments(report);
  const id = epochMsOfRunId(report.run_id);
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
  if (runMs === undefined) return false;
  insertReport(sql, runMs, storedReportOf(report));
  return true;
}
