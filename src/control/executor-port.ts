/** What one instance's executor may call; the same over HTTP and in one process. */
import type {
  Complete,
  ControlPort,
  DirectRun,
  GiveBack,
  Heartbeat,
  Hello,
  Offer,
  Poll,
} from '../contract/executor-api.ts';
import { executorProtocol } from '../contract/executor-api.ts';
import { version } from '../environment/version.ts';
import { vpError } from '../errors/vp-error.ts';
import { epochMsOfRunId, runIdOf } from '../run/run-id.ts';
import { findInstance } from '../store/control/instances.ts';
import { currentLease, hasQueued, type LeaseRow, returnToQueue, startEpoch } from '../store/control/leases.ts';
import { acceptDirectRun, acceptReport } from './arrival.ts';
import { type Inherited, inheritRun, momentsOf, offerLease, requireEpoch } from './lease-protocol.ts';
import type { ControlParts } from './parts.ts';
import { wireLease } from './wire.ts';

function runMsOf(runId: string): number {
  const runMs = epochMsOfRunId(runId);
  if (runMs === undefined) throw vpError('RUN_UNKNOWN', { run: runId });
  return runMs;
}

/** Arms the watch for a lease that was handed out; `waitedMs` is how long the caller waited, which its clock counts too. */
function handOut(parts: ControlParts, row: LeaseRow | undefined, waitedMs: number): Offer {
  if (!row) return { lease: null };
  parts.watch.arm(row.id, row.fence);
  return { lease: wireLease(row, Math.round(parts.context.settings.leaseMs + waitedMs)) };
}

async function greet(parts: ControlParts, instance: string, message: Hello) {
  const { store, clock, settings } = parts.context;
  const known = executorProtocol;
  if (message.protocol > known || message.protocol < known - 1)
    throw vpError('EXECUTOR_PROTOCOL_UNKNOWN', {
      found: message.protocol,
      known,
      version: settings.recommendedVersion,
    });
  const nowMs = clock.nowMs();
  const { epoch, inherited } = await store.database.write((sql) => {
    const row = findInstance(sql, instance);
    const variables = message.scenario_variables ? JSON.stringify(message.scenario_variables) : null;
    const facts = {
      storeId: message.store_id,
      version: message.executor_version,
      target: message.target,
      variables,
      port: message.executor_port ?? null,
      nowMs,
    };
    const next = startEpoch(sql, store.counters, instance, facts);
    if (!row || next === undefined) throw vpError('INSTANCE_UNKNOWN', { instance, known: '' });
    const journal = {
      storeId: message.store_id,
      started: momentsOf(message.started),
      finished: momentsOf(message.finished),
    };
    return { epoch: next, inherited: inheritRun(sql, store.counters, row, journal, next, nowMs) };
  });
  settle(parts, instance, inherited);
  parts.presences.seen(instance);
  const { leaseMs, heartbeatMs } = settings;
  return { instance, epoch, lease_ms: leaseMs, heartbeat_ms: heartbeatMs, control_plane_version: version };
}

/** Tells the parts in memory what a greeting made of the run in progress. An older start's poll ends here too. */
function settle(parts: ControlParts, instance: string, inherited: Inherited): void {
  parts.queueWakes.wake(instance);
  if (inherited.fate === 'none') return;
  if (inherited.fate === 'kept') parts.watch.arm(inherited.runMs, inherited.fence);
  else parts.watch.disarm(inherited.runMs);
  if (inherited.fate !== 'lost') return;
  parts.totals.ended('failed');
  parts.totals.executorLost();
  parts.endWakes.wake(runIdOf(inherited.runMs));
}

/** One look at the queue: reads first, so that an idle executor writes nothing. */
async function lookForWork(parts: ControlParts, instance: string, message: Poll): Promise<LeaseRow | undefined> {
  const { store, clock } = parts.context;
  const work = await store.database.read((sql) => {
    requireEpoch(sql, instance, message.epoch);
    if (message.in_hand !== null) return false;
    const current = currentLease(sql, instance);
    return current ? current.epoch === message.epoch : hasQueued(sql, instance);
  });
  if (!work) return undefined;
  return store.database.write((sql) => {
    requireEpoch(sql, instance, message.epoch);
    return offerLease(sql, store.counters, instance, message.epoch, clock.nowMs());
  });
}

async function poll(parts: ControlParts, instance: string, message: Poll, signal?: AbortSignal): Promise<Offer> {
  const { clock } = parts.context;
  const startMs = clock.monotonicMs();
  const waitedMs = (): number => clock.monotonicMs() - startMs;
  const gone = parts.presences.waits(instance);
  try {
    for (;;) {
      const wait = parts.queueWakes.wait(instance, message.wait_ms - waitedMs(), signal);
      const lease = await lookForWork(parts, instance, message).catch((error: unknown) => {
        wait.stop();
        throw error;
      });
      const over = lease !== undefined || signal?.aborted === true || waitedMs() >= message.wait_ms;
      if (over) wait.stop();
      if (over) return handOut(parts, lease, waitedMs());
      await wait.done;
    }
  } finally {
    gone();
  }
}

async function heartbeat(parts: ControlParts, instance: string, message: Heartbeat) {
  const lease = await parts.context.store.database.read((sql) => {
    requireEpoch(sql, instance, message.epoch);
    return currentLease(sql, instance);
  });
  parts.presences.seen(instance);
  const holds = lease?.id === runMsOf(message.run_id) && lease.fence === message.fence;
  if (!lease || !holds) return { lease_ms: 0, cancel_requested: false };
  parts.watch.arm(lease.id, lease.fence);
  return { lease_ms: parts.context.settings.leaseMs, cancel_requested: lease.cancel_requested === 1 };
}

async function complete(parts: ControlParts, instance: string, message: Complete): Promise<Offer> {
  const runMs = runMsOf(message.run_id);
  const { store, clock } = parts.context;
  const { state, next } = await store.database.write((sql) => {
    requireEpoch(sql, instance, message.epoch);
    const ended = acceptReport(sql, store.counters, instance, runMs, message, clock.nowMs());
    const lease = message.more ? offerLease(sql, store.counters, instance, message.epoch, clock.nowMs()) : undefined;
    return { state: ended, next: lease };
  });
  parts.presences.seen(instance);
  if (state) {
    parts.watch.disarm(runMs);
    parts.totals.ended(state);
    parts.endWakes.wake(message.run_id);
  }
  return handOut(parts, next, 0);
}

async function giveBack(parts: ControlParts, instance: string, message: GiveBack): Promise<void> {
  const { store, clock } = parts.context;
  const runMs = runMsOf(message.run_id);
  const returned = await store.database.write((sql) => {
    requireEpoch(sql, instance, message.epoch);
    const lease = currentLease(sql, instance);
    if (lease?.id !== runMs) return false;
    return returnToQueue(sql, store.counters, runMs, message.fence, clock.nowMs());
  });
  if (!returned) return;
  parts.watch.disarm(runMs);
  parts.endWakes.wake(message.run_id);
}

async function directRun(parts: ControlParts, instance: string, message: DirectRun): Promise<void> {
  const { store, clock } = parts.context;
  const taken = await store.database.write((sql) => {
    requireEpoch(sql, instance, message.epoch);
    return acceptDirectRun(sql, store.counters, instance, message, clock.nowMs());
  });
  if (taken && message.report.result) parts.totals.ended(message.report.result);
}

/** The port of `instance`. Calls throw EXECUTOR_SUPERSEDED, EXECUTOR_PROTOCOL_UNKNOWN, INSTANCE_UNKNOWN, REPORT_MISMATCH. */
export function executorPort(parts: ControlParts, instance: string): ControlPort {
  return {
    hello: (message) => greet(parts, instance, message),
    poll: (message, signal) => poll(parts, instance, message, signal),
    heartbeat: (message) => heartbeat(parts, instance, message),
    complete: (message) => complete(parts, instance, message),
    giveBack: (message) => giveBack(parts, instance, message),
    directRun: (message) => directRun(parts, instance, message),
  };
}
