import { observedOf } from '../judge/observed-of.ts';
import type { Proof } from '../judge/prove/proof.ts';
import { prove } from '../judge/prove/prove.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { Evidence } from '../run/evidence.ts';

/**
 * The proof of a judged run; should something in the evidence break proving, the proof says so and the run keeps its verdict.
 * `proving` is for tests.
 */
export function proveSafely(verdict: Verdict, evidence: Evidence, proving = prove): Proof {
  try {
    return proving(verdict, observedOf(evidence));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `nothing was proven, because proving broke (${reason}): the verdict of the run holds all the same`;
    return { changes: 0, checks: [], unchecked: [], problem };
  }
}
