/**
 * When leases end. Counted in this process's own uptime, never in wall time: a restart gives every lease its full length
 * again, and a jump of the clock ends none.
 */
import type { Clock } from '../environment/clock.ts';

/** See the file's header. `fence` names the lease. */
export type LeaseWatch = {
  /** Starts or renews. */
  arm(runMs: number, fence: number): void;
  disarm(runMs: number): void;
  stop(): void;
};

/** `expired` is called once for each lease that was not renewed in time. */
export function watchLeases(
  clock: Clock,
  leaseMs: number,
  expired: (runMs: number, fence: number) => void,
): LeaseWatch {
  const timers = new Map<number, () => void>();

  function disarm(runMs: number): void {
    timers.get(runMs)?.();
    timers.delete(runMs);
  }

  return {
    arm(runMs, fence) {
      disarm(runMs);
      const end = (): void => {
        timers.delete(runMs);
        expired(runMs, fence);
      };
      timers.set(runMs, clock.after(leaseMs, end));
    },
    disarm,
    stop() {
      for (const runMs of [...timers.keys()]) disarm(runMs);
    },
  };
}
