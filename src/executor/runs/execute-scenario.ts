/** Executes a scenario: its steps, its trigger with the evidence, the verdict, its cleanup, and the report. */

import { createFailureVerdict, createStepFailureVerdict } from '../../judge/judge.ts';
import { collectStepNotes, describeCleanupFailures, type StepVerdict } from '../../judge/judge-step.ts';
import type { Proof } from '../../judge/prove/proof.ts';
import type { JudgedStep, JudgedSteps, Verdict } from '../../judge/verdict.ts';
import { buildReport } from '../../report/build/build-report.ts';
import type { Report } from '../../report/report.ts';
import type { Evidence, ExecutionFailure } from '../../run/evidence.ts';
import type { RunRequest } from '../../run/run-request.ts';
import { isReceiveCheck } from '../../scenario/receive.ts';
import type { Scenario, ScenarioCase } from '../../scenario/scenario.ts';
import { hasSteps } from '../../scenario/steps.ts';
import { defaultEvidenceWaitTimes } from '../evidence/collect-evidence.ts';
import { type EvidenceObserver, type EvidenceObserverOptions, observeEvidence } from '../evidence/observe-evidence.ts';
import { concealedSecretNote } from '../redaction/concealment.ts';
import { redactEvidence, redactProof, redactStep, redactVerdict } from '../redaction/redact-report.ts';
import { createRunRedaction } from '../redaction/run-redaction.ts';
import { formatAddress } from '../trigger/target-address.ts';
import { exchange, findTarget } from './exchange.ts';
import { judgeSafely, proveSafely } from './judge-safely.ts';
import {
  type ActiveRun,
  type ExecuteOptions,
  getBindValues,
  type RunnerContext,
  type RunStart,
} from './run-context.ts';
import {
  addEvidenceCaptures,
  bindStep,
  notePosition,
  runCleanup,
  runSteps,
  skipCleanup,
  skipSteps,
} from './run-steps.ts';

export function openActiveRun(
  context: RunnerContext,
  request: RunRequest,
  scenario: Scenario,
  start: RunStart,
  options: ExecuteOptions,
  sentCase?: SentCase,
): { readonly session: ActiveRun; readonly hasConcealed: () => boolean } {
  const { conceal, hasConcealed } = context.createConcealment();
  const redaction = createRunRedaction(context.redactor, context.project.secretValues, context.visibleSecrets);
  const journal = hasSteps(scenario) ? options.journal : undefined;
  const values = {
    captures: new Map(sentCase?.entry.values),
    withheld: new Set<string>(),
    grpcSchemas: sentCase?.grpcSchemas ?? new Map(),
  };
  // The id of the run begins the ids of its cases (spec: lines of the run hold `tr-<run id>`).
  const logMark = sentCase ? request.correlationId : `tr-${request.runId}`;
  return {
    session: { context, request, scenario, start, options, conceal, redaction, ...values, journal, logMark },
    hasConcealed,
  };
}

/** A case of the scenario, by its position in CASES. */
export type SentCase = {
  readonly entry: ScenarioCase;
  readonly index: number;
  /** The same for all cases of a run. */
  readonly grpcSchemas?: ActiveRun['grpcSchemas'];
};

/** Executes a scenario without CASES, or one case: `request` has its correlation id. */
export async function executeScenario(
  context: RunnerContext,
  request: RunRequest,
  scenario: Scenario,
  start: RunStart,
  options: ExecuteOptions,
  sentCase?: SentCase,
): Promise<Report> {
  const { session, hasConcealed } = openActiveRun(context, request, scenario, start, options, sentCase);
  const observer = observeEvidence(toObserverOptions(session));
  try {
    const { steps, failure } = await runSteps(session, observer);
    const { verdict, evidence } = failure
      ? await endAfterStep(session, observer, failure)
      : await runTrigger(session, observer);
    const grantNotes = evidence.queries && context.readGrantNotes ? await context.readGrantNotes() : [];
    const target =
      evidence.request && !options.signal?.aborted ? await context.readVersion?.(evidence.response) : undefined;
    const proof = request.prove ? proveRun(verdict, evidence, steps) : undefined;
    const wasSent = [evidence, ...steps.map((step) => step.evidence)].some((each) => each?.request !== undefined);
    const cleanup = wasSent ? await runCleanup(session) : skipCleanup(scenario);
    const cleanupNotes = describeCleanupFailures(cleanup);
    const concealedNotes = hasConcealed() ? [concealedSecretNote] : [];
    const stepNotes = collectStepNotes([...steps, ...cleanup]);
    const notes = [...verdict.notes, ...stepNotes, ...cleanupNotes, ...concealedNotes, ...grantNotes];
    if (target?.note !== undefined) notes.push(target.note);
    const observed = { ...evidence, targetVersion: target?.version };
    return buildRunReport(session, { ...verdict, notes }, observed, { steps, cleanup }, proof);
  } finally {
    observer.stop();
  }
}

/** The report with everything redacted; `steps` may be empty. */
export function buildRunReport(
  { context, request, scenario, redaction }: ActiveRun,
  verdict: Verdict,
  evidence: Evidence,
  { steps, cleanup }: JudgedSteps,
  proof?: Proof,
): Report {
  const { redactor } = redaction;
  const redact = (step: JudgedStep): JudgedStep => redactStep(step, redaction);
  const redactedEvidence = redactEvidence(redaction.redactExchange(evidence), redactor);
  const redactedSteps = { steps: steps.map(redact), cleanup: cleanup.map(redact) };
  const redactedProof = proof && redactProof(proof, redactor);
  const redactedVerdict = redactVerdict(verdict, redactor);
  const { version } = context;
  return buildReport(request, scenario, redactedVerdict, redactedEvidence, version, redactedProof, redactedSteps);
}

function toObserverOptions(session: ActiveRun): EvidenceObserverOptions {
  const { context, request, scenario, conceal, options, start } = session;
  const {
    evidenceSources: sources = {},
    clock,
    project,
    targetService,
    evidenceWaitTimes: waitTimes = defaultEvidenceWaitTimes,
  } = context;
  const values = getBindValues(session);
  const { signal } = options;
  const { logMark } = session;
  return {
    sources,
    clock,
    waitTimes,
    lineFormat: project.logstore,
    targetService,
    conceal,
    scenario,
    request,
    values,
    logMark,
    startMonotonicMs: start.startMonotonicMs,
    signal,
  };
}

/** A verdict with the evidence that it is about. */
type RunResult = { readonly verdict: Verdict; readonly evidence: Evidence };

function createEmptyEvidence({ context, start }: ActiveRun, failure: Evidence['failure']): Evidence {
  const totalMs = context.clock.monotonicMs() - start.startMonotonicMs;
  const timings = { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined, totalMs };
  return { startedAtMs: start.startedAtMs, request: undefined, response: undefined, failure, timings };
}

/** The log may explain why a step failed; a cancelled run waits for nothing. */
async function endAfterStep(
  session: ActiveRun,
  observer: EvidenceObserver,
  failure: NonNullable<StepVerdict['failure']>,
): Promise<RunResult> {
  const verdict = createStepFailureVerdict(failure, session.scenario);
  const empty = createEmptyEvidence(session, undefined);
  if (failure.kind === 'cancelled' || failure.kind === 'secret_missing') return { verdict, evidence: empty };
  const { log, evidenceMs } = await observer.collect({ response: undefined, failure: undefined });
  return { verdict, evidence: { ...empty, log, timings: { ...empty.timings, evidenceMs } } };
}

function endUnsent(session: ActiveRun, failure: ExecutionFailure): RunResult {
  return {
    verdict: createFailureVerdict(failure, session.scenario),
    evidence: createEmptyEvidence(session, failure),
  };
}

async function runTrigger(session: ActiveRun, observer: EvidenceObserver): Promise<RunResult> {
  const { context, scenario, start, options, captures } = session;
  const bound = bindStep(session, scenario);
  if ('kind' in bound) return endUnsent(session, bound);
  const refusal = await notePosition(session, scenario.steps.length);
  if (refusal) return endUnsent(session, refusal);
  const hasEarlier = scenario.steps.length > 0;
  const startMonotonicMs = hasEarlier ? context.clock.monotonicMs() : start.startMonotonicMs;
  const { signal, beforeSend } = options;
  const { captures: ownCaptures, until } = scenario;
  const receive = bound.checks.map(({ check }) => check).find(isReceiveCheck);
  const exchangeOptions = { captures: ownCaptures, until, receive, startMonotonicMs, signal, beforeSend };
  const result = await exchange(session, bound.request, exchangeOptions);
  for (const [name, value] of result.captured) captures.set(name, value);
  const boundScenario = { ...scenario, checks: bound.checks };
  const { response, failure: ownFailure } = result.evidence;
  const observed = await observer.collect({ response, failure: ownFailure, scenario: boundScenario });
  const { log, queries, evidenceMs, failure } = observed;
  const timings = { ...result.evidence.timings, evidenceMs };
  const evidence = { ...result.evidence, failure, log, queries, timings };
  addEvidenceCaptures(session, bound.checks, evidence);
  return {
    verdict: judgeSafely(boundScenario, evidence, formatAddress(findTarget(context, bound.request).baseUrl)),
    evidence,
  };
}

/** The proof of the checks under Runnable, and of those of the steps. */
function proveRun(verdict: Verdict, evidence: Evidence, steps: readonly JudgedStep[]): Proof {
  const proof = proveSafely(verdict, evidence);
  if (verdict.result !== 'passed') return proof;
  const ofSteps = steps.flatMap(({ checks, evidence: stepEvidence }) =>
    stepEvidence ? [proveSafely({ ...verdict, checks }, stepEvidence)] : [],
  );
  return {
    ...proof,
    changes: ofSteps.reduce((sum, { changes }) => sum + changes, proof.changes),
    checks: [...ofSteps.flatMap(({ checks }) => checks), ...proof.checks],
  };
}

/** The report of a run for which nothing could be sent. */
export function createUnsentReport(
  context: RunnerContext,
  request: RunRequest,
  start: RunStart,
  failure: ExecutionFailure,
  scenario?: Scenario,
): Report {
  const totalMs = context.clock.monotonicMs() - start.startMonotonicMs;
  const timings = { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined, totalMs };
  const { startedAtMs } = start;
  const evidence: Evidence = { startedAtMs, request: undefined, response: undefined, failure: failure, timings };
  const verdict = redactVerdict(createFailureVerdict(failure, scenario), context.redactor);
  const steps = scenario && { steps: skipSteps(scenario), cleanup: skipCleanup(scenario) };
  return buildReport(request, scenario, verdict, evidence, context.version, undefined, steps);
}
