/** `vp run` through the control plane: requests runs, waits for them, and reads the reports. */

import { isTransientError } from '../../client/transport/transient-error.ts';
import { waitForRun } from '../../client/wait-for-run.ts';
import type { Instance, Run, RunDocument } from '../../contract/api.ts';
import { toVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import { getOutcome } from '../../report/outcome.ts';
import { describeRunState } from '../../run/state.ts';
import {
  type ControlPlaneFlagValues,
  formatControlPlaneFlag,
  openClient,
  selectInstance,
} from '../control-plane/control-plane-client.ts';
import { watchExecutor } from './executor-presence.ts';
import {
  cancelRemaining,
  listOpenRuns,
  listUnfinishedRuns,
  type QueuedBatch,
  requestRuns,
  retryRuns,
} from './queued-batch.ts';
import type { RunSession } from './run-session.ts';
import { displaySuite, openSuite, type SuiteFlags } from './run-suite.ts';
import { type RequestedScenario, selectFromCatalogue } from './select-catalogue.ts';
import type { Selection } from './selection.ts';

export type QueuedFlags = ControlPlaneFlagValues &
  SuiteFlags & { readonly instance: string | undefined; readonly 'retry-failed': number };

/** Resolves when all runs have ended, at an interrupt, or at the end of --max-time, which cancels the rest. */
export async function runQueued(selection: Selection, flags: QueuedFlags, session: RunSession): Promise<void> {
  const { collector, signal } = session;
  const client = await openClient(flags, session.environment);
  const instance = await selectInstance(client, flags.instance, signal);
  const all = await selectFromCatalogue(selection, instance.instance_id, client, session);
  const target = { client, instance: instance.instance_id, session };
  const part = await openSuite(
    selection,
    session.history.narrow(all, ({ id }) => id),
    flags,
    target,
  );
  const { requested } = part;
  collector.start(collector.plan.sets * requested.length);
  if (collector.isEmptyShard) return;
  const round = (firstPosition: number): QueuedBatch => ({
    ...{ ...target, ...part.suite, firstPosition },
    ...{ runs: [], ended: new Set(), cancelled: new Set(), unconfirmedCount: 0 },
  });
  if (!collector.plan.untilFail) return runBatch(round(0), instance, requested, flags['retry-failed']);
  for (let set = 0; set < collector.plan.sets && !collector.stop && !signal.aborted; set += 1)
    await runBatch(round(set * requested.length), instance, requested, 0);
}

async function runBatch(
  batch: QueuedBatch,
  instance: Instance,
  requested: readonly RequestedScenario[],
  retries: number,
): Promise<void> {
  const { collector, signal, environment } = batch.session;
  try {
    await requestRuns(batch, requested);
    displaySuite(batch);
    await waitForAll(batch, instance);
    for (let attempt = 1; attempt <= retries && !signal.aborted && !collector.stop; attempt += 1) {
      const positions = collector.listNotPassed();
      if (positions.length === 0) break;
      const count = positions.length === 1 ? '1 run' : `${positions.length} runs`;
      environment.streams.stderr.write(`vp: retry ${attempt} of ${retries}: ${count} did not pass\n`);
      await retryRuns(batch, requested, positions);
      await waitForAll(batch, instance);
    }
  } catch (thrown) {
    if (!signal.aborted) throw toWaitLostError(batch, thrown);
  } finally {
    if (collector.stop && !collector.interrupted) await cancelRemaining(batch);
    const unfinished = listUnfinishedRuns(batch, requested);
    // Until a failure, the round that the end of the time interrupts is nobody's loss.
    const isOver = collector.plan.untilFail && collector.stop !== undefined && collector.tally.total > 0;
    collector.unfinished = isOver ? [] : unfinished;
  }
}

async function waitForAll(batch: QueuedBatch, instance: Instance): Promise<void> {
  const { runs, client, ended, cancelled, session } = batch;
  const { progress, signal, collector } = session;
  const connectionReporter = createConnectionReporter(batch);
  let current: Run | undefined;
  const showProgress = (): void => {
    if (!current) return;
    const parts = [`${ended.size} of ${runs.length} runs ended`, formatPending(current), watch.offlineText];
    progress.update(parts.filter((part) => part !== '').join('; '));
  };
  const watch = await watchExecutor(instance, { client, session }, showProgress);
  try {
    for (const [position, run] of [...runs].entries()) {
      if (cancelled.has(position) || ended.has(position)) continue;
      current = run;
      showProgress();
      const onRun = (known: Run): void => {
        connectionReporter.onRecovered();
        runs[position] = known;
        current = known;
        showProgress();
      };
      const options = { signal, onRun, onProblem: connectionReporter.onFailure };
      collectRun(await waitForRun(client, run.run_id, options), position, batch);
      if (collector.stop && listOpenRuns(batch).length > 0) await cancelRemaining(batch);
    }
  } finally {
    watch.stop();
  }
}

function formatPending({ scenario_id, run_id, state, failure_kind, queue_position }: Run): string {
  const stateText =
    state === 'queued' ? `queued, ${queue_position} ahead of it` : describeRunState(state, failure_kind);
  return `${scenario_id} ${run_id} is ${stateText}`;
}

/** Adds an ended run to the results. One that was cancelled in the queue has no report. */
function collectRun(document: RunDocument, position: number, batch: QueuedBatch): void {
  const { instance } = batch;
  const { collector, output } = batch.session;
  batch.ended.add(position);
  const { report, scenario_id: id, scenario_text: text, revision, result, failure_kind: kind, quarantine } = document;
  if (text !== null && !collector.sources.has(id)) {
    collector.sources.set(id, {
      file: `${instance}/${id}${revision === null ? '' : `@${revision}`}`,
      text,
      inCatalogue: true,
    });
  }
  if (report) {
    collector.add(batch.firstPosition + position, report);
    output.onRunEnded(report);
  } else {
    const failure = kind === null ? null : { kind, message: '', cure: '' };
    const withoutReport = toRunWithoutReport(document, batch);
    const outcome = getOutcome({ result, failure });
    collector.addWithoutReport(batch.firstPosition + position, outcome, withoutReport, quarantine !== undefined);
    output.onRunEndedWithoutReport(document);
  }
}

/** How the report formats list a run that has ended without a report. */
function toRunWithoutReport({ run_id: runId, scenario_id: scenarioId, result }: RunDocument, batch: QueuedBatch) {
  const lookup = `see \`vp runs show ${runId}${formatControlPlaneFlag(batch.client)}\``;
  const common = { scenarioId, instance: batch.instance, runId };
  if (result === null)
    return { ...common, state: 'cancelled', hint: `cancelled before it started: ${lookup}` } as const;
  return { ...common, state: 'no_report', hint: `it ${result}, and its report has expired: ${lookup}` } as const;
}

/** Reports once that the control plane is unreachable, with the ids of the runs, and once that it responds again. */
function createConnectionReporter(batch: QueuedBatch) {
  const { client, session, runs } = batch;
  const { progress, environment } = session;
  const write = (text: string): void => progress.suspend(() => environment.streams.stderr.write(`${text}\n`));
  let isDisconnected = false;
  return {
    onFailure(problem: VpError): void {
      const open = listOpenRuns(batch).flatMap((position) => runs[position] ?? []);
      const safeNote = `    the runs continue there: ${formatIds(open)}`;
      if (!isDisconnected) write(`vp: ${problem.message}; retrying for about a minute\n${safeNote}`);
      isDisconnected = true;
    },
    onRecovered(): void {
      if (isDisconnected) write(`vp: the control plane at ${client.transport.baseUrl} responds again`);
      isDisconnected = false;
    },
  };
}

const maxIds = 10;

function formatIds(runs: readonly Run[]): string {
  const listed = runs.slice(0, maxIds).map(({ run_id }) => run_id);
  return `${listed.join(', ')}${runs.length > listed.length ? ` and ${runs.length - listed.length} more` : ''}`;
}

/** Replaces errors that may pass by RUN_WAIT_LOST if there were runs to wait for. */
function toWaitLostError(batch: QueuedBatch, thrown: unknown): VpError {
  const { client } = batch;
  const error = toVpError(thrown);
  const pendingCount = listOpenRuns(batch).length;
  if (pendingCount === 0 || !isTransientError(error)) return error;
  const count = pendingCount === 1 ? '1 run is' : `${pendingCount} runs are`;
  const hint = `\`vp runs${formatControlPlaneFlag(client)}\` lists them, \`vp runs show <run id>\` shows one`;
  const values = { url: client.transport.baseUrl, count, problem: error.message, hint };
  return vpError('RUN_WAIT_LOST', values, { cause: error });
}
