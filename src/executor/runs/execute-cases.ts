/**
 * Executes a scenario with CASES: each case as a scenario of its own, one after another, with its values, its correlation id and
 * its lines of the log. After a crash only the case that was being sent is cleaned up; the others are reported.
 */
import { type CaseCollector, type CaseEnd, createCaseCollector } from '../../report/build/collect-cases.ts';
import type { Report } from '../../report/report.ts';
import type { RunRequest } from '../../run/run-request.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { ChainJournal, ChainProgress } from './chain-journal.ts';
import { executeScenario, type SentCase } from './execute-scenario.ts';
import { recoverRun } from './recover-run.ts';
import {
  type ExecuteOptions,
  type RecoverOptions,
  type RunnerContext,
  type RunStart,
  readRunStart,
} from './run-context.ts';

/** After so many cases in a row without an answer the others are not sent: each might take the whole time of TIMEOUT. */
const maxUnanswered = 3;
/** Proving takes longer than sending, and further cases rarely show what these do not. */
const maxProvenCases = 20;

/** The id of the run begins it, so that the run's id finds the lines of all cases; of equal length, so that none begins another. */
function formatCaseId({ correlationId }: RunRequest, index: number): string {
  return `${correlationId}-${String(index + 1).padStart(4, '0')}`;
}

function toCaseRequest(request: RunRequest, index: number): RunRequest {
  const prove = request.prove && index < maxProvenCases;
  return { ...request, correlationId: formatCaseId(request, index), ...(prove === undefined ? {} : { prove }) };
}

function forCase(journal: ChainJournal, index: number): ChainJournal {
  return (progress, isCleanup) => journal({ ...progress, case: index }, isCleanup);
}

function isUnanswered({ failure }: Report): boolean {
  return failure?.kind === 'timeout' || failure?.kind === 'target_unreachable';
}

/** Why no further case may be sent; undefined where it may. */
function findEnd(report: Report, unanswered: number): { readonly end: CaseEnd } | undefined {
  const { result, failure } = report;
  if (result === null || failure?.kind === 'executor_lost') return { end: undefined };
  return unanswered === maxUnanswered ? { end: 'no answers' } : undefined;
}

function addUnsent(
  collector: CaseCollector,
  { cases }: Scenario,
  request: RunRequest,
  from: number,
  end: CaseEnd,
): void {
  for (const [index, entry] of cases.entries())
    if (index >= from) collector.addUnsent(entry, formatCaseId(request, index), end);
}

function build(collector: CaseCollector, request: RunRequest, start: RunStart): Report {
  const { correlationId: correlation_id } = request;
  return collector.build({ correlation_id, started_at: new Date(start.startedAtMs).toISOString() });
}

export async function executeCases(
  context: RunnerContext,
  request: RunRequest,
  scenario: Scenario,
  start: RunStart,
  options: ExecuteOptions,
): Promise<Report> {
  const collector = createCaseCollector();
  const grpcSchemas: SentCase['grpcSchemas'] = new Map();
  let unanswered = 0;
  for (const [index, entry] of scenario.cases.entries()) {
    const { journal } = options;
    const caseOptions = { ...options, journal: journal && forCase(journal, index) };
    const caseStart = index === 0 ? start : readRunStart(context);
    const caseRequest = toCaseRequest(request, index);
    const sentCase = { entry, index, grpcSchemas };
    const report = await executeScenario(context, caseRequest, scenario, caseStart, caseOptions, sentCase);
    collector.add(entry, report);
    unanswered = isUnanswered(report) ? unanswered + 1 : 0;
    const ended = findEnd(report, unanswered);
    if (!ended) continue;
    addUnsent(collector, scenario, request, index + 1, ended.end);
    break;
  }
  return build(collector, request, start);
}

/** The report of a run that an earlier start left at `progress`, with or without cases. */
export async function recoverCases(
  context: RunnerContext,
  request: RunRequest,
  start: RunStart,
  progress: ChainProgress,
  options: RecoverOptions,
): Promise<Report> {
  const { scenario } = context.parseScenario(request.scenarioText);
  const index = progress.case ?? 0;
  const entry = scenario?.cases[index];
  if (!scenario || !entry) return recoverRun(context, request, start, progress, options);
  const caseOptions = { ...options, journal: forCase(options.journal, index) };
  const sentCase = { entry, index };
  const report = await recoverRun(context, toCaseRequest(request, index), start, progress, caseOptions, sentCase);
  const collector = createCaseCollector();
  for (const [position, each] of scenario.cases.slice(0, index).entries())
    collector.addUnknown(each, formatCaseId(request, position));
  collector.add(entry, report);
  addUnsent(collector, scenario, request, index + 1, undefined);
  return build(collector, request, start);
}
