/** A run whose executor vanished fails as `executor_lost`, with a report that says so. */
import { formatError } from '../../errors/vp-error.ts';
import { createFailureVerdict } from '../../judge/judge.ts';
import { buildReport } from '../../report/build/build-report.ts';
import type { Report } from '../../report/report.ts';
import type { Evidence, ExecutionFailure } from '../../run/evidence.ts';
import { formatRunId } from '../../run/run-id.ts';
import { parseScenario } from '../../scenario/parse.ts';
import type { Counters } from '../../store/control/counters.ts';
import { completeRun, insertReport } from '../../store/control/runs/completion.ts';
import { findRun, findRunText, type RunRow } from '../../store/control/runs/runs.ts';
import type { Sql } from '../../store/sql.ts';
import { findRunQuarantine } from '../catalogue/read-quarantines.ts';
import { toRunCompletion, toStoredReport } from './report-storage.ts';

/** Why the executor counts as lost. */
export type LossReason = 'lease ended' | 'executor restarted' | 'executor store replaced' | 'older copy of a store';

const noTimings = { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined };

/** The report of a run of which only the lease is known. */
function createLeaseReport(run: RunRow, text: string, nowMs: number, failure: ExecutionFailure): Report {
  const leasedAtMs = run.leased_at_ms ?? nowMs;
  const timings = { ...noTimings, totalMs: Math.max(0, nowMs - leasedAtMs) };
  const evidence: Evidence = {
    startedAtMs: leasedAtMs,
    request: undefined,
    response: undefined,
    failure: failure,
    timings,
  };
  const request = {
    ...{ runId: formatRunId(run.id), correlationId: run.correlation_id, instanceId: run.instance_id },
    ...{ scenarioId: run.scenario_id, revision: run.revision, scenarioText: text, origin: run.origin },
    queuedMs: Math.max(0, leasedAtMs - run.requested_at_ms),
  };
  const scenario = parseScenario(text, { variables: 'any' }, () => {});
  return buildReport(request, scenario, createFailureVerdict(failure, scenario), evidence, 'none');
}

/** Ends a leased run as lost; false when this lease (`fence`) no longer holds it. */
export function failLostRun(
  sql: Sql,
  counters: Counters,
  runMs: number,
  fence: number,
  loss: { readonly nowMs: number; readonly reason: LossReason },
): boolean {
  const { nowMs, reason } = loss;
  return failLeasedRun(sql, counters, runMs, fence, nowMs, ({ instance_id: instance }) => {
    const { message, cure } = formatError('RUN_EXECUTOR_LOST', { instance, reason });
    return { kind: 'executor_lost', message, cure };
  });
}

/** Ends a leased run that is not sent, because its executor does not know requests around the trigger. */
export function failUnsupportedRun(sql: Sql, counters: Counters, runMs: number, fence: number, nowMs: number): boolean {
  return failLeasedRun(sql, counters, runMs, fence, nowMs, ({ instance_id: instance }) => {
    const { message, cure } = formatError('RUN_STEPS_UNSUPPORTED', { instance });
    return { kind: 'protocol_error', message, cure };
  });
}

function failLeasedRun(
  sql: Sql,
  counters: Counters,
  runMs: number,
  fence: number,
  nowMs: number,
  describe: (run: RunRow) => ExecutionFailure,
): boolean {
  const run = findRun(sql, runMs);
  if (!run) return false;
  const report = createLeaseReport(run, findRunText(sql, runMs) ?? '', nowMs, describe(run));
  const quarantine = findRunQuarantine(sql, run.instance_id, run.scenario_id, nowMs);
  const ending = { ...toRunCompletion(report, quarantine), startedAtMs: null, durationMs: null, evidenceMs: null };
  if (!completeRun(sql, counters, run, fence, ending)) return false;
  insertReport(sql, runMs, toStoredReport(report));
  return true;
}
