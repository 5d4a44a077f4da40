import type { Observation } from '../check/observation.ts';
import type { Evidence, ExecutionFailure } from '../run/evidence.ts';
import type { Scenario, ScenarioCheck } from '../scenario/scenario.ts';
import { findMissingEvidence } from './evidence-checks.ts';
import { findFailure } from './failures.ts';
import { noResponseFailure } from './hints.ts';
import { collectVerdictNotes } from './notes.ts';
import { toObservation } from './to-observation.ts';
import type { JudgedCheck, Verdict, VerdictFailure } from './verdict.ts';

/**
 * Judges the evidence of a run against its scenario. All checks are judged and listed, except those whose evidence is
 * unavailable. After a failure only what had arrived completely is judged: status line and headers, never the body.
 */
export function judge(scenario: Scenario, evidence: Evidence): Verdict {
  const { response } = evidence;
  if (evidence.failure)
    return buildFailureVerdict(
      evidence.failure,
      judgeAfterFailure(scenario, toObservation(evidence)),
      response?.status,
    );
  const observation = toObservation(evidence);
  if (!response || !observation)
    return buildFailureVerdict(noResponseFailure, judgeAfterFailure(scenario, undefined), undefined);
  const checks = scenario.checks.map((entry) => judgeEntry(entry, observation));
  const failure = findFailure(checks, evidence, response);
  return {
    result: failure ? 'failed' : 'passed',
    failure,
    checks,
    assertionsEnforcedCount: countAssertions(checks),
    evidenceAssertionsCount: countEvidenceAssertions(checks),
    observedStatus: response.status,
    notes: collectVerdictNotes(scenario, checks, evidence, response, failure),
  };
}

/**
 * The verdict of a run that has no evidence to judge, such as one whose executor was lost or whose secret is missing;
 * `scenario` is undefined where its text could not be read.
 */
export function createFailureVerdict(failure: ExecutionFailure, scenario?: Scenario): Verdict {
  return buildFailureVerdict(failure, scenario ? judgeAfterFailure(scenario, undefined) : [], undefined);
}

/** The verdict of a run one of whose steps failed, so that its trigger was not sent. */
export function createStepFailureVerdict(failure: VerdictFailure | ExecutionFailure, scenario: Scenario): Verdict {
  return buildFailureVerdict(failure, judgeAfterFailure(scenario, undefined), undefined);
}

function buildFailureVerdict(
  failure: VerdictFailure | ExecutionFailure,
  checks: readonly JudgedCheck[],
  observedStatus: number | undefined,
): Verdict {
  const { kind, message, cure } = failure;
  const counts = {
    assertionsEnforcedCount: countAssertions(checks),
    evidenceAssertionsCount: countEvidenceAssertions(checks),
  };
  const common = { checks, ...counts, observedStatus };
  if (kind === 'cancelled') return { result: null, failure: undefined, notes: [`${message}; ${cure}`], ...common };
  return { result: 'failed', failure: { kind, message, cure }, notes: [], ...common };
}

function judgeAfterFailure(scenario: Scenario, observation: Observation | undefined): JudgedCheck[] {
  return scenario.checks.map((entry) => {
    const { counted, needsHeadOnly } = entry.definition;
    return observation && needsHeadOnly ? judgeEntry(entry, observation) : { ...entry, counted, outcome: undefined };
  });
}

function judgeEntry(entry: ScenarioCheck, observation: Observation): JudgedCheck {
  const { check, definition } = entry;
  const outcome = findMissingEvidence(entry, observation) ? undefined : definition.judge(check, observation);
  return { ...entry, counted: definition.counted, outcome };
}

function countAssertions(checks: readonly JudgedCheck[]): number {
  return checks.filter(({ counted, outcome }) => counted && outcome).length;
}

function countEvidenceAssertions(checks: readonly JudgedCheck[]): number {
  return checks.filter(({ definition, outcome }) => definition.looksAt !== 'response' && outcome).length;
}
