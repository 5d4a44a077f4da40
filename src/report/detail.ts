import type { FailedCheck, Report } from './report.ts';

/** False checks that are shown in full at most; more of them tell nothing that the first ones do not. */
const shownInFull = 10;

/**
 * The false checks to show in full, and the rest, for a line each. Behind a wrong status only the status check is shown in
 * full: what the body lacks is then a consequence.
 */
export function byDetail({ failure, checks, failed_checks }: Report): {
  readonly full: readonly FailedCheck[];
  readonly short: readonly FailedCheck[];
} {
  const statusLines = new Set(checks.filter(({ kind }) => kind === 'status').map(({ line }) => line));
  const isFirst = ({ line }: FailedCheck): boolean => failure?.kind !== 'status_mismatch' || statusLines.has(line);
  const full = failed_checks.filter(isFirst).slice(0, shownInFull);
  return { full, short: failed_checks.filter((check) => !full.includes(check)) };
}
