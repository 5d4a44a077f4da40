/** How a run ends whose executor vanished with it: failed, `executor_lost`, with a report that says so. */
import { wordsOf } from '../errors/vp-error.ts';
import { verdictOfFault } from '../judge/judge.ts';
import { reportOf } from '../report/make.ts';
import type { Report } from '../report/report.ts';
import type { Evidence, Fault } from '../run/evidence.ts';
import { runIdOf } from '../run/run-id.ts';
import { parseScenario } from '../scenario/parse.ts';
import { endRun, insertReport } from '../store/control/completion.ts';
import type { Counters } from '../store/control/counters.ts';
import { findRun, type RunRow, textOfRun } from '../store/control/runs.ts';
import type { Sql } from '../store/sql.ts';
import { endingOf, storedReportOf } from './report-storage.ts';

/** Why the executor counts as lost: its lease ran out, it started anew in the middle, or its own store is another one. */
export type LossReason = 'lease ended' | 'executor restarted' | 'executor store replaced';

const unreached = { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined };

/** The report of a run about which nothing is known but that it was leased. */
function lostReport(run: RunRow, text: string, nowMs: number, reason: LossReason): Report {
  const words = wordsOf('RUN_EXECUTOR_LOST', { instance: run.instance_id, reason });
  const fault: Fault = { kind: 'executor_lost', message: words.message, cure: words.cure };
  const leasedAtMs = run.leased_at_ms ?? nowMs;
  const timings = { ...unreached, totalMs: Math.max(0, nowMs - leasedAtMs) };
  const evidence: Evidence = { startedAtMs: leasedAtMs, request: undefined, response: undefined, fault, timings };
  const request = {
    ...{ runId: runIdOf(run.id), correlationId: run.correlation_id, instanceId: run.instance_id },
    ...{ scenarioId: run.scenario_id, revision: run.revision, scenarioText: text, origin: run.origin },
    queuedMs: Math.max(0, leasedAtMs - run.requested_at_ms),
  };
  const scenario = parseScenario(text, { variables: 'any' }, () => {});
  return reportOf(request, scenario, verdictOfFault(fault, scenario), evidence, 'none');
}

/** Ends a leased run as lost; false when this lease (`fence`) does not hold it any more. */
export function endAsLost(
  sql: Sql,
  counters: Counters,
  runMs: number,
  fence: number,
  loss: { readonly nowMs: number; readonly reason: LossReason },
): boolean {
  const run = findRun(sql, runMs);
  if (!run) return false;
  const report = lostReport(run, textOfRun(sql, runMs) ?? '', loss.nowMs, loss.reason);
  const ending = { ...endingOf(report), startedAtMs: null, durationMs: null };
  if (!endRun(sql, counters, runMs, fence, ending)) return false;
  insertReport(sql, runMs, storedReportOf(report));
  return true;
}
