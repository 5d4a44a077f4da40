/** The API of one instance's executor; the same over HTTP and within one process. */
import type {
  CompleteRequest,
  ControlPort,
  DirectRunRequest,
  GiveBackRequest,
  HeartbeatRequest,
  LeaseOffer,
  PollRequest,
} from '../../contract/executor-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseRunId } from '../../run/run-id.ts';
import { findKnownLease, toRunTotals } from '../../store/control/instances/executor-journals.ts';
import { findReportedRun } from '../../store/control/runs/completion.ts';
import { findCurrentLease, findFirstQueuedRun, type LeaseRow, returnToQueue } from '../../store/control/runs/leases.ts';
import { countEndedRun, readRunTotals } from '../../store/control/runs/run-summaries.ts';
import type { Sql } from '../../store/sql.ts';
import { acceptDirectRun, acceptReport } from '../runs/report-intake.ts';
import { getEndedRunDocument } from '../runs/run-document.ts';
import { announceEnd, type ControlRuntime } from '../runtime.ts';
import { toLease } from '../wire.ts';
import { findWork } from './find-work.ts';
import { handleHello } from './hello.ts';
import {
  assertCaller,
  assertEpoch,
  assertKeyNotEnded,
  assertKnownEpoch,
  commitJournalPosition,
  type KeyClaim,
} from './lease-protocol.ts';
import { announceCaller, endRefused, offerNoted, takeBack } from './offer-lease.ts';

type WithKey<Message> = Message & KeyClaim;

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

async function poll(
  runtime: ControlRuntime,
  instance: string,
  message: WithKey<PollRequest>,
  signal?: AbortSignal,
): Promise<LeaseOffer> {
  assertKeyNotEnded(runtime.keyChanges, instance, message);
  const { queueWakeups } = runtime;
  const { clock, store } = runtime.context;
  const { epoch, call, journal } = message;
  if (!runtime.sessions.beginCall(instance, epoch, call)) return { lease: null };
  runtime.sessions.recordJournal(instance, journal);
  if (message.in_hand !== null) await store.database.write((sql) => commitJournalPosition(sql, instance, message));
  const startMs = clock.monotonicMs();
  const waitedMs = (): number => clock.monotonicMs() - startMs;
  const isEnding = (): boolean => signal?.aborted === true || queueWakeups.isClosed;
  const stopWaiting = runtime.presence.startWaiting(instance);
  let isWoken = false;
  try {
    for (;;) {
      // At the end of the control plane its store may be closed. An attempt that was given up has no taker for a lease.
      if (queueWakeups.isClosed || !runtime.sessions.isNewestCall(instance, epoch, call)) return { lease: null };
      const wait = queueWakeups.wait(instance, message.wait_ms - waitedMs(), signal);
      const lease = await findWork(runtime, instance, message, isWoken).catch((error: unknown) => {
        wait.stop();
        throw error;
      });
      const isOver = isEnding() || waitedMs() >= message.wait_ms;
      const isDone = lease !== undefined || isOver;
      if (isDone) wait.stop();
      if (lease && signal?.aborted && runtime.sessions.isUnsent(instance, lease.fence)) {
        await takeBack(runtime, instance, lease);
        return { lease: null };
      }
      if (isDone && lease) return toOffer(runtime, lease, waitedMs());
      if (queueWakeups.isClosed) return { lease: null };
      if (isDone) return { lease: null, run_totals: await store.database.read((sql) => readRunTotals(sql, instance)) };
      const waiting = runtime.waitingPolls.add(instance, { message, signal }, wait.stop);
      await wait.done;
      const given = waiting.end();
      if (given) return toOffer(runtime, given, waitedMs());
      isWoken = !isEnding() && waitedMs() < message.wait_ms;
    }
  } finally {
    stopWaiting();
  }
}

async function heartbeat(runtime: ControlRuntime, instance: string, message: WithKey<HeartbeatRequest>) {
  const runMs = requireRunMs(message.run_id);
  const { database } = runtime.context.store;
  const look = message.before_send ? database.readExclusively : database.read;
  const lease = await look((sql) => {
    const known = assertKnownEpoch(findKnownLease(sql, instance), instance, message);
    if (known.run_id !== runMs || known.run_fence !== message.fence) return undefined;
    // At once: the lease must not end as unsent between being looked at and being noted.
    if (message.before_send) runtime.sessions.noteSend(instance, message.fence);
    return { id: runMs, fence: message.fence, isCancelled: known.cancel_requested === 1 };
  });
  runtime.presence.recordCall(instance);
  runtime.sessions.recordJournal(instance, message.journal);
  if (!lease) return { lease_ms: 0, cancel_requested: false };
  runtime.watch.arm(lease.id, lease.fence);
  return { lease_ms: runtime.context.settings.leaseMs, cancel_requested: lease.isCancelled };
}

async function complete(
  runtime: ControlRuntime,
  instance: string,
  message: WithKey<CompleteRequest>,
): Promise<LeaseOffer> {
  assertKeyNotEnded(runtime.keyChanges, instance, message);
  const runMs = requireRunMs(message.run_id);
  const { database, counters } = runtime.context.store;
  const wantsMore = message.more && runtime.sessions.beginCall(instance, message.epoch, message.call);
  runtime.sessions.recordJournal(instance, message.journal);
  const nowMs = runtime.context.clock.nowMs();
  const emptyQueue = runtime.emptyQueues.begin(instance);
  const intake = (sql: Sql) => {
    announceCaller(sql, instance);
    sql.ahead((sql) => findReportedRun(sql, runMs, nowMs));
    if (wantsMore) sql.ahead((sql) => findFirstQueuedRun(sql, instance));
    // The report changes neither the queue nor what is known of other runs: nothing need be read behind it, which would be a round trip more.
    const known = assertCaller(sql, instance, message);
    const before = toRunTotals(known);
    const first = wantsMore ? findFirstQueuedRun(sql, instance) : undefined;
    const next = first && { ...first, fence: known.fence + 1 };
    const endState = acceptReport(sql, counters, instance, runMs, message, nowMs);
    const totals = endState === undefined ? before : countEndedRun(before, endState, message.report.failure?.kind);
    const isFree = endState !== undefined;
    const mayOffer = wantsMore && (next !== undefined || !isFree);
    const offer = mayOffer ? offerNoted(runtime, sql, instance, message, { isFree, next }) : undefined;
    // Runs that were refused have ended too.
    const isIdle = wantsMore && isFree && next === undefined;
    return { state: endState, offer, totals: offer?.refused.length ? readRunTotals(sql, instance) : totals, isIdle };
  };
  // Who waits for the run gets its document with the commit.
  const isAwaited = runtime.endWakeups.has(message.run_id);
  const written = isAwaited
    ? await database.writeAndRead(intake, (sql) => getEndedRunDocument(sql, message.run_id))
    : undefined;
  const { state, offer, totals, isIdle } = written ? written.value : await database.write(intake);
  if (isIdle) emptyQueue.note(message.epoch);
  runtime.presence.recordCall(instance);
  endRefused(runtime, offer?.refused ?? []);
  if (state) {
    runtime.watch.disarm(runMs);
    announceEnd(runtime, runMs, state, written?.read);
  }
  // Nothing changed, but the first report may have been committed without anybody knowing.
  else runtime.endWakeups.wake(message.run_id);
  return { ...toOffer(runtime, offer?.lease, 0), run_totals: totals };
}

async function giveBack(runtime: ControlRuntime, instance: string, message: WithKey<GiveBackRequest>): Promise<void> {
  const { store, clock } = runtime.context;
  const runMs = requireRunMs(message.run_id);
  const state = await store.database.write((sql) => {
    assertEpoch(sql, instance, message);
    const lease = findCurrentLease(sql, instance);
    if (lease?.id !== runMs) return undefined;
    return returnToQueue(sql, store.counters, runMs, message.fence, clock.nowMs());
  });
  if (!state) return;
  runtime.watch.disarm(runMs);
  announceEnd(runtime, runMs, state);
}

async function directRun(runtime: ControlRuntime, instance: string, message: WithKey<DirectRunRequest>): Promise<void> {
  const { store, clock } = runtime.context;
  const isNew = await store.database.write((sql) => {
    assertEpoch(sql, instance, message);
    return acceptDirectRun(sql, store.counters, instance, message, clock.nowMs());
  });
  if (isNew && message.report.result) runtime.totals.recordEnd(message.report.result);
}

/**
 * `keyHash`: of the key with which the messages come. Calls throw EXECUTOR_CHALLENGE_EXPIRED, EXECUTOR_SUPERSEDED, CONTROL_STORE_STALE,
 * EXECUTOR_PROTOCOL_UNKNOWN, INSTANCE_UNKNOWN, REPORT_MISMATCH, and CREDENTIAL_INVALID when there is a newer key.
 */
export function createExecutorPort(runtime: ControlRuntime, instance: string, keyHash?: string): ControlPort {
  const addKey = <Message extends object>(message: Message): WithKey<Message> =>
    keyHash === undefined ? message : { ...message, keyHash };
  return {
    async challenge({ start_id }) {
      assertKeyNotEnded(runtime.keyChanges, instance, { keyHash });
      return { challenge: runtime.sessions.challenge(instance, start_id) };
    },
    async hello(message) {
      assertKeyNotEnded(runtime.keyChanges, instance, { keyHash });
      return handleHello(runtime, instance, addKey(message));
    },
    poll: (message, signal) => poll(runtime, instance, addKey(message), signal),
    heartbeat: (message) => heartbeat(runtime, instance, addKey(message)),
    complete: (message) => complete(runtime, instance, addKey(message)),
    giveBack: (message) => giveBack(runtime, instance, addKey(message)),
    directRun: (message) => directRun(runtime, instance, addKey(message)),
  };
}
