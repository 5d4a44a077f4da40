import type { Outcome } from '../check/outcome.ts';
import type { Fault } from '../run/evidence.ts';
import type { ScenarioCheck } from '../scenario/scenario.ts';

/** A check with what became of it; `outcome` is undefined when there was nothing to judge. */
export type JudgedCheck = ScenarioCheck & { readonly outcome: Outcome | undefined; readonly counted: boolean };

/** Why a run failed; the spec's own words are in `message`. */
export type Failure = {
  readonly kind:
    | 'status_mismatch'
    | 'body_mismatch'
    | 'evidence_mismatch'
    | 'evidence_unavailable'
    | Exclude<Fault['kind'], 'cancelled'>;
  readonly message: string;
  readonly cure: string;
};

/** The judgement: success and failure share the shape. */
export type Verdict = {
  /** null when the run was cancelled. */
  readonly result: 'passed' | 'failed' | null;
  readonly failure: Failure | undefined;
  readonly checks: readonly JudgedCheck[];
  /** Counts checks of the response's content only; the status check is applied and never counted (spec). */
  readonly assertionsEnforcedCount: number;
  /** Counts judged checks of the log and the database. */
  readonly evidenceAssertionsCount: number;
  readonly observedStatus: number | undefined;
  /** Hints for people that change no result, each with its cure. */
  readonly notes: readonly string[];
};
