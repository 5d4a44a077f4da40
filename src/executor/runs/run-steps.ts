/**
 * Sends the requests of STEPS before the trigger and those of CLEANUP after the verdict. Before each request the journal notes
 * its position; a request whose position is noted is never sent again, by this start or the next one.
 */
import { formatError, VpError } from '../../errors/vp-error.ts';
import { findRequiredEvidence } from '../../judge/evidence-checks.ts';
import { createUnjudgedStep, type StepVerdict } from '../../judge/judge-step.ts';
import { toObservation } from '../../judge/to-observation.ts';
import type { JudgedStep } from '../../judge/verdict.ts';
import type { Evidence, ExecutionFailure } from '../../run/evidence.ts';
import { type BoundRequest, bindTrigger } from '../../scenario/bind.ts';
import { readEvidenceCaptures } from '../../scenario/capture-evidence.ts';
import { bindCheck } from '../../scenario/check-template.ts';
import type { Scenario, ScenarioCheck, Step, Trigger } from '../../scenario/scenario.ts';
import type { EvidenceObserver } from '../evidence/observe-evidence.ts';
import { createFailure } from '../execution-failure.ts';
import { formatAddress } from '../trigger/target-address.ts';
import { exchange, findTarget } from './exchange.ts';
import { judgeStepSafely } from './judge-safely.ts';
import { type ActiveRun, getBindValues } from './run-context.ts';

/** A request with all placeholders replaced, and its checks with what was captured. */
export type BoundStep = { readonly request: BoundRequest; readonly checks: readonly ScenarioCheck[] };

/** The failure says which placeholder has no value, or which captured value does not fit. */
export function bindStep(
  session: ActiveRun,
  { trigger, checks }: { readonly trigger: Trigger; readonly checks: readonly ScenarioCheck[] },
): BoundStep | ExecutionFailure {
  try {
    const request = bindTrigger({ trigger }, getBindValues(session));
    return { request, checks: checks.map((check) => bindCheck(check, session.captures)) };
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return { kind: 'secret_missing', message: error.message, cure: error.cure };
  }
}

/** Notes that the request at `position` is about to be sent; returns why it must not be. */
export async function notePosition(session: ActiveRun, position: number): Promise<ExecutionFailure | undefined> {
  const { journal, captures, withheld, scenario } = session;
  if (!journal) return undefined;
  const stored = [...captures].filter(([name]) => !withheld.has(name));
  const entries = stored.map(([name, { text, isText }]) => ({ name, text, isText }));
  const isCleanup = position > scenario.steps.length;
  const isNoted = await journal({ position, captures: entries, withheld: [...withheld] }, isCleanup);
  return isNoted ? undefined : createFailure('EXECUTOR_JOURNAL_UNWRITTEN', {});
}

export type SentSteps = {
  readonly steps: readonly JudgedStep[];
  /** Why the trigger must not be sent. */
  readonly failure: StepVerdict['failure'];
};

/** Sends the steps in their order until one fails; the others are not sent. */
export async function runSteps(session: ActiveRun, observer: EvidenceObserver): Promise<SentSteps> {
  const { steps } = session.scenario;
  const judged: JudgedStep[] = [];
  for (const [position, step] of steps.entries()) {
    const verdict = await runStep(session, step, position, { ...session.options, observer });
    judged.push(verdict.judged);
    if (!verdict.failure) continue;
    const rest = steps.slice(position + 1).map((next) => createUnjudgedStep(next, 'not_sent', undefined));
    return { steps: [...judged, ...rest], failure: verdict.failure };
  }
  return { steps: judged, failure: undefined };
}

async function runStep(
  session: ActiveRun,
  step: Step,
  position: number,
  { signal, beforeSend, observer }: ActiveRun['options'] & { readonly observer?: EvidenceObserver },
): Promise<StepVerdict> {
  const bound = bindStep(session, step);
  const refusal = 'kind' in bound ? bound : await notePosition(session, position);
  if ('kind' in bound || refusal) return createUnsent(step, refusal);
  const startMonotonicMs = session.context.clock.monotonicMs();
  const { captures, until, concurrent = 1 } = step;
  const options = { captures, until, startMonotonicMs, signal, beforeSend };
  const boundStep = { ...step, checks: bound.checks };
  const address = formatAddress(findTarget(session.context, bound.request).baseUrl);
  if (concurrent > 1) {
    const send = () => exchange(session, bound.request, options);
    const [first, ...others] = await Promise.all([send(), ...Array.from({ length: concurrent - 1 }, send)]);
    const all = [first.evidence, ...others.map(({ evidence }) => evidence)] as const;
    return judgeStepSafely(session.scenario, boundStep, all, address);
  }
  const { evidence: exchanged, captured } = await exchange(session, bound.request, options);
  const evidence = observer ? await collectForStep(session, observer, bound.checks, exchanged) : exchanged;
  const verdict = judgeStepSafely(session.scenario, boundStep, [evidence], address);
  for (const [name, value] of captured) session.captures.set(name, value);
  addEvidenceCaptures(session, bound.checks, evidence);
  return verdict;
}

/** The log and the queries that the checks of a step name; neither is looked at where they name none. */
async function collectForStep(
  { scenario }: ActiveRun,
  observer: EvidenceObserver,
  checks: readonly ScenarioCheck[],
  evidence: Evidence,
): Promise<Evidence> {
  const required = findRequiredEvidence({ checks });
  if (evidence.failure || (!required.log && required.queries.length === 0)) return evidence;
  const queries = scenario.queries.filter(({ name }) => required.queries.includes(name));
  const { response } = evidence;
  const stepScenario = { ...scenario, checks, queries };
  const collected = await observer.collect({ response, failure: undefined, scenario: stepScenario });
  return { ...evidence, log: collected.log, queries: collected.queries, failure: collected.failure };
}

/** Adds what the checks captured of the log and the database. */
export function addEvidenceCaptures(session: ActiveRun, checks: readonly ScenarioCheck[], evidence: Evidence): void {
  const observation = toObservation(evidence);
  if (!observation) return;
  for (const [name, value] of readEvidenceCaptures(checks, observation)) {
    session.captures.set(name, value);
    if (!session.context.project.redactedCaptures.has(name)) continue;
    session.withheld.add(name);
    session.redaction.add([value.text]);
  }
}

function createUnsent(step: Step, failure: ExecutionFailure | undefined): StepVerdict {
  const named = failure && { ...failure, message: `step \`${step.name}\`: ${failure.message}` };
  return { judged: createUnjudgedStep(step, 'not_sent', failure), failure: named };
}

/**
 * Sends the requests of CLEANUP, each whatever became of the others, from the one at `first` on. A cancelled run is cleaned up
 * too, as is one whose lease ended: nobody else knows what it left.
 */
export async function runCleanup(session: ActiveRun, first = 0): Promise<JudgedStep[]> {
  const { steps, cleanupSteps } = session.scenario;
  const judged: JudgedStep[] = [];
  for (const [index, step] of cleanupSteps.entries()) {
    if (index < first) continue;
    const missing = findMissingCapture(session, step);
    if (missing) judged.push(createUnjudgedStep(step, 'not_sent', missing));
    else judged.push((await runStep(session, step, steps.length + 1 + index, {})).judged);
  }
  return judged;
}

/** Why a request of CLEANUP has no value for a capture of the scenario; undefined where it has all. */
function findMissingCapture({ scenario, captures, withheld }: ActiveRun, { trigger, checks }: Step) {
  const { steps, cleanupSteps } = scenario;
  const known = new Set([scenario, ...steps, ...cleanupSteps].flatMap((each) => each.captures.map(({ name }) => name)));
  const templates = [
    trigger.path,
    ...trigger.headers.map(({ value }) => value),
    ...(trigger.body ? [trigger.body] : []),
  ];
  const parts = [...templates, ...checks.flatMap(({ template }) => template ?? [])].flatMap(
    (template) => template.parts,
  );
  const missing = parts.flatMap((part) =>
    'placeholder' in part && known.has(part.placeholder) && !captures.has(part.placeholder) ? [part.placeholder] : [],
  )[0];
  if (missing === undefined) return undefined;
  const code = withheld.has(missing) ? 'STEP_CAPTURE_WITHHELD' : 'STEP_CAPTURE_ABSENT';
  return formatError(code, { placeholder: `\${${missing}}` });
}

/** The requests of CLEANUP of a run that sent nothing: there is nothing to clean up. */
export function skipCleanup({ cleanupSteps }: Scenario): JudgedStep[] {
  return cleanupSteps.map((step) => createUnjudgedStep(step, 'not_sent', undefined));
}

export function skipSteps({ steps }: Scenario): JudgedStep[] {
  return steps.map((step) => createUnjudgedStep(step, 'not_sent', undefined));
}
