import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { formatQuarantineEnd } from '../run/quarantine.ts';
import { judgedFailureKinds, outcomeLabels, pendingStateLabels, type RunOutcome, runOutcomes } from '../run/state.ts';
import type { Report } from './report.ts';
import type { UnfinishedRun } from './results.ts';

/** Worst first. `failed` means that a check failed, `broken` that nothing could be judged. */
export const reportOutcomes = runOutcomes;
export type ReportOutcome = RunOutcome;

export function getOutcome(report: Pick<Report, 'result' | 'failure'>): ReportOutcome {
  if (report.result === null) return 'cancelled';
  if (report.result === 'passed') return 'passed';
  return report.failure && judgedFailureKinds.has(report.failure.kind) ? 'failed' : 'broken';
}

/** Whether it failed, or could not be judged, in quarantine: it is displayed as what it is, and is no failure for verdicts. */
export function isQuarantined({ result, quarantine }: Pick<Report, 'result' | 'quarantine'>): boolean {
  return result === 'failed' && quarantine !== undefined;
}

/** `failed, in quarantine until 2026-12-31`. */
export function describeOutcome(report: Pick<Report, 'result' | 'failure' | 'quarantine'>): string {
  const label = outcomeLabels[getOutcome(report)];
  const { quarantine } = report;
  return quarantine ? `${label}, in quarantine until ${formatQuarantineEnd(quarantine.until)}` : label;
}

/** The number of reports with each outcome; `quarantined` are those that did not pass in quarantine, and in no other number. */
export type OutcomeTally = Readonly<Record<ReportOutcome | 'quarantined', number>> & { readonly total: number };

export function tallyOutcomes(reports: readonly Pick<Report, 'result' | 'failure' | 'quarantine'>[]): OutcomeTally {
  const tally = { failed: 0, broken: 0, cancelled: 0, passed: 0, quarantined: 0, total: reports.length };
  for (const report of reports) tally[isQuarantined(report) ? 'quarantined' : getOutcome(report)] += 1;
  return tally;
}

/** The words for {@link OutcomeTally}'s `quarantined`, after the number. */
export const quarantinedLabel = 'failed in quarantine';

/** A failing check takes precedence over runs that could not be judged; these, and no run at all, are never `done`. */
export function getExitCode(tally: OutcomeTally): ExitCode {
  if (tally.failed > 0) return exitCode.checkFailed;
  return tally.total > 0 && tally.passed + tally.quarantined === tally.total ? exitCode.done : exitCode.broken;
}

/** The words for runs without a result. */
export const unfinishedLabels: Readonly<Record<UnfinishedRun['state'], string>> = {
  not_requested: 'not run',
  cancelled: 'cancelled',
  ...pendingStateLabels,
  no_report: 'no report',
};

/** `[count, label]` of the runs without a result: those that never started, whose end is not known, and whose report is gone. */
export function countUnfinished(unfinished: readonly Pick<UnfinishedRun, 'state'>[]): readonly [number, string][] {
  const notRun = unfinished.filter(({ state }) => state === 'not_requested' || state === 'cancelled').length;
  const noReport = unfinished.filter(({ state }) => state === 'no_report').length;
  const counts: [number, string][] = [
    [notRun, 'not run'],
    [unfinished.length - notRun - noReport, 'not finished'],
    [noReport, 'without a report'],
  ];
  return counts.filter(([count]) => count > 0);
}
