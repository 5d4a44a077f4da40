import type { ProvenCheck, ReportProof } from './report.ts';

/** Verdicts in words, what needs a look first. */
export const proofWords = {
  never_fails: 'never fails',
  not_tried: 'not tried',
  covered: 'covered',
  proven: 'proven',
} as const satisfies Readonly<Record<ProvenCheck['verdict'], string>>;

const order: readonly ProvenCheck['verdict'][] = ['never_fails', 'not_tried', 'covered', 'proven'];

/** `1 never fails, 2 covered, 3 proven by 58 changes`. */
export function countsOf({ checks, changes }: ReportProof): string {
  const counts = order.flatMap((verdict) => {
    const count = checks.filter((check) => check.verdict === verdict).length;
    return count === 0
      ? []
      : [`${count} ${verdict === 'never_fails' && count > 1 ? 'never fail' : proofWords[verdict]}`];
  });
  return `${counts.join(', ')} · ${changes} ${changes === 1 ? 'change' : 'changes'} tried`;
}

/** What needs a look first; else in the order of the scenario. */
export function sortedChecks({ checks }: ReportProof): readonly ProvenCheck[] {
  return order.flatMap((verdict) => checks.filter((check) => check.verdict === verdict));
}

/**
 * What a proof comes to: `proven` when every check notices something, `idle` when one never fails, `untold` when that is not
 * known of all of them.
 */
export function proofOutcome(proof: ReportProof | null): 'proven' | 'idle' | 'untold' {
  if (proof === null || proof.problem !== null) return 'untold';
  if (proof.checks.some(({ verdict }) => verdict === 'never_fails')) return 'idle';
  return proof.checks.every(({ verdict }) => verdict !== 'not_tried') ? 'proven' : 'untold';
}
