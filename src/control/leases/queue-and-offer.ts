/**
 * Queues runs that somebody requests. While a poll waits, the same transaction leases the oldest run to it: a lone run costs one commit
 * less before it is sent, and on PostgreSQL the round trips of a second transaction.
 */
import { VpError } from '../../errors/vp-error.ts';
import {
  findCurrentLease,
  findOldestQueuedRun,
  type LeaseRow,
  type QueuedLeaseRow,
} from '../../store/control/runs/leases.ts';
import type { Sql } from '../../store/sql.ts';
import type { ControlRuntime } from '../runtime.ts';
import { findCurrentCaller } from './lease-protocol.ts';
import { announceCaller, announceOffer, offerNoted, takeBack } from './offer-lease.ts';
import { hasAllFeatures } from './offer-supported.ts';
import type { ClaimedPoll } from './waiting-polls.ts';

const isNewest = ({ sessions }: ControlRuntime, instance: string, { message }: ClaimedPoll): boolean =>
  sessions.isNewestCall(instance, message.epoch, message.call);

/**
 * The poll that a request may lease to. What is in memory is looked at here and after the commit, never in between: an operation of the store
 * repeats itself, and a newer poll may come while it does. Runs that an executor cannot do are ended by its own poll.
 */
function claimTaker(runtime: ControlRuntime, instance: string): ClaimedPoll | undefined {
  const poll = runtime.waitingPolls.claim(instance);
  if (!poll || runtime.queueWakeups.isClosed || !isNewest(runtime, instance, poll)) return undefined;
  const { in_hand, features } = poll.message;
  return in_hand === null && hasAllFeatures(features) ? poll : undefined;
}

/** After the commit. A poll that ended meanwhile was for nothing, and the next one gets the lease of its epoch. */
async function deliver(runtime: ControlRuntime, instance: string, poll: ClaimedPoll, lease: LeaseRow): Promise<void> {
  const { isClosed } = runtime.queueWakeups;
  if (!isClosed && isNewest(runtime, instance, poll) && poll.give(lease)) return;
  // The runs are queued: when this fails, the lease returns them when it ends.
  if (isClosed || poll.signal?.aborted) await takeBack(runtime, instance, lease).catch(() => undefined);
  else runtime.watch.arm(lease.id, lease.fence);
}

/** `first`: the first of the runs as it is leased, where that is known. `isEmpty`: none was queued. */
export type QueuedRuns<T> = {
  readonly value: T;
  readonly first?: Omit<QueuedLeaseRow, 'fence'> | undefined;
  readonly isEmpty?: boolean;
};

/** What the transaction knows. `isFirst`: no run is queued or in progress before those of the request. */
export type RequestState = { readonly isRegistered: boolean; readonly isFirst: boolean };

/** Queues the runs of a request, or of a schedule. */
export type QueueRuns<T> = (sql: Sql, state: RequestState) => QueuedRuns<T>;

const nothingKnown: RequestState = { isRegistered: false, isFirst: false };

/** Queues the runs, and leases the oldest one to the poll. What is read comes before what is written: it takes one round trip. */
function queueAndLease<T>(
  runtime: ControlRuntime,
  sql: Sql,
  instance: string,
  { message }: ClaimedPoll,
  queueRuns: QueueRuns<T>,
): QueuedRuns<T> & { readonly lease?: LeaseRow | undefined } {
  announceCaller(sql, instance);
  announceOffer(sql, instance);
  // A caller that must greet again hears it when it polls.
  const caller = findCurrentCaller(sql, instance, message);
  if (!caller) return queueRuns(sql, nothingKnown);
  const known = { isRegistered: true, isFirst: false };
  if (findCurrentLease(sql, instance)) return queueRuns(sql, known);
  // Runs are leased in the order of their ids: one that is queued now comes before all of the request.
  const oldest = findOldestQueuedRun(sql, instance);
  const queued = queueRuns(sql, { ...known, isFirst: oldest === undefined });
  if (queued.isEmpty) return queued;
  const { first } = queued;
  const next = oldest ?? (first ? { ...first, fence: caller.fence + 1 } : undefined);
  return { ...queued, lease: offerNoted(runtime, sql, instance, message, { isFree: true, next }).lease };
}

/**
 * Runs `queueRuns` in a transaction, leases the oldest run of the queue to a poll that waits, and wakes the polls otherwise.
 * `announce` names the reads of `queueRuns` beforehand, which then share a round trip. `isRegistered`: most likely it gets this too.
 */
export async function queueAndOffer<T>(
  runtime: ControlRuntime,
  instance: string,
  queueRuns: QueueRuns<T>,
  announce: (sql: Sql, isRegistered: boolean) => void = () => {},
): Promise<T> {
  const poll = claimTaker(runtime, instance);
  const writeRuns = (sql: Sql): QueuedRuns<T> & { readonly lease?: LeaseRow | undefined } => {
    announce(sql, poll !== undefined);
    return poll ? queueAndLease(runtime, sql, instance, poll, queueRuns) : queueRuns(sql, nothingKnown);
  };
  const { value, isEmpty, lease } = await runtime.context.store.database.write(writeRuns).catch((error: unknown) => {
    poll?.release();
    // The runs may be there, and one of them leased to a poll that waits for it.
    if (error instanceof VpError && error.code === 'STORE_OUTCOME_UNKNOWN') runtime.queueWakeups.wake(instance);
    throw error;
  });
  if (isEmpty) {
    poll?.release();
    return value;
  }
  if (poll && lease) await deliver(runtime, instance, poll, lease);
  runtime.queueWakeups.wake(instance);
  return value;
}
