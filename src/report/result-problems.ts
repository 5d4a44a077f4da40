/** What a CI system is to display of the results: one entry for each false check, and for each run that could not be judged. */
import { describeQuarantine } from '../run/quarantine.ts';
import { locateLine } from '../scenario/embedded-files.ts';
import { getCaseOutcome, summarizeCase } from './cases.ts';
import { describeCheck, splitChecksByDetail } from './detail.ts';
import { getOutcome, type ReportOutcome } from './outcome.ts';
import { verdictLabels } from './proof-labels.ts';
import type { Report, ReportCase } from './report.ts';
import type { RunResults, ScenarioSource } from './results.ts';
import { summarizeFailure } from './summarize-failure.ts';

export type ResultProblem = {
  readonly scenarioId: string;
  readonly instance: string;
  readonly runId: string;
  readonly outcome: Exclude<ReportOutcome, 'passed'>;
  /** The words of its quarantine, in which it is not a failure; absent for others. */
  readonly quarantine?: string;
  /** The kind of the failure, such as `body_mismatch`. */
  readonly kind: string;
  /** One line. */
  readonly message: string;
  /** The sentence of the failure and what to do; empty where the message says everything. */
  readonly detail: string;
  /** What is the same in every run that has this problem: no values, no ids of runs. */
  readonly identity: string;
  /** A file of this machine; absent for scenarios of the catalogue and for tool calls. */
  readonly location?: { readonly file: string; readonly line: number };
};

type JudgedResults = Pick<RunResults, 'reports' | 'sources' | 'isProof'>;

/**
 * In the order of the runs. Checks that only follow from a false status are left out. A run that passed has problems where
 * `vp prove` ends with an error.
 */
export function listResultProblems(results: JudgedResults): ResultProblem[] {
  const { reports, sources } = results;
  return reports.flatMap((report) => [
    ...listReportProblems(report, sources.get(report.scenario.id)),
    ...listProofProblems(report, results),
  ]);
}

/** What is wrong with the proof of a run that passed: checks that never fail, or were not tried. */
export function listProofProblems(report: Report, { sources, isProof }: JudgedResults): ResultProblem[] {
  const { proof } = report;
  if (getOutcome(report) !== 'passed' || (proof === null && !isProof)) return [];
  const source = sources.get(report.scenario.id);
  const base = { scenarioId: report.scenario.id, instance: report.instance, runId: report.run_id };
  const obstacle = proof === null ? 'the executor sent no proof' : proof.problem;
  if (proof === null || obstacle !== null) {
    const own = { outcome: 'broken', kind: 'not_proven', detail: '', identity: 'not_proven' } as const;
    return [{ ...base, ...own, message: `not proven: ${obstacle}`, ...locate(source, 1) }];
  }
  return proof.checks.flatMap((check): ResultProblem[] => {
    const { text, line, verdict, advice } = check;
    if (verdict !== 'never_fails' && verdict !== 'not_tried') return [];
    const isWeak = verdict === 'never_fails';
    const own = {
      outcome: isWeak ? 'failed' : 'broken',
      kind: `check_${verdict}`,
      detail: advice ?? '',
      identity: text,
    } as const;
    return [{ ...base, ...own, message: `${verdictLabels[verdict]}: ${text}`, ...locate(source, line) }];
  });
}

function listReportProblems(report: Report, source: ScenarioSource | undefined): ResultProblem[] {
  const outcome = getOutcome(report);
  if (outcome === 'passed') return [];
  if (report.cases) return report.cases.flatMap((entry) => listCaseProblem(report, entry, source));
  const base = describeRun(report, outcome);
  const { full } = splitChecksByDetail(report);
  if (full.length === 0) {
    const message = summarizeFailure(report);
    return [{ ...base, message, identity: base.kind, ...locate(source, 1) }];
  }
  return full.map((check) => ({
    ...base,
    message: describeCheck(check),
    identity: check.text,
    ...locate(source, check.line),
  }));
}

function listCaseProblem(report: Report, entry: ReportCase, source: ScenarioSource | undefined): ResultProblem[] {
  const outcome = getCaseOutcome(entry);
  if (outcome === 'passed') return [];
  const message = `case ${entry.name}: ${summarizeCase(entry)}`;
  const base = describeRun(report, outcome);
  return [{ ...base, message, identity: `case ${entry.name}`, ...locate(source, entry.line) }];
}

function describeRun(report: Report, outcome: ResultProblem['outcome']) {
  const { scenario, instance, run_id: runId, failure, quarantine } = report;
  const detail = failure ? [failure.message, failure.cure].filter((text) => text !== '').join('\n') : '';
  const common = { scenarioId: scenario.id, instance, runId, outcome, kind: failure?.kind ?? outcome, detail };
  return quarantine ? { ...common, quarantine: describeQuarantine(quarantine) } : common;
}

function locate(source: ScenarioSource | undefined, line: number): Pick<ResultProblem, 'location'> {
  if (!source || source.inCatalogue) return {};
  return { location: locateLine(source.file, source.text, line) };
}
