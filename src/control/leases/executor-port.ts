/** The API of one instance's executor; the same over HTTP and within one process. */
import type {
  CompleteRequest,
  ControlPort,
  DirectRunRequest,
  GiveBackRequest,
  HeartbeatRequest,
  HelloRequest,
  LeaseOffer,
  PollRequest,
} from '../../contract/executor-api.ts';
import { executorProtocol } from '../../contract/executor-api.ts';
import { version } from '../../environment/version.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatRunId, parseRunId } from '../../run/run-id.ts';
import { findInstance } from '../../store/control/instances/instances.ts';
import {
  findCurrentLease,
  hasQueuedRun,
  type LeaseRow,
  returnToQueue,
  startEpoch,
} from '../../store/control/runs/leases.ts';
import { acceptDirectRun, acceptReport } from '../runs/report-intake.ts';
import type { ControlRuntime } from '../runtime.ts';
import { toLease } from '../wire.ts';
import { assertEpoch, type InheritedRun, inheritRun, offerLease, parseRunIds } from './lease-protocol.ts';

function requireRunMs(runId: string): number {
  const runMs = parseRunId(runId);
  if (runMs === undefined) throw vpError('RUN_UNKNOWN', { run: runId });
  return runMs;
}

/**
 * Starts the watch of a lease. `waitedMs` is added, because the executor counts the lease from the moment it sent its
 * poll.
 */
function toOffer(runtime: ControlRuntime, row: LeaseRow | undefined, waitedMs: number): LeaseOffer {
  if (!row) return { lease: null };
  runtime.watch.arm(row.id, row.fence);
  return { lease: toLease(row, Math.round(runtime.context.settings.leaseMs + waitedMs)) };
}

async function handleHello(runtime: ControlRuntime, instance: string, message: HelloRequest) {
  const { store, clock, settings } = runtime.context;
  const supportedProtocol = executorProtocol;
  if (message.protocol > supportedProtocol || message.protocol < supportedProtocol - 1)
    throw vpError('EXECUTOR_PROTOCOL_UNKNOWN', {
      found: message.protocol,
      known: supportedProtocol,
      version: settings.recommendedVersion,
    });
  const nowMs = clock.nowMs();
  const { epoch, inherited } = await store.database.write((sql) => {
    const row = findInstance(sql, instance);
    const variables = message.scenario_variables ? JSON.stringify(message.scenario_variables) : null;
    const executor = {
      storeId: message.store_id,
      version: message.executor_version,
      target: message.target,
      variables,
      port: message.executor_port ?? null,
      nowMs,
    };
    const next = startEpoch(sql, store.counters, instance, executor);
    if (!row || next === undefined) throw vpError('INSTANCE_UNKNOWN', { instance, known: '' });
    const journal = {
      storeId: message.store_id,
      started: parseRunIds(message.started),
      finished: parseRunIds(message.finished),
    };
    return { epoch: next, inherited: inheritRun(sql, store.counters, row, journal, next, nowMs) };
  });
  applyInheritedRun(runtime, instance, inherited);
  runtime.presence.recordCall(instance);
  const { leaseMs, heartbeatMs } = settings;
  return { instance, epoch, lease_ms: leaseMs, heartbeat_ms: heartbeatMs, control_plane_version: version };
}

/** Updates the state in memory after a hello. Also ends the poll of an older start. */
function applyInheritedRun(runtime: ControlRuntime, instance: string, inherited: InheritedRun): void {
  runtime.queueWakeups.wake(instance);
  if (inherited.fate === 'none') return;
  if (inherited.fate === 'kept') runtime.watch.arm(inherited.runMs, inherited.fence);
  else runtime.watch.disarm(inherited.runMs);
  if (inherited.fate !== 'lost') return;
  runtime.totals.recordEnd('failed');
  runtime.totals.recordLostExecutor();
  runtime.endWakeups.wake(formatRunId(inherited.runMs));
}

/** Checks the queue once. Reads first, so that an idle executor writes nothing. */
async function findWork(
  runtime: ControlRuntime,
  instance: string,
  message: PollRequest,
): Promise<LeaseRow | undefined> {
  const { store, clock } = runtime.context;
  const hasWork = await store.database.read((sql) => {
    assertEpoch(sql, instance, message.epoch);
    if (message.in_hand !== null) return false;
    const current = findCurrentLease(sql, instance);
    return current ? current.epoch === message.epoch : hasQueuedRun(sql, instance);
  });
  if (!hasWork) return undefined;
  return store.database.write((sql) => {
    assertEpoch(sql, instance, message.epoch);
    return offerLease(sql, store.counters, instance, message.epoch, clock.nowMs());
  });
}

async function poll(
  runtime: ControlRuntime,
  instance: string,
  message: PollRequest,
  signal?: AbortSignal,
): Promise<LeaseOffer> {
  const { clock } = runtime.context;
  const startMs = clock.monotonicMs();
  const waitedMs = (): number => clock.monotonicMs() - startMs;
  const stopWaiting = runtime.presence.startWaiting(instance);
  try {
    for (;;) {
      const wait = runtime.queueWakeups.wait(instance, message.wait_ms - waitedMs(), signal);
      const lease = await findWork(runtime, instance, message).catch((error: unknown) => {
        wait.stop();
        throw error;
      });
      const isDone = lease !== undefined || signal?.aborted === true || waitedMs() >= message.wait_ms;
      if (isDone) wait.stop();
      if (isDone) return toOffer(runtime, lease, waitedMs());
      await wait.done;
    }
  } finally {
    stopWaiting();
  }
}

async function heartbeat(runtime: ControlRuntime, instance: string, message: HeartbeatRequest) {
  const lease = await runtime.context.store.database.read((sql) => {
    assertEpoch(sql, instance, message.epoch);
    return findCurrentLease(sql, instance);
  });
  runtime.presence.recordCall(instance);
  const holdsLease = lease?.id === requireRunMs(message.run_id) && lease.fence === message.fence;
  if (!lease || !holdsLease) return { lease_ms: 0, cancel_requested: false };
  runtime.watch.arm(lease.id, lease.fence);
  return { lease_ms: runtime.context.settings.leaseMs, cancel_requested: lease.cancel_requested === 1 };
}

async function complete(runtime: ControlRuntime, instance: string, message: CompleteRequest): Promise<LeaseOffer> {
  const runMs = requireRunMs(message.run_id);
  const { store, clock } = runtime.context;
  const { state, next } = await store.database.write((sql) => {
    assertEpoch(sql, instance, message.epoch);
    const endState = acceptReport(sql, store.counters, instance, runMs, message, clock.nowMs());
    const lease = message.more ? offerLease(sql, store.counters, instance, message.epoch, clock.nowMs()) : undefined;
    return { state: endState, next: lease };
  });
  runtime.presence.recordCall(instance);
  if (state) {
    runtime.watch.disarm(runMs);
    runtime.totals.recordEnd(state);
    runtime.endWakeups.wake(message.run_id);
  }
  return toOffer(runtime, next, 0);
}

async function giveBack(runtime: ControlRuntime, instance: string, message: GiveBackRequest): Promise<void> {
  const { store, clock } = runtime.context;
  const runMs = requireRunMs(message.run_id);
  const returned = await store.database.write((sql) => {
    assertEpoch(sql, instance, message.epoch);
    const lease = findCurrentLease(sql, instance);
    if (lease?.id !== runMs) return false;
    return returnToQueue(sql, store.counters, runMs, message.fence, clock.nowMs());
  });
  if (!returned) return;
  runtime.watch.disarm(runMs);
  runtime.endWakeups.wake(message.run_id);
}

async function directRun(runtime: ControlRuntime, instance: string, message: DirectRunRequest): Promise<void> {
  const { store, clock } = runtime.context;
  const isNew = await store.database.write((sql) => {
    assertEpoch(sql, instance, message.epoch);
    return acceptDirectRun(sql, store.counters, instance, message, clock.nowMs());
  });
  if (isNew && message.report.result) runtime.totals.recordEnd(message.report.result);
}

/** Calls throw EXECUTOR_SUPERSEDED, EXECUTOR_PROTOCOL_UNKNOWN, INSTANCE_UNKNOWN, REPORT_MISMATCH. */
export function createExecutorPort(runtime: ControlRuntime, instance: string): ControlPort {
  return {
    hello: (message) => handleHello(runtime, instance, message),
    poll: (message, signal) => poll(runtime, instance, message, signal),
    heartbeat: (message) => heartbeat(runtime, instance, message),
    complete: (message) => complete(runtime, instance, message),
    giveBack: (message) => giveBack(runtime, instance, message),
    directRun: (message) => directRun(runtime, instance, message),
  };
}
