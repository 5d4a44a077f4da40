import type { CheckOutcome } from '../check/check-kind.ts';
import type { Evidence, ExecutionFailure } from '../run/evidence.ts';
import type { ScenarioCheck } from '../scenario/scenario.ts';

/** `outcome` is undefined when there was nothing to judge. */
export type JudgedCheck = ScenarioCheck & { readonly outcome: CheckOutcome | undefined; readonly counted: boolean };

/** Why a run failed. `message` is the sentence of the specification. */
export type VerdictFailure = {
  readonly kind:
    | 'status_mismatch'
    | 'body_mismatch'
    | 'evidence_mismatch'
    | 'evidence_unavailable'
    | Exclude<ExecutionFailure['kind'], 'cancelled'>;
  readonly message: string;
  readonly cure: string;
};

export type Verdict = {
  /** null when the run was cancelled. */
  readonly result: 'passed' | 'failed' | null;
  readonly failure: VerdictFailure | undefined;
  readonly checks: readonly JudgedCheck[];
  /** Counts checks of the response's content only; the status check is applied and never counted (spec). */
  readonly assertionsEnforcedCount: number;
  /** Counts judged checks of the log and the database. */
  readonly evidenceAssertionsCount: number;
  readonly observedStatus: number | undefined;
  /** Hints for people that change no result, each with its cure. */
  readonly notes: readonly string[];
};

/**
 * What became of a request of STEPS or CLEANUP. `not_judged`: no complete response. `not_sent`: see `failure`. `not_known`: the
 * executor ended, and took with it what came.
 */
export type JudgedStepOutcome = 'passed' | 'failed' | 'not_judged' | 'not_sent' | 'not_known';

/** A request of STEPS or CLEANUP with its outcome. `failure` is undefined where it passed, or where an earlier one failed. */
export type JudgedStep = {
  readonly name: string;
  /** Of its heading. */
  readonly line: number;
  readonly outcome: JudgedStepOutcome;
  readonly failure: Pick<VerdictFailure, 'message' | 'cure'> | undefined;
  readonly checks: readonly JudgedCheck[];
  /** Undefined where nothing was sent, or nothing is known. */
  readonly evidence: Evidence | undefined;
  /** Where it was sent several times at once: everything else is of one that failed, or of the first. */
  readonly concurrent?: { readonly requests: number; readonly passed: number };
};

/** The requests around the trigger, in the order of the scenario. */
export type JudgedSteps = { readonly steps: readonly JudgedStep[]; readonly cleanup: readonly JudgedStep[] };
