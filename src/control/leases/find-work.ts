/** Looks for a run that a poll may have. */
import type { PollRequest } from '../../contract/executor-api.ts';
import { findCurrentLease, findOldestQueuedRun, type LeaseRow } from '../../store/control/runs/leases.ts';
import type { Sql } from '../../store/sql.ts';
import type { ControlRuntime } from '../runtime.ts';
import { assertCaller, type KeyClaim } from './lease-protocol.ts';
import { announceCaller, announceOffer, endRefused, type NotedOffer, noOffer, offerNoted } from './offer-lease.ts';

type KeyedPoll = PollRequest & KeyClaim;

/** Whether a lease may be offered. Throws what {@link assertCaller} throws. */
function hasWork(sql: Sql, instance: string, message: KeyedPoll): boolean {
  announceCaller(sql, instance);
  announceOffer(sql, instance);
  assertCaller(sql, instance, message);
  if (message.in_hand !== null) return false;
  const current = findCurrentLease(sql, instance);
  return current ? current.epoch === message.epoch : findOldestQueuedRun(sql, instance) !== undefined;
}

/** Checks the queue once. Unless a run is expected it reads first, so that an idle executor writes nothing; a report may have looked just now. */
export async function findWork(
  runtime: ControlRuntime,
  instance: string,
  message: KeyedPoll,
  isExpected: boolean,
): Promise<LeaseRow | undefined> {
  const { database } = runtime.context.store;
  if (runtime.emptyQueues.take(instance, message.epoch)) return undefined;
  if (!isExpected && !(await database.read((sql) => hasWork(sql, instance, message)))) return undefined;
  for (;;) {
    const { lease, refused } = await database.write(
      (sql): NotedOffer => (hasWork(sql, instance, message) ? offerNoted(runtime, sql, instance, message) : noOffer),
    );
    endRefused(runtime, refused);
    // As many as one transaction may end were refused: there may be more.
    if (lease || refused.length === 0 || runtime.queueWakeups.isClosed) return lease;
  }
}
