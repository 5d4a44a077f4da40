import { createFailureVerdict, judge } from '../../judge/judge.ts';
import type { Proof } from '../../judge/prove/proof.ts';
import { prove } from '../../judge/prove/prove.ts';
import { toObservation } from '../../judge/to-observation.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { Evidence } from '../../run/evidence.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { createFailure } from '../execution-failure.ts';

/**
 * Judges what the target at `address` sent; if judging throws, the run fails with the reason instead of stopping the
 * executor. `judgeFunction` is for tests.
 */
export function judgeSafely(scenario: Scenario, evidence: Evidence, address: string, judgeFunction = judge): Verdict {
  try {
    return judgeFunction(scenario, evidence);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return createFailureVerdict(createFailure('EXECUTOR_JUDGING_FAILED', { address, reason }), scenario);
  }
}

/**
 * The proof of a judged run; if proving throws, the proof says so and the run keeps its verdict. `proveFunction` is for
 * tests.
 */
export function proveSafely(verdict: Verdict, evidence: Evidence, proveFunction = prove): Proof {
  try {
    return proveFunction(verdict, toObservation(evidence));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `nothing was proven, because proving failed (${reason}); the verdict of the run is still valid`;
    return { changes: 0, checks: [], unchecked: [], problem };
  }
}
