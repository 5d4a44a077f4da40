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
import { toRunCompletion, toStoredReport } from './report-storage.ts';

/** Why the executor counts as lost. */
export type LossReason = 'lease ended' | 'executor restarted' | 'executor store replaced' | 'older copy of a store';

const noTimings = { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined };

/** The report of a run of which only the lease is known. */
function createLostReport(run: RunRow, text: string, nowMs: number, reason: LossReason): Report {
  const texts = formatError('RUN_EXECUTOR_LOST', { instance: run.instance_id, reason });
  const failure: ExecutionFailure = { kind: 'executor_lost', message: texts.message, cure: texts.cure };
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
  const run = findRun(sql, runMs);
  if (!run) return false;
  const report = createLostReport(run, findRunText(sql, runMs) ?? '', loss.nowMs, loss.reason);
  const ending = { ...toRunCompletion(report), startedAtMs: null, durationMs: null };
  if (!completeRun(sql, counters, runMs, fence, ending)) return false;
  insertReport(sql, runMs, toStoredReport(report));
  return true;
}
