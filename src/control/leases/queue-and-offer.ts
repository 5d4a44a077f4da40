/**
 * Queues runs that somebody requests. While a poll waits, the same transaction leases the oldest run to it: a lone run costs one commit
 * less before it is sent, and on PostgreSQL the round trips of a second transaction.
 */
import { VpError } from '../../errors/vp-error.ts';
import { findCurrentLease, findOldestQueuedRun, type LeaseRow } from '../../store/control/runs/leases.ts';
import type { Sql } from '../../store/sql.ts';
import type { ControlRuntime } from '../runtime.ts';
import { isCurrentCaller } from './lease-protocol.ts';
import { announceCaller, offerNoted, takeBack } from './offer-lease.ts';
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

/**
 * Runs `queueRuns` in a transaction, leases the oldest run of the queue to a poll that waits, and wakes the polls otherwise.
 * `announce` names the reads of `queueRuns` beforehand, which then share a round trip. When it has written, `announceNext` does so with what
 * is read behind it.
 */
export async function queueAndOffer<T>(
  runtime: ControlRuntime,
  instance: string,
  queueRuns: (sql: Sql, announceNext: () => void) => T,
  announce: (sql: Sql) => void = () => {},
): Promise<T> {
  const poll = claimTaker(runtime, instance);
  const writeRuns = (sql: Sql): { value: T; lease?: LeaseRow | undefined } => {
    announce(sql);
    if (!poll) return { value: queueRuns(sql, () => {}) };
    announceCaller(sql, instance, poll.message);
    sql.ahead((sql) => findCurrentLease(sql, instance));
    // A caller that must greet again hears it when it polls.
    const isFree = isCurrentCaller(sql, instance, poll.message) && findCurrentLease(sql, instance) === undefined;
    const announceNext = () => isFree && sql.ahead((sql) => findOldestQueuedRun(sql, instance));
    const value = queueRuns(sql, announceNext);
    return isFree
      ? { value, lease: offerNoted(runtime, sql, instance, poll.message, { isFree: true }).lease }
      : { value };
  };
  const { value, lease } = await runtime.context.store.database.write(writeRuns).catch((error: unknown) => {
    poll?.release();
    // The runs may be there, and one of them leased to a poll that waits for it.
    if (error instanceof VpError && error.code === 'STORE_OUTCOME_UNKNOWN') runtime.queueWakeups.wake(instance);
    throw error;
  });
  if (poll && lease) await deliver(runtime, instance, poll, lease);
  runtime.queueWakeups.wake(instance);
  return value;
}
