/**
 * Makes one report of the reports of the cases of a run. Only what did not pass keeps its exchange, and only for the first of
 * them, so that a run of a thousand cases stays as small as its failures are few.
 */

import { formatError } from '../../errors/vp-error.ts';
import { judgedFailureKinds } from '../../run/state.ts';
import type { ScenarioCase } from '../../scenario/scenario.ts';
import type { Report, ReportCase } from '../report.ts';
import { truncateExchange } from './build-report.ts';
import { mergeNotes, mergeProofs } from './merge-cases.ts';

/** How many cases that did not pass have their exchange, and how many all their failing checks. */
const maxExchanges = 20;
const maxDetailed = 50;

/** Why the cases after the last one were not sent; undefined where the run was cancelled. */
export type CaseEnd = 'no answers' | undefined;

export type CaseCollector = {
  /** In the order of the scenario. `correlationId` is that of the case. */
  add(entry: ScenarioCase, report: Report): void;
  /** A case about which an executor that ended said nothing. */
  addUnknown(entry: ScenarioCase, correlationId: string): void;
  addUnsent(entry: ScenarioCase, correlationId: string, end: CaseEnd): void;
  /** Passed only where every case passed. Call it after at least one `add`. */
  build(run: Pick<Report, 'correlation_id' | 'started_at'>): Report;
};

function getCaseOutcome({ result, failure }: Report): ReportCase['outcome'] {
  if (result === 'passed') return 'passed';
  return failure && judgedFailureKinds.has(failure.kind) ? 'failed' : 'not_judged';
}

/** A false check decides; then what could not be judged; a cancelled case only where nothing else went wrong. */
function rank({ result, failure }: Report): number {
  if (result === null) return 2;
  if (result === 'passed') return 3;
  return failure && judgedFailureKinds.has(failure.kind) ? 0 : 1;
}

function toReportCase({ name, range }: ScenarioCase, report: Report, notPassed: number): ReportCase {
  const { failure, failed_checks, checks, exchange } = report;
  const outcome = getCaseOutcome(report);
  const before = report.timings.before_ms ?? 0;
  return {
    ...{ name, line: range.start.line, outcome },
    problem: failure?.message ?? null,
    cure: failure?.cure ?? null,
    correlation_id: report.correlation_id,
    observed_status: report.observed_status,
    check_count: checks.filter((check) => check.outcome !== 'not_judged').length,
    failed_checks: failed_checks.slice(0, notPassed < maxDetailed ? maxDetailed : 1),
    exchange: outcome !== 'passed' && notPassed < maxExchanges ? truncateExchange(exchange) : null,
    total_ms: exchange.request || report.steps ? before + report.timings.total_ms : null,
  };
}

function toUnsentCase(
  { name, range }: ScenarioCase,
  correlationId: string,
  outcome: 'not_sent' | 'not_known',
  reason: { readonly message: string; readonly cure: string } | undefined,
): ReportCase {
  return {
    ...{ name, line: range.start.line, outcome },
    ...{ problem: reason?.message ?? null, cure: reason?.cure ?? null, correlation_id: correlationId },
    ...{ observed_status: null, check_count: 0, failed_checks: [], exchange: null, total_ms: null },
  };
}

/** Times of a case are counted from its own start. */
function moveTimes(report: Report, byMs: number): Report {
  const move = <T extends { at_ms?: number }>(entry: T): T =>
    entry.at_ms === undefined ? entry : { ...entry, at_ms: entry.at_ms + byMs };
  const { log, queries, steps, cleanup } = report;
  return {
    ...report,
    log: log && { ...log, lines: log.lines.map(move) },
    queries: queries.map(move),
    ...(steps ? { steps: steps.map(move) } : {}),
    ...(cleanup ? { cleanup: cleanup.map(move) } : {}),
  };
}

type Displayed = { readonly name: string; readonly report: Report };

export function createCaseCollector(): CaseCollector {
  const cases: ReportCase[] = [];
  const noteLists: { readonly name: string; readonly notes: readonly string[] }[] = [];
  const proofs: Report['proof'][] = [];
  const counts = { enforced: 0, evidence: 0, notPassed: 0 };
  let displayed: Displayed | undefined;
  let finishedAt = '';
  return {
    add(entry, report) {
      cases.push(toReportCase(entry, report, counts.notPassed));
      if (report.result !== 'passed') counts.notPassed += 1;
      counts.enforced += report.assertions_enforced_count;
      counts.evidence += report.evidence_assertions_count;
      noteLists.push({ name: entry.name, notes: report.notes });
      if (report.result === 'passed') proofs.push(report.proof);
      if (!displayed || rank(report) < rank(displayed.report)) displayed = { name: entry.name, report };
      finishedAt = report.finished_at > finishedAt ? report.finished_at : finishedAt;
    },
    addUnknown(entry, correlationId) {
      cases.push(toUnsentCase(entry, correlationId, 'not_known', formatError('CASE_NOT_KNOWN', {})));
    },
    addUnsent(entry, correlationId, end) {
      const reason = end && formatError('CASE_RUN_ENDED', {});
      cases.push(toUnsentCase(entry, correlationId, 'not_sent', reason));
    },
    build({ correlation_id, started_at }) {
      if (!displayed) throw new Error('a run of cases has no case');
      const { name, report } = displayed;
      const { failure } = report;
      const beforeMs = Math.max(0, Date.parse(report.started_at) - Date.parse(started_at));
      const before_ms = (report.timings.before_ms ?? 0) + beforeMs;
      return {
        ...moveTimes(report, beforeMs),
        ...{ correlation_id, started_at, finished_at: finishedAt },
        failure: failure && { ...failure, message: `case \`${name}\`: ${failure.message}` },
        assertions_enforced_count: counts.enforced,
        evidence_assertions_count: counts.evidence,
        notes: mergeNotes(noteLists),
        proof: report.result === 'passed' ? mergeProofs(proofs) : report.proof,
        ...{ cases, displayed_case: name },
        timings: { ...report.timings, ...(before_ms > 0 ? { before_ms } : {}) },
      };
    },
  };
}
