/** Proofs in few words. */
import type { Json, Observed } from '../../../src/check/observed.ts';
import { judge } from '../../../src/judge/judge.ts';
import type { CheckProof, Proof } from '../../../src/judge/prove/proof.ts';
import { prove } from '../../../src/judge/prove/prove.ts';
import type { Work } from '../../../src/judge/prove/work.ts';
import { evidenceOf, scenarioOf } from '../samples.ts';

/** More that was observed beside status and body. */
export type More = Pick<Observed, 'conceal'> & { readonly status?: number; readonly work?: Work };

/** The proof of a run of these checks that observed this body. The first check stands in line 18. */
export function proofOf(checks: readonly string[], body: Json, { status = 200, conceal, work }: More = {}): Proof {
  const evidence = { ...evidenceOf({ status, body }), conceal };
  const observed = { status, body: { kind: 'json', value: body }, conceal } as const;
  return prove(judge(scenarioOf(...checks), evidence), observed, work);
}

/** The verdicts of a proof, in the order of the checks. */
export function verdictsOf({ checks }: Proof): CheckProof['verdict'][] {
  return checks.map(({ verdict }) => verdict);
}

/** The only check of a proof. */
export function onlyCheck({ checks }: Proof): CheckProof {
  const [first, ...others] = checks;
  if (!first || others.length > 0) throw new Error(`${checks.length} checks`);
  return first;
}
