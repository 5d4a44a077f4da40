/** Judges the response to a request of STEPS or CLEANUP. */
import { formatError } from '../errors/vp-error.ts';
import type { Evidence, ExecutionFailure } from '../run/evidence.ts';
import { judgedFailureKinds } from '../run/state.ts';
import type { Scenario, Step } from '../scenario/scenario.ts';
import { buildStatusHint } from './hints.ts';
import { judge } from './judge.ts';
import { findSurplusNote } from './notes.ts';
import type { JudgedCheck, JudgedStep, VerdictFailure } from './verdict.ts';

/** `failure` is the failure of the run, where the step decides it. */
export type StepVerdict = {
  readonly judged: JudgedStep;
  readonly failure: VerdictFailure | ExecutionFailure | undefined;
};

/** Without a check of the status, a step must not pass with an error: the next one would fail for a reason nobody sees. */
function findStatusFailure(checks: readonly JudgedCheck[], evidence: Evidence): VerdictFailure | undefined {
  const status = evidence.response?.status ?? 0;
  if (status < 400 || checks.some(({ definition }) => definition.expectedStatus !== undefined)) return undefined;
  const hint = buildStatusHint(status, evidence);
  const { message, cure } = formatError('STEP_STATUS_UNEXPECTED', { status });
  return { kind: 'status_mismatch', message, cure: hint === undefined ? cure : `${hint}; ${cure}` };
}

function prefixWithName<F extends VerdictFailure | ExecutionFailure>(failure: F, name: string): F {
  return { ...failure, message: `step \`${name}\`: ${failure.message}` };
}

/** All checks are judged, as those of the trigger are. */
export function judgeStep(scenario: Scenario, step: Step, evidence: Evidence): StepVerdict {
  const verdict = judge({ ...scenario, checks: step.checks }, evidence);
  const failure = evidence.failure ?? verdict.failure ?? findStatusFailure(verdict.checks, evidence);
  const outcome = failure === undefined ? 'passed' : judgedFailureKinds.has(failure.kind) ? 'failed' : 'not_judged';
  const { name, range } = step;
  const judged: JudgedStep = { name, line: range.start.line, outcome, failure, checks: verdict.checks, evidence };
  return { judged, failure: failure && prefixWithName(failure, name) };
}

/**
 * Judges the responses to requests that were sent at once. A false check outweighs a missing response, and either of them the
 * responses that passed.
 */
export function judgeConcurrentStep(scenario: Scenario, step: Step, evidence: readonly Evidence[]): StepVerdict {
  const verdicts = evidence.map((each) => judgeStep(scenario, step, each));
  const has = (outcome: JudgedStep['outcome']) => verdicts.filter(({ judged }) => judged.outcome === outcome);
  const passed = has('passed');
  const [chosen] = [...has('failed'), ...has('not_judged'), ...passed];
  if (!chosen) throw new Error('a step was sent without a request');
  const concurrent = { requests: verdicts.length, passed: passed.length };
  // Where any of them was sent, there may be something to clean up.
  const request = chosen.judged.evidence?.request ?? evidence.find((each) => each.request)?.request;
  const evidenceOfChosen = chosen.judged.evidence && { ...chosen.judged.evidence, request };
  return { ...chosen, judged: { ...chosen.judged, evidence: evidenceOfChosen, concurrent } };
}

/** A request about which nothing was judged. */
export function createUnjudgedStep(
  { name, range, checks }: Step,
  outcome: 'not_sent' | 'not_known',
  failure: JudgedStep['failure'],
): JudgedStep {
  const unjudged = checks.map((entry) => ({ ...entry, counted: entry.definition.counted, outcome: undefined }));
  return { name, line: range.start.line, outcome, failure, checks: unjudged, evidence: undefined };
}

/** What the responses to STEPS and CLEANUP show besides their checks. */
export function collectStepNotes(steps: readonly JudgedStep[]): readonly string[] {
  return steps.flatMap(({ name, evidence }) => {
    const note = evidence && findSurplusNote(evidence);
    return note === undefined ? [] : [`step \`${name}\`: ${note}`];
  });
}

/** A note for each request of CLEANUP that failed: it changes no verdict, and must not be overlooked. */
export function describeCleanupFailures(cleanup: readonly JudgedStep[]): readonly string[] {
  return cleanup.flatMap(({ name, outcome, failure }) => {
    if (outcome === 'passed' || failure === undefined) return [];
    const what = outcome === 'not_sent' ? 'was not sent' : 'failed';
    return [`the cleanup \`${name}\` ${what}: ${failure.message}; ${failure.cure}`];
  });
}
