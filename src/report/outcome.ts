import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import type { Report } from './report.ts';

/** Worst first. `failed` means that a check failed, `broken` that nothing could be judged. */
export const reportOutcomes = ['failed', 'broken', 'cancelled', 'passed'] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];

const falseCheckKinds: ReadonlySet<string> = new Set(['status_mismatch', 'body_mismatch', 'evidence_mismatch']);

export function getOutcome(report: Pick<Report, 'result' | 'failure'>): ReportOutcome {
  if (report.result === null) return 'cancelled';
  if (report.result === 'passed') return 'passed';
  return report.failure && falseCheckKinds.has(report.failure.kind) ? 'failed' : 'broken';
}

/** The number of reports with each outcome. */
export type OutcomeTally = Readonly<Record<ReportOutcome, number>> & { readonly total: number };

export function tallyOutcomes(reports: readonly Pick<Report, 'result' | 'failure'>[]): OutcomeTally {
  const tally = { failed: 0, broken: 0, cancelled: 0, passed: 0, total: reports.length };
  for (const report of reports) tally[getOutcome(report)] += 1;
  return tally;
}

/** A failing check takes precedence over runs that could not be judged; these, and no run at all, are never `done`. */
export function getExitCode(tally: OutcomeTally): ExitCode {
  if (tally.failed > 0) return exitCode.checkFailed;
  return tally.total > 0 && tally.passed === tally.total ? exitCode.done : exitCode.broken;
}
