import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import type { Report } from './report.ts';

/** Failed is not broken: `failed` means that a check was false, `broken` that nothing could be judged. */
export const outcomes = ['failed', 'broken', 'cancelled', 'passed'] as const;
/** One of {@link outcomes}, worst first. */
export type ReportOutcome = (typeof outcomes)[number];

const falseChecks: ReadonlySet<string> = new Set(['status_mismatch', 'body_mismatch', 'evidence_mismatch']);

/** What became of the run, in one word. */
export function outcomeOf(report: Pick<Report, 'result' | 'failure'>): ReportOutcome {
  if (report.result === null) return 'cancelled';
  if (report.result === 'passed') return 'passed';
  return report.failure && falseChecks.has(report.failure.kind) ? 'failed' : 'broken';
}

/** How many reports have each outcome. */
export type Tally = Readonly<Record<ReportOutcome, number>> & { readonly total: number };

/** Counts outcomes. */
export function tallyOf(reports: readonly Pick<Report, 'result' | 'failure'>[]): Tally {
  const tally = { failed: 0, broken: 0, cancelled: 0, passed: 0, total: reports.length };
  for (const report of reports) tally[outcomeOf(report)] += 1;
  return tally;
}

/** A false check outranks what could not be judged; what was not judged, or no run at all, is never `done`. */
export function exitCodeOf(tally: Tally): ExitCode {
  if (tally.failed > 0) return exitCode.checkFailed;
  return tally.total > 0 && tally.passed === tally.total ? exitCode.done : exitCode.broken;
}
