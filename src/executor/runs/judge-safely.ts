import { createFailureVerdict, judge } from '../../judge/judge.ts';
import { judgeConcurrentStep, judgeStep, type StepVerdict } from '../../judge/judge-step.ts';
import type { Proof } from '../../judge/prove/proof.ts';
import { prove } from '../../judge/prove/prove.ts';
import { toObservation } from '../../judge/to-observation.ts';
import type { Verdict } from '../../judge/verdict.ts';
import type { Evidence, ExecutionFailure } from '../../run/evidence.ts';
import type { Scenario, Step } from '../../scenario/scenario.ts';
import { createFailure } from '../execution-failure.ts';

/**
 * Judges what the target at `address` sent; if judging throws, the run fails with the reason instead of stopping the
 * executor. `judgeFunction` is for tests.
 */
export function judgeSafely(scenario: Scenario, evidence: Evidence, address: string, judgeFunction = judge): Verdict {
  try {
    return judgeFunction(scenario, evidence);
  } catch (error) {
    return createFailureVerdict(createJudgingFailure(error, address), scenario);
  }
}

function createJudgingFailure(error: unknown, address: string): ExecutionFailure {
  const reason = error instanceof Error ? error.message : String(error);
  return createFailure('EXECUTOR_JUDGING_FAILED', { address, reason });
}

/** The same for the responses to a step: where judging throws, only what needs no body of them is judged. */
export function judgeStepSafely(
  scenario: Scenario,
  step: Step,
  evidence: readonly [Evidence, ...Evidence[]],
  address: string,
): StepVerdict {
  const [first, ...others] = evidence;
  const judgeAll = (all: readonly Evidence[]): StepVerdict =>
    others.length === 0 ? judgeStep(scenario, step, all[0] ?? first) : judgeConcurrentStep(scenario, step, all);
  try {
    return judgeAll(evidence);
  } catch (error) {
    const failure = createJudgingFailure(error, address);
    return judgeAll(evidence.map((each) => ({ ...each, failure: each.failure ?? failure })));
  }
}

/** Whether a check holds that is waited for. One that cannot be judged does not, and is judged once more at the end. */
export function holdsSafely(holds: () => boolean): boolean {
  try {
    return holds();
  } catch {
    return false;
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
