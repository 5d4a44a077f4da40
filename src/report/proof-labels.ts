import type { ProvenCheck, ReportProof } from './report.ts';

/** Labels in the order of display: verdicts that need attention come first. */
export const verdictLabels = {
  never_fails: 'never fails',
  not_tried: 'not tried',
  covered: 'covered',
  proven: 'proven',
} as const satisfies Readonly<Record<ProvenCheck['verdict'], string>>;

const verdictOrder: readonly ProvenCheck['verdict'][] = ['never_fails', 'not_tried', 'covered', 'proven'];

/** `1 never fails, 2 covered, 3 proven by 58 changes`. */
export function formatProofCounts({ checks, changes }: ReportProof): string {
  const counts = verdictOrder.flatMap((verdict) => {
    const count = checks.filter((check) => check.verdict === verdict).length;
    return count === 0
      ? []
      : [`${count} ${verdict === 'never_fails' && count > 1 ? 'never fail' : verdictLabels[verdict]}`];
  });
  return `${counts.join(', ')} · ${changes} ${changes === 1 ? 'change' : 'changes'} tried`;
}

/** Checks that need attention first, else in the order of the scenario. */
export function sortChecks({ checks }: ReportProof): readonly ProvenCheck[] {
  return verdictOrder.flatMap((verdict) => checks.filter((check) => check.verdict === verdict));
}

/**
 * `proven` when every check fails on some mutation, `weak` when one never fails, `unknown` when that is not known of all
 * checks.
 */
export function getProofOutcome(proof: ReportProof | null): 'proven' | 'weak' | 'unknown' {
  if (proof === null || proof.problem !== null) return 'unknown';
  if (proof.checks.some(({ verdict }) => verdict === 'never_fails')) return 'weak';
  return proof.checks.every(({ verdict }) => verdict !== 'not_tried') ? 'proven' : 'unknown';
}
