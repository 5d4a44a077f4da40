/**
 * Which executors are present. Held in memory: the store is written only when the status changes, so that an executor that
 * waits for work costs no writes.
 */
import type { Instance } from '../../contract/api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { InstanceRow } from '../../store/control/instances/instances.ts';
import { retryUntilDone } from '../../timing/repeat.ts';
import type { ExecutorPresence } from '../wire.ts';

type Sighting = {
  waitingCalls: number;
  isCheckPlanned: boolean;
  lastSeenAtMs: number;
  lastSeenMonotonicMs: number;
  cancelCheck: () => void;
  cancelStoring: () => void;
};

const retryBackoff = { initialMs: 500, maxMs: 5_000 };

export type PresenceTracker = {
  /** The executor made a call. */
  recordCall(instance: string): void;
  /** The executor waits for work until the returned function is called. */
  startWaiting(instance: string): () => void;
  get(row: InstanceRow): ExecutorPresence;
  forget(instance: string): void;
  /** Stops all timers. */
  stop(): void;
};

/** `storeChange` is called when an executor appears or goes away, again while it fails. */
export type PresenceTrackerOptions = {
  readonly clock: Clock;
  readonly awayAfterMs: number;
  readonly storeChange: (instance: string, lastSeenAtMs: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
};

export function createPresenceTracker(options: PresenceTrackerOptions): PresenceTracker {
  const { clock } = options;
  const sightings = new Map<string, Sighting>();
  let isStopped = false;

  function updateLastSeen(sighting: Sighting): void {
    sighting.lastSeenAtMs = clock.nowMs();
    sighting.lastSeenMonotonicMs = clock.monotonicMs();
  }

  function isPresent(sighting: Sighting | undefined): boolean {
    if (!sighting) return false;
    return sighting.waitingCalls > 0 || clock.monotonicMs() - sighting.lastSeenMonotonicMs < options.awayAfterMs;
  }

  function storeChange(instance: string, sighting: Sighting): void {
    sighting.cancelStoring();
    if (isStopped) return;
    const store = (): Promise<void> => options.storeChange(instance, sighting.lastSeenAtMs);
    sighting.cancelStoring = retryUntilDone(clock, retryBackoff, store, options.onError);
  }

  function cancelAll(sighting: Sighting | undefined): void {
    sighting?.cancelCheck();
    sighting?.cancelStoring();
  }

  function recordSighting(instance: string): Sighting {
    const existing = sightings.get(instance);
    const hasArrived = !isPresent(existing);
    const sighting = existing ?? {
      ...{ waitingCalls: 0, isCheckPlanned: false, lastSeenAtMs: 0, lastSeenMonotonicMs: 0 },
      ...{ cancelCheck: () => {}, cancelStoring: () => {} },
    };
    updateLastSeen(sighting);
    sightings.set(instance, sighting);
    if (hasArrived) storeChange(instance, sighting);
    return sighting;
  }

  /** Checks again at the time when the executor may count as away. A call before it starts no timer: the check then follows it. */
  function checkLater(instance: string, sighting: Sighting): void {
    if (isStopped || sighting.isCheckPlanned) return;
    sighting.isCheckPlanned = true;
    const silentMs = clock.monotonicMs() - sighting.lastSeenMonotonicMs;
    sighting.cancelCheck = clock.after(options.awayAfterMs + 1 - silentMs, () => {
      sighting.isCheckPlanned = false;
      if (sightings.get(instance) !== sighting || sighting.waitingCalls > 0) return;
      if (isPresent(sighting)) checkLater(instance, sighting);
      else storeChange(instance, sighting);
    });
  }

  function getStatus(row: InstanceRow): Instance['executor_status'] {
    if (isPresent(sightings.get(row.id))) return 'REGISTERED';
    return row.epoch === 0 ? 'NEVER_SEEN' : 'AWAY';
  }

  return {
    recordCall: (instance) => checkLater(instance, recordSighting(instance)),
    startWaiting(instance) {
      const sighting = recordSighting(instance);
      sighting.waitingCalls += 1;
      return () => {
        sighting.waitingCalls -= 1;
        updateLastSeen(sighting);
        checkLater(instance, sighting);
      };
    },
    get: (row) => ({
      status: getStatus(row),
      lastSeenAtMs: sightings.get(row.id)?.lastSeenAtMs ?? row.last_seen_at_ms,
    }),
    forget(instance) {
      cancelAll(sightings.get(instance));
      sightings.delete(instance);
    },
    // Calls that were waiting end after it.
    stop() {
      isStopped = true;
      for (const sighting of sightings.values()) cancelAll(sighting);
    },
  };
}
