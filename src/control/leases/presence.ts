/**
 * Which executors are present. Held in memory: the store is written only when the status changes, so that an executor that
 * waits for work costs no writes.
 */
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
  return new Sightings(options);
}

class Sightings implements PresenceTracker {
  readonly #options: PresenceTrackerOptions;
  readonly #byInstance = new Map<string, Sighting>();
  #isStopped = false;

  constructor(options: PresenceTrackerOptions) {
    this.#options = options;
  }

  recordCall(instance: string): void {
    this.#checkLater(instance, this.#record(instance));
  }

  startWaiting(instance: string): () => void {
    const sighting = this.#record(instance);
    sighting.waitingCalls += 1;
    return () => {
      sighting.waitingCalls -= 1;
      this.#updateLastSeen(sighting);
      this.#checkLater(instance, sighting);
    };
  }

  get(row: InstanceRow): ExecutorPresence {
    const sighting = this.#byInstance.get(row.id);
    const absentStatus = row.epoch === 0 ? 'NEVER_SEEN' : 'AWAY';
    return {
      status: this.#isPresent(sighting) ? 'REGISTERED' : absentStatus,
      lastSeenAtMs: sighting?.lastSeenAtMs ?? row.last_seen_at_ms,
    };
  }

  forget(instance: string): void {
    cancelTimers(this.#byInstance.get(instance));
    this.#byInstance.delete(instance);
  }

  // Calls that were waiting end after it.
  stop(): void {
    this.#isStopped = true;
    for (const sighting of this.#byInstance.values()) cancelTimers(sighting);
  }

  #record(instance: string): Sighting {
    const existing = this.#byInstance.get(instance);
    const hasArrived = !this.#isPresent(existing);
    const sighting = existing ?? createSighting();
    this.#updateLastSeen(sighting);
    this.#byInstance.set(instance, sighting);
    if (hasArrived) this.#storeChange(instance, sighting);
    return sighting;
  }

  #updateLastSeen(sighting: Sighting): void {
    const { clock } = this.#options;
    sighting.lastSeenAtMs = clock.nowMs();
    sighting.lastSeenMonotonicMs = clock.monotonicMs();
  }

  #isPresent(sighting: Sighting | undefined): boolean {
    if (!sighting) return false;
    return sighting.waitingCalls > 0 || this.#computeSilentMs(sighting) < this.#options.awayAfterMs;
  }

  #computeSilentMs(sighting: Sighting): number {
    return this.#options.clock.monotonicMs() - sighting.lastSeenMonotonicMs;
  }

  #storeChange(instance: string, sighting: Sighting): void {
    sighting.cancelStoring();
    if (this.#isStopped) return;
    const { clock, storeChange, onError } = this.#options;
    const store = (): Promise<void> => storeChange(instance, sighting.lastSeenAtMs);
    sighting.cancelStoring = retryUntilDone(clock, retryBackoff, store, onError);
  }

  /** Checks again at the time when the executor may count as away. A call before it starts no timer: the check then follows it. */
  #checkLater(instance: string, sighting: Sighting): void {
    if (this.#isStopped || sighting.isCheckPlanned) return;
    sighting.isCheckPlanned = true;
    const waitMs = this.#options.awayAfterMs + 1 - this.#computeSilentMs(sighting);
    sighting.cancelCheck = this.#options.clock.after(waitMs, () => this.#check(instance, sighting));
  }

  #check(instance: string, sighting: Sighting): void {
    sighting.isCheckPlanned = false;
    if (this.#byInstance.get(instance) !== sighting || sighting.waitingCalls > 0) return;
    if (this.#isPresent(sighting)) this.#checkLater(instance, sighting);
    else this.#storeChange(instance, sighting);
  }
}

function createSighting(): Sighting {
  return {
    ...{ waitingCalls: 0, isCheckPlanned: false, lastSeenAtMs: 0, lastSeenMonotonicMs: 0 },
    ...{ cancelCheck: () => {}, cancelStoring: () => {} },
  };
}

function cancelTimers(sighting: Sighting | undefined): void {
  sighting?.cancelCheck();
  sighting?.cancelStoring();
}
