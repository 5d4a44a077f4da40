import { judge, verdictOfFault } from '../judge/judge.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { Evidence } from '../run/evidence.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { faultOf } from './fault.ts';

/**
 * Judges what the target at `address` sent; should that break judging, the run fails with the reason instead of breaking
 * the executor. `judging` is for tests.
 */
export function judgeSafely(scenario: Scenario, evidence: Evidence, address: string, judging = judge): Verdict {
  try {
    return judging(scenario, evidence);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return verdictOfFault(faultOf('EXECUTOR_JUDGING_FAILED', { address, reason }), scenario);
  }
}
