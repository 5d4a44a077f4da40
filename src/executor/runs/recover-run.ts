/** Cleans up after a run of several requests whose executor ended, and says what is known of it. */
import { formatError } from '../../errors/vp-error.ts';
import { createFailureVerdict } from '../../judge/judge.ts';
import { createUnjudgedStep, describeCleanupFailures } from '../../judge/judge-step.ts';
import type { JudgedStep } from '../../judge/verdict.ts';
import type { Report } from '../../report/report.ts';
import type { Evidence } from '../../run/evidence.ts';
import type { RunRequest } from '../../run/run-request.ts';
import type { Scenario, Step } from '../../scenario/scenario.ts';
import { createFailure } from '../execution-failure.ts';
import type { ChainProgress } from './chain-journal.ts';
import { buildRunReport, createUnsentReport, openActiveRun, type SentCase } from './execute-scenario.ts';
import type { ActiveRun, RecoverOptions, RunnerContext, RunStart } from './run-context.ts';
import { runCleanup } from './run-steps.ts';

function describeProgress({ steps }: Scenario, position: number): string {
  const step = steps[position];
  if (step) return `while its step \`${step.name}\` may have been on its way`;
  return position === steps.length ? 'while its request may have been on its way' : 'while it was cleaning up';
}

/** A request that the journal knows: it was sent, may have been, or was not. */
function describeStep(step: Step, index: number, position: number): JudgedStep {
  if (index > position) return createUnjudgedStep(step, 'not_sent', undefined);
  const failure = index === position ? formatError('STEP_SENT_BEFORE_CRASH', {}) : undefined;
  return createUnjudgedStep(step, 'not_known', failure);
}

/** Runs the rest of the cleanup, and returns all of it. A copy of the store sends nothing: its original may still run. */
async function finishCleanup(session: ActiveRun, position: number, isCopy: boolean): Promise<readonly JudgedStep[]> {
  const { steps, cleanupSteps } = session.scenario;
  // Requests are counted through: the steps, the trigger, the cleanup.
  const firstPosition = steps.length + 1;
  const startedCount = Math.max(0, position + 1 - firstPosition);
  const started = cleanupSteps
    .slice(0, startedCount)
    .map((step, index) => describeStep(step, firstPosition + index, position));
  if (!isCopy) return [...started, ...(await runCleanup(session, startedCount))];
  const failure = formatError('STEP_COPY_RESTORED', {});
  const unsent = cleanupSteps.slice(startedCount).map((step) => createUnjudgedStep(step, 'not_sent', failure));
  return [...started, ...unsent];
}

/** The report of a run, or of one case of it, that an earlier start of the executor left at `progress`. */
export async function recoverRun(
  context: RunnerContext,
  request: RunRequest,
  start: RunStart,
  { position, captures, withheld }: ChainProgress,
  { journal, isCopy }: RecoverOptions,
  sentCase?: SentCase,
): Promise<Report> {
  const { scenario } = context.parseScenario(request.scenarioText);
  const progress = scenario ? describeProgress(scenario, position) : 'with a text that cannot be read any more';
  const failure = createFailure('EXECUTOR_RUN_INTERRUPTED', { progress });
  if (!scenario) return createUnsentReport(context, request, start, failure);
  const { session } = openActiveRun(context, request, scenario, start, { journal }, sentCase);
  for (const { name, text, isText } of captures) session.captures.set(name, { text, isText });
  for (const name of withheld) session.withheld.add(name);
  const steps = scenario.steps.map((step, index) => describeStep(step, index, position));
  const cleanup = await finishCleanup(session, position, isCopy);
  const totalMs = context.clock.monotonicMs() - start.startMonotonicMs;
  const timings = { connectMs: undefined, firstByteMs: undefined, bodyMs: undefined, totalMs };
  const evidence: Evidence = {
    startedAtMs: start.startedAtMs,
    request: undefined,
    response: undefined,
    failure,
    timings,
  };
  const verdict = { ...createFailureVerdict(failure, scenario), notes: describeCleanupFailures(cleanup) };
  return buildRunReport(session, verdict, evidence, { steps, cleanup });
}
