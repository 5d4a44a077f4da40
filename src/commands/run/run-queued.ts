/** `vp run` through the control plane: requests runs, waits for them, and reads the reports. */
import type { Client } from '../../client/client.ts';
import { isTransientError } from '../../client/transport/transient-error.ts';
import { waitForRun } from '../../client/wait-for-run.ts';
import type { CreateRunsRequest, Instance, Run, RunDocument } from '../../contract/api.ts';
import { toVpError, type VpError, vpError } from '../../errors/vp-error.ts';
import { getOutcome } from '../../report/outcome.ts';
import type { UnfinishedRun } from '../../report/results.ts';
import {
  type ControlPlaneFlagValues,
  formatControlPlaneFlag,
  openClient,
  selectInstance,
} from '../control-plane/control-plane-client.ts';
import type { RunSession } from './run-session.ts';
import { type RequestedScenario, selectFromCatalogue, splitIntoRequests } from './select-catalogue.ts';
import type { Selection } from './selection.ts';

export type QueuedFlags = ControlPlaneFlagValues & { readonly instance: string | undefined };

/**
 * `runs` are those requested so far, `endedCount` how many of the first ones have ended, and `unconfirmedCount` how many
 * were in a request whose response was not awaited any longer.
 */
type QueuedBatch = {
  readonly client: Client;
  readonly instance: string;
  readonly session: RunSession;
  readonly runs: Run[];
  endedCount: number;
  unconfirmedCount: number;
};

/** Resolves when all runs have ended, or at an interrupt. */
export async function runQueued(selection: Selection, flags: QueuedFlags, session: RunSession): Promise<void> {
  const { collector, signal } = session;
  const client = await openClient(flags, session.environment);
  const selectedInstance = await selectInstance(client, flags.instance, signal);
  const instance = selectedInstance.instance_id;
  printExecutorAbsence(selectedInstance, session);
  const requested = await selectFromCatalogue(selection, instance, client, session);
  collector.start(collector.plan.sets * requested.length);
  const batch: QueuedBatch = { client, instance, session, runs: [], endedCount: 0, unconfirmedCount: 0 };
  try {
    await requestAll(batch, requested);
    await waitForAll(batch);
  } catch (thrown) {
    if (!signal.aborted) throw toWaitLostError(batch, thrown);
  } finally {
    collector.unfinished = listUnfinished(batch, requested);
  }
}

/** Runs wait in the queue until the executor is connected, and the person who waits should know. */
function printExecutorAbsence(
  { instance_id: id, executor_status: status }: Instance,
  { environment, progress }: RunSession,
): void {
  if (status === 'REGISTERED') return;
  const absence = status === 'AWAY' ? 'is away' : 'was never connected';
  const text = `note: the executor of ${id} ${absence}; runs wait until it is. Start it with \`vp executor\`.\n`;
  progress.suspend(() => environment.streams.stderr.write(text));
}

/** Adds to `runs` after each request, so that the requested runs are known even after an error. */
async function requestAll(batch: QueuedBatch, requested: readonly RequestedScenario[]): Promise<void> {
  const { collector, signal } = batch.session;
  for (const scenarios of splitIntoRequests(requested, collector.plan.sets)) {
    if (signal.aborted) return;
    batch.unconfirmedCount = scenarios.length;
    batch.runs.push(...(await request(batch, scenarios)));
    batch.unconfirmedCount = 0;
  }
}

const maxAttempts = 8;
/** After an interrupt, the response with the run ids is still awaited for this long. */
const interruptGraceMs = 2000;

/** Retried with the same idempotency key if the response was lost, so that nothing is requested twice. */
async function request(
  { client, instance, session, runs }: QueuedBatch,
  scenarios: CreateRunsRequest['scenarios'],
): Promise<readonly Run[]> {
  const { signal, environment, collector } = session;
  const body: CreateRunsRequest = collector.plan.prove ? { scenarios, prove: true } : { scenarios };
  const idempotencyKey = environment.random.token(16);
  const requestController = new AbortController();
  const abortLater = (): void => void environment.clock.after(interruptGraceMs, () => requestController.abort());
  signal.addEventListener('abort', abortLater);
  try {
    for (let failures = 1; ; failures += 1) {
      try {
        return await client.runs.request(instance, body, { idempotencyKey, signal: requestController.signal });
      } catch (error) {
        const isPermanent = !isTransientError(error) || (runs.length === 0 && isConnectionRefused(error));
        if (isPermanent || signal.aborted || failures === maxAttempts) throw error;
        await client.pause(Math.min(2000, 100 * 2 ** failures), signal);
      }
    }
  } finally {
    signal.removeEventListener('abort', abortLater);
  }
}

/** Nothing listens there: retrying is pointless before anything was requested. */
function isConnectionRefused({ values }: VpError): boolean {
  return values.problem === 'nothing is listening there';
}

async function waitForAll(batch: QueuedBatch): Promise<void> {
  const { runs, client, session } = batch;
  const { progress, signal } = session;
  const connectionReporter = createConnectionReporter(batch);
  for (const run of [...runs]) {
    const showProgress = (known: Run): void =>
      progress.update(`${batch.endedCount} of ${runs.length} runs ended; ${formatPending(known)}`);
    const onRun = (known: Run): void => {
      connectionReporter.onRecovered();
      runs[batch.endedCount] = known;
      showProgress(known);
    };
    showProgress(run);
    collectRun(await waitForRun(client, run.run_id, { signal, onRun, onProblem: connectionReporter.onFailure }), batch);
  }
}

function formatPending({ scenario_id, run_id, state, queue_position }: Run): string {
  const stateText = state === 'queued' ? `queued, ${queue_position} ahead of it` : state.replaceAll('_', ' ');
  return `${scenario_id} ${run_id} is ${stateText}`;
}

/** Adds an ended run to the results. One that was cancelled in the queue has no report. */
function collectRun(document: RunDocument, batch: QueuedBatch): void {
  const { instance } = batch;
  const { collector, output } = batch.session;
  const position = batch.endedCount;
  batch.endedCount += 1;
  const { report, scenario_id: id, scenario_text: text, revision, result, failure_kind: kind } = document;
  if (text !== null && !collector.sources.has(id)) {
    collector.sources.set(id, { file: `${instance}/${id}${revision === null ? '' : `@${revision}`}`, text });
  }
  if (report) {
    collector.add(position, report);
    output.onRunEnded(report);
  } else {
    const failure = kind === null ? null : { kind, message: '', cure: '' };
    collector.addWithoutReport(getOutcome({ result, failure }));
    output.onRunEndedWithoutReport(document);
  }
}

function listUnfinished(batch: QueuedBatch, requested: readonly RequestedScenario[]): UnfinishedRun[] {
  const { client, instance, runs, endedCount, unconfirmedCount, session } = batch;
  const unfinishedRuns = runs.slice(endedCount).map(({ scenario_id: scenarioId, run_id: runId, state }) => {
    const hint = `see it with \`vp runs show ${runId}${formatControlPlaneFlag(client)}\``;
    return { scenarioId, instance, runId, state: state === 'in_progress' ? state : ('queued' as const), hint };
  });
  if (runs.length === 0 && !session.signal.aborted) return [];
  const notRequestedCount = session.collector.plan.sets * requested.length - runs.length;
  const notRequested = Array.from({ length: notRequestedCount }, (_, index) => ({
    scenarioId: requested[(runs.length + index) % requested.length]?.id ?? '',
    instance,
    runId: undefined,
    state: 'not_requested' as const,
    hint:
      index < unconfirmedCount
        ? `it may have been requested: see \`vp runs${formatControlPlaneFlag(client)}\``
        : 'not run',
  }));
  return [...unfinishedRuns, ...notRequested];
}

/** Reports once that the control plane is unreachable, with the ids of the runs, and once that it responds again. */
function createConnectionReporter(batch: QueuedBatch) {
  const { client, session, runs } = batch;
  const { progress, environment } = session;
  const write = (text: string): void => progress.suspend(() => environment.streams.stderr.write(`${text}\n`));
  let isDisconnected = false;
  return {
    onFailure(problem: VpError): void {
      const safeNote = `    the runs continue there: ${formatIds(runs.slice(batch.endedCount))}`;
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
function toWaitLostError({ client, runs, endedCount }: QueuedBatch, thrown: unknown): VpError {
  const error = toVpError(thrown);
  const pendingCount = runs.length - endedCount;
  if (pendingCount === 0 || !isTransientError(error)) return error;
  const count = pendingCount === 1 ? '1 run is' : `${pendingCount} runs are`;
  const hint = `\`vp runs${formatControlPlaneFlag(client)}\` lists them, \`vp runs show <run id>\` shows one`;
  const values = { url: client.transport.baseUrl, count, problem: error.message, hint };
  return vpError('RUN_WAIT_LOST', values, { cause: error });
}
