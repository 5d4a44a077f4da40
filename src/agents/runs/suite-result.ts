/** The result of a suite, compact: a line for what passed, the reasons for what failed, and what the proofs found. */
import type { RunDocument } from '../../contract/api.ts';
import { describeQuarantine } from '../../run/quarantine.ts';
import { getRunOutcome, isFinalState, outcomeLabels } from '../../run/state.ts';
import { formatQuantity, truncate } from '../tools/result-text.ts';
import { type ReportSummary, toReportSummary } from './report-summary.ts';

const limits = { checks: 6, weak: 4, unchecked: 4, value: 160 } as const;

type RunSummary = {
  readonly run_id: string;
  readonly scenario_id: string;
  readonly outcome: string;
  /** It did not pass, and that does not count. */
  readonly isQuarantined: boolean;
  /** What a person or agent must know of it, a line each; empty where it passed and its proof found nothing. */
  readonly details: readonly string[];
};

function summarizeFailure({ failure, failed_checks: failedChecks, log }: ReportSummary): string[] {
  if (!failure) return [];
  const own = failedChecks.filter(({ follows_from_status: follows }) => !follows);
  const checks = own.slice(0, limits.checks).map(({ line, check, actual }) => {
    return `line ${line} \`${truncate(check, limits.value)}\`: ${truncate(actual ?? '', limits.value)}`;
  });
  const following = failedChecks.length - own.length;
  const errorLine = log?.lines.find(({ error }) => error)?.text;
  return [
    ...(checks.length === 0
      ? [`${failure.kind}: ${truncate(failure.message, 300)}; ${truncate(failure.cure, 300)}`]
      : checks),
    ...(own.length > checks.length ? [`${own.length - checks.length} more failed checks`] : []),
    ...(following > 0 ? [`${formatQuantity(following, 'check')} follow from the status`] : []),
    ...(errorLine === undefined ? [] : [`log: ${truncate(errorLine, 200)}`]),
  ];
}

function summarizeProof({ proof }: ReportSummary): string[] {
  if (!proof || proof.problem !== null) return [];
  const weak = proof.weak_checks
    .filter(({ verdict }) => verdict === 'never_fails')
    .slice(0, limits.weak)
    .map(({ line, advice }) => `never fails, line ${line}: ${truncate(advice ?? '', limits.value)}`);
  const notHolding = proof.unchecked.filter(({ note }) => note !== null);
  const others = proof.unchecked.filter(({ note }) => note === null);
  const listed = [...notHolding, ...others].slice(0, limits.unchecked);
  const unchecked = listed.map(({ suggestion, note }) => {
    return `unchecked: - ${truncate(suggestion, limits.value)}${note === null ? '' : ` (${truncate(note, 200)})`}`;
  });
  const more = proof.unchecked_count - listed.length;
  return [...weak, ...unchecked, ...(more > 0 ? [`${more} more unchecked`] : [])];
}

export function summarizeRun(run: RunDocument): RunSummary {
  const { run_id, scenario_id, state } = run;
  const outcome = getRunOutcome(state, run.failure_kind);
  const report = run.report ?? run.late_report;
  const summary = report && toReportSummary(report);
  const details = isFinalState(state) && summary ? [...summarizeFailure(summary), ...summarizeProof(summary)] : [];
  const isQuarantined = state === 'failed' && run.quarantine !== undefined;
  const note = run.quarantine ? [truncate(describeQuarantine(run.quarantine), limits.value)] : [];
  const label = outcome === undefined ? state : outcomeLabels[outcome];
  return { run_id, scenario_id, outcome: label, isQuarantined, details: [...note, ...details] };
}

/** Equal lines of several runs are written once, with the scenarios they belong to. */
export function formatSuiteRuns(runs: readonly RunSummary[]): string[] {
  const scenariosByLine = new Map<string, string[]>();
  for (const { scenario_id, details } of runs) {
    for (const line of details.map(withoutLine)) {
      scenariosByLine.set(line, [...(scenariosByLine.get(line) ?? []), scenario_id]);
    }
  }
  const common = [...scenariosByLine].filter(([, ids]) => ids.length > 2);
  const isCommon = (line: string): boolean => common.some(([text]) => text === withoutLine(line));
  return [
    ...runs.flatMap(({ scenario_id, outcome, details, run_id }) => {
      const own = details.filter((line) => !isCommon(line));
      const id = outcome === 'passed' ? '' : ` (run ${run_id})`;
      return [`${scenario_id}: ${outcome}${id}`, ...own.map((line) => `  ${line}`)];
    }),
    ...common.map(([line, ids]) => `${ids.length} of them (${truncate(ids.join(', '), 200)}): ${line}`),
  ];
}

/** A suggestion is the same whatever the line of the check is. */
function withoutLine(line: string): string {
  return line.replace(/, line \d+:/, ':');
}
