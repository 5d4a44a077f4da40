/** Leases the oldest queued run within a transaction: to a poll, to the report before it, or to a poll that waits. */
import type { PollRequest } from '../../contract/executor-api.ts';
import { findKnownCaller } from '../../store/control/instances/executor-journals.ts';
import {
  findCurrentLease,
  findOldestQueuedRun,
  type LeaseRow,
  type QueuedLeaseRow,
  returnToQueue,
} from '../../store/control/runs/leases.ts';
import type { Sql } from '../../store/sql.ts';
import { announceEnd, type ControlRuntime } from '../runtime.ts';
import { offerLease } from './lease-protocol.ts';
import { offerSupportedLease } from './offer-supported.ts';

type LeaseCaller = Pick<PollRequest, 'epoch' | 'journal' | 'announces_send' | 'features'>;

/** `refused` have ended, because the executor cannot send them. */
export type NotedOffer = { readonly lease: LeaseRow | undefined; readonly refused: readonly number[] };

export const noOffer: NotedOffer = { lease: undefined, refused: [] };

/** Reads that follow share a round trip. */
export function announceCaller(sql: Sql, instance: string): void {
  sql.ahead((sql) => findKnownCaller(sql, instance));
}

export function announceOffer(sql: Sql, instance: string): void {
  sql.ahead((sql) => findCurrentLease(sql, instance));
  sql.ahead((sql) => findOldestQueuedRun(sql, instance));
}

/** What a transaction knows: that no run is in progress, and the oldest queued run. */
export type KnownQueue = { readonly isFree?: boolean; readonly next?: QueuedLeaseRow | undefined };

export function offerNoted(
  { context, sessions }: ControlRuntime,
  sql: Sql,
  instance: string,
  { epoch, journal, announces_send: isUnsent = false, features }: LeaseCaller,
  { isFree = false, next }: KnownQueue = {},
): NotedOffer {
  const { counters } = context.store;
  const nowMs = context.clock.nowMs();
  const refused: number[] = [];
  const onNewLease = ({ fence }: LeaseRow): void => sessions.noteLease(instance, fence, isUnsent);
  const taker = { epoch, journalSeq: journal?.seq };
  const offer = () => {
    const isFirst = refused.length === 0;
    return offerLease(
      sql,
      counters,
      instance,
      { ...taker, isFree, next: isFirst ? next : undefined },
      nowMs,
      onNewLease,
    );
  };
  const lease = offerSupportedLease(sql, counters, features, nowMs, offer, (runMs) => refused.push(runMs));
  return { lease, refused };
}

/** After the commit: wakes those who wait for the runs. */
export function endRefused(runtime: ControlRuntime, refused: readonly number[]): void {
  for (const runMs of refused) announceEnd(runtime, runMs, 'failed');
}

/**
 * The caller went away while its lease was committed: the run returns to the queue, unless it counts as sent. Its lease ends by
 * time otherwise, and when the write fails.
 */
export async function takeBack(runtime: ControlRuntime, instance: string, { id, fence }: LeaseRow): Promise<void> {
  const { store, clock } = runtime.context;
  runtime.watch.arm(id, fence);
  // Within the transaction: another poll of the same start may have got the lease, and announced the send.
  const state = await store.database.write((sql) =>
    runtime.sessions.isUnsent(instance, fence)
      ? returnToQueue(sql, store.counters, id, fence, clock.nowMs())
      : undefined,
  );
  if (!state) return;
  announceEnd(runtime, id, state);
  runtime.queueWakeups.wake(instance);
}
