/**
 * Expiry of leases, in this process's own uptime, never in wall time: a restart gives every lease its full length again, and
 * a jump of the clock ends none.
 */
import type { Clock } from '../../environment/clock.ts';

/** `fence` identifies the lease. */
export type LeaseWatch = {
  /** Starts or renews the watch of a lease. */
  arm(runMs: number, fence: number): void;
  disarm(runMs: number): void;
  stop(): void;
};

/** `onExpired` is called once for each lease that was not renewed in time. */
export function watchLeases(
  clock: Clock,
  leaseMs: number,
  onExpired: (runMs: number, fence: number) => void,
): LeaseWatch {
  const timers = new Map<number, () => void>();

  function disarm(runMs: number): void {
    timers.get(runMs)?.();
    timers.delete(runMs);
  }

  return {
    arm(runMs, fence) {
      disarm(runMs);
      const onTimeout = (): void => {
        timers.delete(runMs);
        onExpired(runMs, fence);
      };
      timers.set(runMs, clock.after(leaseMs, onTimeout));
    },
    disarm,
    stop() {
      for (const runMs of [...timers.keys()]) disarm(runMs);
    },
  };
}
