import { isCounted, judgeCheck, looksAt } from '../check/kinds.ts';
import type { Observed } from '../check/observed.ts';
import type { Evidence, Fault, ReceivedResponse } from '../run/evidence.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { bodyCure, noAnswer, notesOf, statusCure } from './hints.ts';
import type { Failure, JudgedCheck, Verdict } from './verdict.ts';

/** The spec's sentence for a failing content check; it does not say which one, `failed_checks` of the report does. */
export const bodyMismatchMessage = "status matched but the response body did not satisfy the scenario's body assertion";

/** The spec's sentence for a failing status check. */
export function statusMismatchMessage(observed: number, expected: number): string {
  return `responder returned status ${observed} (codes=[${expected}])`;
}

/**
 * Judges what was observed against the scenario. The status decides first; checks of the body are judged and listed
 * even when it did not match. After a fault only what had arrived whole is judged: the status line, never the body.
 */
export function judge(scenario: Scenario, evidence: Evidence): Verdict {
  const { response } = evidence;
  if (evidence.fault) return ofFault(evidence.fault, checksAfterFault(scenario, response), response?.status);
  if (!response) return ofFault(noAnswer, checksAfterFault(scenario, undefined), undefined);
  const observed: Observed = { status: response.status, body: response.body, conceal: evidence.conceal };
  const checks = scenario.checks.map((entry) => judgedAgainst(entry, observed));
  const failure = statusFailure(checks, evidence, response) ?? bodyFailure(checks, response);
  return {
    result: failure ? 'failed' : 'passed',
    failure,
    checks,
    assertionsEnforcedCount: countOf(checks),
    evidenceAssertionsCount: evidenceCountOf(checks),
    observedStatus: response.status,
    notes: notesOf(checks, evidence, response, failure),
  };
}

/**
 * The verdict of a run that has no evidence to judge, such as one whose executor was lost or whose secret is missing;
 * `scenario` is undefined where its text could not be read.
 */
export function verdictOfFault(fault: Fault, scenario?: Scenario): Verdict {
  return ofFault(fault, scenario ? checksAfterFault(scenario, undefined) : [], undefined);
}

function ofFault(fault: Fault, checks: readonly JudgedCheck[], observedStatus: number | undefined): Verdict {
  const { kind, message, cure } = fault;
  const counts = { assertionsEnforcedCount: countOf(checks), evidenceAssertionsCount: evidenceCountOf(checks) };
  const told = { checks, ...counts, observedStatus };
  if (kind === 'cancelled') return { result: null, failure: undefined, notes: [`${message}; ${cure}`], ...told };
  return { result: 'failed', failure: { kind, message, cure }, notes: [], ...told };
}

function checksAfterFault(scenario: Scenario, response: ReceivedResponse | undefined): JudgedCheck[] {
  return scenario.checks.map((entry) => {
    if (response && !isCounted(entry.check)) return judgedAgainst(entry, response);
    return { ...entry, counted: isCounted(entry.check), outcome: undefined };
  });
}

function judgedAgainst(entry: Scenario['checks'][number], observed: Observed): JudgedCheck {
  return { ...entry, counted: isCounted(entry.check), outcome: judgeCheck(entry.check, observed) };
}

function countOf(checks: readonly JudgedCheck[]): number {
  return checks.filter(({ counted, outcome }) => counted && outcome).length;
}

function evidenceCountOf(checks: readonly JudgedCheck[]): number {
  return checks.filter(({ check, outcome }) => looksAt(check) !== 'response' && outcome).length;
}

function statusFailure(
  checks: readonly JudgedCheck[],
  evidence: Evidence,
  { status }: ReceivedResponse,
): Failure | undefined {
  for (const { check, outcome } of checks) {
    if (check.kind !== 'status' || outcome?.passed !== false) continue;
    const message = statusMismatchMessage(status, check.code);
    return { kind: 'status_mismatch', message, cure: statusCure(status, evidence) };
  }
  return undefined;
}

function bodyFailure(checks: readonly JudgedCheck[], response: ReceivedResponse): Failure | undefined {
  const failing = checks.filter(({ outcome }) => outcome && !outcome.passed);
  if (failing.length === 0) return undefined;
  return { kind: 'body_mismatch', message: bodyMismatchMessage, cure: bodyCure(failing, response) };
}
