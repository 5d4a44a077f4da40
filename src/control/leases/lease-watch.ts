/**
 * Expiry of leases, in this process's own uptime, never in wall time: a restart gives every lease its full length again, and
 * a jump of the clock ends none.
 */
import type { Clock } from '../../environment/clock.ts';
import { repeatEvery, retryUntilDone } from '../../timing/repeat.ts';

/** `fence` identifies the lease. */
export type LeaseWatch = {
  /** Starts or renews the watch of a lease. */
  arm(runMs: number, fence: number): void;
  disarm(runMs: number): void;
  /** Watches each stored lease that nothing watches; also done once in every length of a lease. */
  armStored(): Promise<void>;
  stop(): void;
};

export type WatchedLeases = {
  /** The leases in the store. */
  list(): Promise<readonly { readonly id: number; readonly fence: number }[]>;
  /** Called for each lease that was not renewed in time, again while it fails: a run that is not ended blocks its queue. */
  expire(runMs: number, fence: number): Promise<void>;
};

const retryBackoff = { initialMs: 500, maxMs: 5_000 };

/**
 * The store is looked at again and again, because a commit whose outcome is unknown may have leased a run, and an executor that
 * died since never polls for it.
 */
export function watchLeases(
  clock: Clock,
  leaseMs: number,
  leases: WatchedLeases,
  onError: (error: unknown) => void,
): LeaseWatch {
  const watched = new Map<number, { readonly fence: number; readonly stop: () => void }>();
  let isStopped = false;
  const stopLooking = repeatEvery(clock, leaseMs, armStored, onError);

  function disarm(runMs: number): void {
    watched.get(runMs)?.stop();
    watched.delete(runMs);
  }

  function arm(runMs: number, fence: number): void {
    disarm(runMs);
    // A heartbeat may end after it.
    if (isStopped) return;
    const onTimeout = (): void => {
      const work = async (): Promise<void> => {
        await leases.expire(runMs, fence);
        if (watched.get(runMs) === expiring) watched.delete(runMs);
      };
      const expiring = { fence, stop: retryUntilDone(clock, retryBackoff, work, onError) };
      watched.set(runMs, expiring);
    };
    watched.set(runMs, { fence, stop: clock.after(leaseMs, onTimeout) });
  }

  async function armStored(): Promise<void> {
    // Meanwhile a run of the list may have a newer lease, with a higher fence, which stays watched.
    for (const { id, fence } of await leases.list()) if (fence > (watched.get(id)?.fence ?? 0)) arm(id, fence);
  }

  return {
    arm,
    disarm,
    armStored,
    stop() {
      isStopped = true;
      stopLooking();
      for (const runMs of [...watched.keys()]) disarm(runMs);
    },
  };
}
