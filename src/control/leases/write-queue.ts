/**
 * What queues runs: while a poll waits, the oldest run is leased to it by the same transaction. A lone run so costs one commit
 * less before it is sent, and one less round trip to a database.
 */
import { findCurrentLease, type LeaseRow, returnToQueue } from '../../store/control/runs/leases.ts';
import type { Sql } from '../../store/sql.ts';
import type { ControlRuntime } from '../runtime.ts';
import { isCaller } from './lease-protocol.ts';
import { announceCaller, endRefused, type NotedOffer, noOffer, offerNoted } from './offer-lease.ts';
import type { ClaimedPoll } from './waiting-polls.ts';

/** Whether a new lease may be given. A caller that must greet again hears it when it polls. */
function mayTake(runtime: ControlRuntime, sql: Sql, instance: string, { message }: ClaimedPoll): boolean {
  return (
    !runtime.queueWakeups.isClosed &&
    runtime.sessions.isNewestCall(instance, message.epoch, message.call) &&
    isCaller(sql, instance, message) &&
    findCurrentLease(sql, instance) === undefined
  );
}

/** After the commit. A poll that ended meanwhile was for nothing, and the next one gets the lease of its epoch. */
async function deliver(
  runtime: ControlRuntime,
  instance: string,
  { signal, give }: ClaimedPoll,
  lease: LeaseRow,
): Promise<void> {
  if (give(lease)) return;
  runtime.watch.arm(lease.id, lease.fence);
  const { store, clock } = runtime.context;
  const isUnsent = runtime.sessions.isUnsent(instance, lease.fence);
  // Its executor may be gone: the lease would wait for its expiry.
  if (signal?.aborted && isUnsent)
    await store.database.write((sql) => returnToQueue(sql, store.counters, lease.id, lease.fence, clock.nowMs()));
}

/**
 * Runs `queueRuns` in a transaction, leases the oldest run of the queue to a poll that waits, and wakes the polls otherwise.
 * `announce` names the reads of `queueRuns` beforehand, which then share a round trip.
 */
export async function writeQueue<T>(
  runtime: ControlRuntime,
  instance: string,
  queueRuns: (sql: Sql) => T,
  announce: (sql: Sql) => void = () => {},
): Promise<T> {
  const poll = runtime.waitingPolls.claim(instance);
  const writeRuns = (sql: Sql): { value: T; offer: NotedOffer } => {
    announce(sql);
    if (poll) announceCaller(sql, instance, poll.message);
    if (poll) sql.ahead((sql) => findCurrentLease(sql, instance));
    const isTaker = poll !== undefined && mayTake(runtime, sql, instance, poll);
    const value = queueRuns(sql);
    return { value, offer: isTaker ? offerNoted(runtime, sql, instance, poll.message, true) : noOffer };
  };
  const { value, offer } = await runtime.context.store.database.write(writeRuns).catch((error: unknown) => {
    poll?.release();
    throw error;
  });
  endRefused(runtime, offer.refused);
  if (poll && offer.lease) await deliver(runtime, instance, poll, offer.lease);
  runtime.queueWakeups.wake(instance);
  return value;
}
