/**
 * Expiry of leases, in this process's own uptime, never in wall time: a restart gives every lease its full length again, and
 * a jump of the clock ends none.
 */
import type { Clock } from '../../environment/clock.ts';
import { retryUntilDone } from '../../timing/repeat.ts';

/** `fence` identifies the lease. */
export type LeaseWatch = {
  /** Starts or renews the watch of a lease. */
  arm(runMs: number, fence: number): void;
  disarm(runMs: number): void;
  stop(): void;
};

const retryBackoff = { initialMs: 500, maxMs: 5_000 };

/**
 * `expire` is called for each lease that was not renewed in time, again while it fails: a run that is not ended blocks the
 * queue of its instance.
 */
export function watchLeases(
  clock: Clock,
  leaseMs: number,
  expire: (runMs: number, fence: number) => Promise<void>,
  onError: (error: unknown) => void,
): LeaseWatch {
  const timers = new Map<number, () => void>();
  let isStopped = false;

  function disarm(runMs: number): void {
    timers.get(runMs)?.();
    timers.delete(runMs);
  }

  return {
    arm(runMs, fence) {
      disarm(runMs);
      // A heartbeat may end after it.
      if (isStopped) return;
      const onTimeout = (): void => {
        const work = async (): Promise<void> => {
          await expire(runMs, fence);
          if (timers.get(runMs) === stop) timers.delete(runMs);
        };
        const stop = retryUntilDone(clock, retryBackoff, work, onError);
        timers.set(runMs, stop);
      };
      timers.set(runMs, clock.after(leaseMs, onTimeout));
    },
    disarm,
    stop() {
      isStopped = true;
      for (const runMs of [...timers.keys()]) disarm(runMs);
    },
  };
}
