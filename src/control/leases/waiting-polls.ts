/** Polls that wait for work. What queues a run may claim one, and give it the lease (queue-and-offer.ts). */
import type { PollRequest } from '../../contract/executor-api.ts';
import type { LeaseRow } from '../../store/control/runs/leases.ts';
import type { KeyClaim } from './lease-protocol.ts';

/** A poll that waits, and that no other transaction leases to. */
export type ClaimedPoll = {
  readonly message: PollRequest & KeyClaim;
  /** The connection of the caller. */
  readonly signal: AbortSignal | undefined;
  /** Ends the wait with a committed lease; false when the poll does not wait any more. */
  give(lease: LeaseRow): boolean;
  /** Nothing was queued: the poll waits as before. */
  release(): void;
};

/** One of each instance, the one that came last. */
export type WaitingPolls = {
  /** `stopWaiting` is called when the poll is given a lease, which `end` returns. Call `end` when the wait is over. */
  add(
    instance: string,
    poll: Pick<ClaimedPoll, 'message' | 'signal'>,
    stopWaiting: () => void,
  ): { end(): LeaseRow | undefined };
  claim(instance: string): ClaimedPoll | undefined;
};

export function createWaitingPolls(): WaitingPolls {
  const polls = new Map<string, ClaimedPoll>();
  return {
    add(instance, { message, signal }, stopWaiting) {
      let isWaiting = true;
      let given: LeaseRow | undefined;
      const poll: ClaimedPoll = {
        ...{ message, signal },
        give(lease) {
          if (!isWaiting || signal?.aborted) return false;
          isWaiting = false;
          given = lease;
          stopWaiting();
          return true;
        },
        release() {
          if (isWaiting && !polls.has(instance)) polls.set(instance, poll);
        },
      };
      polls.set(instance, poll);
      return {
        end() {
          isWaiting = false;
          if (polls.get(instance) === poll) polls.delete(instance);
          return given;
        },
      };
    },
    claim(instance) {
      const poll = polls.get(instance);
      polls.delete(instance);
      return poll;
    },
  };
}
