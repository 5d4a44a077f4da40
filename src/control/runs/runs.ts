import { createHash } from 'node:crypto';
import type { CreateRunsRequest, Run, RunDocument } from '../../contract/api.ts';
import { maxCountedFailures } from '../../contract/failure-limits.ts';
import type { ScenarioResult } from '../../contract/scenario-results-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseRunId } from '../../run/run-id.ts';
import { isFinalState } from '../../run/state.ts';
import { hasInstance } from '../../store/control/instances/instances.ts';
import {
  cancelQueuedRun,
  findRequestKey,
  insertRequestKey,
  insertRuns,
  listQueuedRunIds,
  type QueuedRun,
  type RunRequestContext,
  requestCancel,
  toQueuedRow,
} from '../../store/control/runs/run-requests.ts';
import { findQueuedRuns, findRun, type RunRow } from '../../store/control/runs/runs.ts';
import { findFailedSeries, listScenarioResults } from '../../store/control/runs/scenario-results.ts';
import { parseIds, parseTexts } from '../../store/json-column.ts';
import type { Sql } from '../../store/sql.ts';
import type { Actor, RunsService } from '../control.ts';
import { assertInstance, requireInstance } from '../instances/instances.ts';
import { queueAndOffer, type RequestState } from '../leases/queue-and-offer.ts';
import { announceEnd, type ControlRuntime } from '../runtime.ts';
import { chooseSuite } from '../suites/suite-requests.ts';
import { toRun } from '../wire.ts';
import { getRunDocument, getStoredReport, requireRun } from './run-document.ts';
import { announceRequest, type RequestedRun, readEntries, toNewRuns } from './run-entries.ts';
import { listRunPage } from './run-list.ts';

function hashRequest(input: CreateRunsRequest): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex');
}

/** Ids of the runs that an earlier request with the same key created. */
function findRepeatedRunIds(sql: Sql, instance: string, key: string, digest: string): number[] | undefined {
  const storedRequest = findRequestKey(sql, instance, key);
  if (!storedRequest) return undefined;
  if (storedRequest.digest !== digest) throw vpError('REQUEST_KEY_REUSED', {});
  return parseIds(storedRequest.run_ids);
}

function toSuiteContext({ instance, requestedBy, nowMs, targetVersion }: RunRequestContext) {
  return {
    ...{ instance_id: instance, requested_by: requestedBy, requested_at_ms: nowMs, target_version: targetVersion },
  };
}

/** What `findQueuedRuns` returns for the first runs of a queue; undefined where their revisions are not known. */
function toQueuedRows(
  context: RunRequestContext,
  runs: readonly RequestedRun[],
  queued: readonly QueuedRun[],
): RunRow[] | undefined {
  const rows = runs.flatMap((run, index) => {
    const given = queued[index];
    return run.document && given ? [toQueuedRow(context, run, run.document, given, index)] : [];
  });
  return rows.length === runs.length ? rows : undefined;
}

/** A queued run as it is leased; undefined where its revision is not known. */
function toQueuedLease({ nowMs, prove }: RunRequestContext, run?: RequestedRun, queued?: QueuedRun) {
  if (!run?.document || !queued) return undefined;
  const { revision, text } = run.document;
  return {
    ...{ id: queued.id, correlation_id: queued.correlationId, scenario_id: run.scenario, revision, text },
    ...{ requested_at_ms: nowMs, cancel_requested: 0, prove: prove ? 1 : 0 },
  };
}

/** Queues all runs or none. */
async function requestRuns(
  runtime: ControlRuntime,
  instance: string,
  input: CreateRunsRequest,
  actor: Actor,
  key?: string,
): Promise<Run[]> {
  const { store, clock, random } = runtime.context;
  const entries = await readEntries(runtime, instance, input, actor);
  const digest = key === undefined ? '' : hashRequest(input);
  const queueRuns = (sql: Sql, { isRegistered, isFirst }: RequestState) => {
    if (!isRegistered) assertInstance(sql, instance);
    const before = key === undefined ? undefined : findRepeatedRunIds(sql, instance, key, digest);
    if (before) return { value: { rows: before.flatMap((id) => findRun(sql, id) ?? []), queuedIds: [] } };
    const inputs = toNewRuns(sql, instance, entries);
    const prove = input.prove === true;
    const context = {
      ...{ instance, requestedBy: actor.name, nowMs: clock.nowMs(), prove, random: () => random.token(6) },
      targetVersion: input.target_version ?? null,
    };
    const { suite, runs } = chooseSuite(store, sql, toSuiteContext(context), input, inputs);
    const queued = insertRuns(sql, store.counters, { ...context, suite }, runs);
    const runIds = queued.map(({ id }) => id);
    if (key !== undefined) insertRequestKey(sql, instance, { key, digest, runIds, nowMs: clock.nowMs() });
    const known = isFirst && suite === undefined ? toQueuedRows(context, runs, queued) : undefined;
    const rows = known ?? findQueuedRuns(sql, runIds);
    return { value: { rows, queuedIds: runIds }, first: toQueuedLease(context, runs[0], queued[0]) };
  };
  const announce = (sql: Sql, isRegistered: boolean): void => {
    if (!isRegistered) sql.ahead((sql) => hasInstance(sql, instance));
    announceRequest(sql, instance, entries, key);
  };
  const { rows, queuedIds } = await queueAndOffer(runtime, instance, queueRuns, announce);
  for (const id of queuedIds) runtime.requestedRuns.add(id);
  runtime.totals.recordRequested(queuedIds.length);
  return rows.map(toRun);
}

/** What a run needs that ends at once. A later first look takes nothing from it, where the store answers over a network. */
const firstLookDelayMs = 100;

/**
 * The first look reads the run alone; one that is woken most likely finds its end, and reads what the response needs, unless that was
 * read with the end. A run that was requested just now is looked at when it ends, or a moment later.
 */
async function waitForRun(
  runtime: ControlRuntime,
  runId: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<RunDocument> {
  const { store, clock } = runtime.context;
  const { endWakeups, requestedRuns } = runtime;
  const untilMs = clock.monotonicMs() + waitMs;
  const leftMs = (): number => untilMs - clock.monotonicMs();
  const readState = () => store.database.read((sql) => requireRun(sql, runId));
  const readDocument = () => store.database.read((sql) => getRunDocument(sql, runId));
  const runMs = parseRunId(runId) ?? -1;
  const isAwaited = requestedRuns.has(runMs);
  const firstWait = isAwaited ? endWakeups.wait(runId, Math.min(firstLookDelayMs, leftMs()), signal) : undefined;
  const readEnded = await firstWait?.done;
  const isOver = (): boolean => signal?.aborted === true || endWakeups.isClosed || leftMs() <= 0;
  // When the control plane is closing there is time for one read.
  const isLastLook = isAwaited && (isOver() || !requestedRuns.has(runMs));
  let look: () => Promise<RunRow | RunDocument> = readEnded ?? (isLastLook ? readDocument : readState);
  for (;;) {
    const wakeup = endWakeups.wait(runId, leftMs(), signal);
    const run = await look().catch((error: unknown) => {
      wakeup.stop();
      throw error;
    });
    const isDone = isFinalState(run.state) || isOver();
    if (isDone) wakeup.stop();
    if (isDone) return 'report' in run ? run : readDocument();
    look = (await wakeup.done) ?? readDocument;
  }
}

async function cancelRun(runtime: ControlRuntime, runId: string): Promise<Run> {
  const { store, clock } = runtime.context;
  const { row, isCancelled } = await store.database.write((sql) => {
    const before = requireRun(sql, runId);
    if (isFinalState(before.state)) throw vpError('RUN_FINAL', { run: runId, state: before.state });
    const cancelled = cancelQueuedRun(sql, store.counters, before.id, clock.nowMs());
    if (!cancelled) requestCancel(sql, store.counters, before.id);
    return { row: requireRun(sql, runId), isCancelled: cancelled };
  });
  if (isCancelled) announceEnd(runtime, row.id, 'cancelled');
  return toRun(row);
}

/** In one transaction, so that a run requested meanwhile is either cancelled or untouched. */
async function cancelQueuedRuns(runtime: ControlRuntime, instance: string, scenario?: string): Promise<number> {
  const { store, clock } = runtime.context;
  const cancelledIds = await store.database.write((sql) => {
    requireInstance(sql, instance);
    const ids = listQueuedRunIds(sql, instance, scenario);
    return ids.filter((id) => cancelQueuedRun(sql, store.counters, id, clock.nowMs()));
  });
  for (const id of cancelledIds) announceEnd(runtime, id, 'cancelled');
  return cancelledIds.length;
}

export function createRunsService(runtime: ControlRuntime): RunsService {
  const { database } = runtime.context.store;
  return {
    request: (instance, input, actor, key) => requestRuns(runtime, instance, input, actor, key),
    list: (filter, page) => database.read((sql) => listRunPage(sql, filter, page)),
    get: (runId) => database.read((sql) => getRunDocument(sql, runId)),
    wait: (runId, waitMs, signal) => waitForRun(runtime, runId, waitMs, signal),
    cancel: (runId) => cancelRun(runtime, runId),
    cancelQueued: (instance, scenario) => cancelQueuedRuns(runtime, instance, scenario),
    report: (runId) => database.read((sql) => getStoredReport(sql, runId)),
    listScenarioResults: (instance) => database.read((sql) => readScenarioResults(sql, instance)),
    getInstanceId: (runId) => database.read((sql) => requireRun(sql, runId).instance_id),
  };
}

/** Throws INSTANCE_UNKNOWN. */
function readScenarioResults(sql: Sql, instance: string): ScenarioResult[] {
  requireInstance(sql, instance);
  const rows = listScenarioResults(sql, instance).map(({ ids, ...row }) => {
    const scenarioIds = parseTexts(ids);
    const passedId = row.passed_id ?? 0;
    return { ...row, scenarioIds, passedId, lastId: Math.max(row.failed_id ?? 0, passedId) };
  });
  // On PostgreSQL the runs of all scenarios arrive together.
  for (const { scenarioIds, passedId, lastId } of rows) {
    if (lastId !== 0) sql.ahead((ahead) => findRun(ahead, lastId));
    if (lastId !== passedId)
      sql.ahead((ahead) => findFailedSeries(ahead, instance, scenarioIds, passedId, maxCountedFailures));
  }
  return rows.map(({ scenario_id, title, scenarioIds, passedId, lastId }) => {
    const lastRun = lastId === 0 ? undefined : findRun(sql, lastId);
    const isFailing = lastRun?.state === 'failed';
    const series = isFailing ? findFailedSeries(sql, instance, scenarioIds, passedId, maxCountedFailures) : undefined;
    return {
      scenario_id,
      title,
      former_ids: scenarioIds.filter((other) => other !== scenario_id),
      last_run: lastRun ? toRun(lastRun) : null,
      failing_since: series?.firstId == null ? null : formatTimestamp(series.firstId),
      failed_runs: series?.count ?? 0,
    };
  });
}
