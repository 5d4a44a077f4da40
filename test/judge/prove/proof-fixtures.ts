/** Fixtures for tests of proofs. */
import type { Json } from '../../../src/check/json/json.ts';
import type { Observation } from '../../../src/check/observation.ts';
import { judge } from '../../../src/judge/judge.ts';
import type { CheckProof, Proof } from '../../../src/judge/prove/proof.ts';
import { prove } from '../../../src/judge/prove/prove.ts';
import type { WorkBudget } from '../../../src/judge/prove/work-budget.ts';
import { toObservation } from '../../../src/judge/to-observation.ts';
import { createEvidence, createScenario } from '../evidence-fixtures.ts';

export type ProofOptions = Pick<Observation, 'conceal'> & { readonly status?: number; readonly work?: WorkBudget };

/** The proof of a run of these checks that observed this body. The first check stands in line 18. */
export function createProof(
  checks: readonly string[],
  body: Json,
  { status = 200, conceal, work }: ProofOptions = {},
): Proof {
  const evidence = { ...createEvidence({ status, body }), conceal };
  return prove(judge(createScenario(...checks), evidence), toObservation(evidence), { limit: work });
}

/** In the order of the checks. */
export function getVerdicts({ checks }: Proof): CheckProof['verdict'][] {
  return checks.map(({ verdict }) => verdict);
}

/** Throws where there is not exactly one check. */
export function getOnlyCheck({ checks }: Proof): CheckProof {
  const [first, ...others] = checks;
  if (!first || others.length > 0) throw new Error(`${checks.length} checks`);
  return first;
}
