import { isCounted, judgeCheck, looksAt } from '../check/kinds.ts';
import type { Observed } from '../check/observed.ts';
import type { Evidence, Fault, ReceivedResponse } from '../run/evidence.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { missingFor } from './evidence-checks.ts';
import { failureOf } from './failures.ts';
import { noAnswer } from './hints.ts';
import { notesOf } from './notes.ts';
import { observedOf } from './observed-of.ts';
import type { JudgedCheck, Verdict } from './verdict.ts';

/**
 * Judges what was observed against the scenario. The status decides first, then the body, then what was seen beside the
 * answer; all checks are judged and listed even so, but those whose evidence is not to be had. After a fault only what had
 * arrived whole is judged: the status line, never the body.
 */
export function judge(scenario: Scenario, evidence: Evidence): Verdict {
  const { response } = evidence;
  if (evidence.fault) return ofFault(evidence.fault, checksAfterFault(scenario, response), response?.status);
  const observed = observedOf(evidence);
  if (!response || !observed) return ofFault(noAnswer, checksAfterFault(scenario, undefined), undefined);
  const checks = scenario.checks.map((entry) => judgedAgainst(entry, observed));
  const failure = failureOf(checks, evidence, response);
  return {
    result: failure ? 'failed' : 'passed',
    failure,
    checks,
    assertionsEnforcedCount: countOf(checks),
    evidenceAssertionsCount: evidenceCountOf(checks),
    observedStatus: response.status,
    notes: notesOf(scenario, checks, evidence, response, failure),
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
    if (response && entry.check.kind === 'status') return judgedAgainst(entry, response);
    return { ...entry, counted: isCounted(entry.check), outcome: undefined };
  });
}

function judgedAgainst(entry: Scenario['checks'][number], observed: Observed): JudgedCheck {
  const outcome = missingFor(entry.check, observed) ? undefined : judgeCheck(entry.check, observed);
  return { ...entry, counted: isCounted(entry.check), outcome };
}

function countOf(checks: readonly JudgedCheck[]): number {
  return checks.filter(({ counted, outcome }) => counted && outcome).length;
}

function evidenceCountOf(checks: readonly JudgedCheck[]): number {
  return checks.filter(({ check, outcome }) => looksAt(check) !== 'response' && outcome).length;
}
