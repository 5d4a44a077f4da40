/**
 * Which executors are there. Kept in memory: an executor that waits for work is seen all the time; the store learns of it
 * only when the status changes, so that a waiting executor costs no writes.
 */
import type { Instance } from '../contract/api.ts';
import type { Clock } from '../environment/clock.ts';
import type { InstanceRow } from '../store/control/instances.ts';
import type { Presence } from './wire.ts';

type Sighting = { waiting: number; seenAtMs: number; seenAtMonotonicMs: number; cancelCheck: () => void };

/** See the file's header. */
export type Presences = {
  /** The executor called now. */
  seen(instance: string): void;
  /** It waits for work until the returned function is called. */
  waits(instance: string): () => void;
  of(row: InstanceRow): Presence;
  forget(instance: string): void;
  /** Ends its timers. */
  stop(): void;
};

/** `changed` is told when an executor came or went. */
export type PresenceOptions = {
  readonly clock: Clock;
  readonly awayAfterMs: number;
  readonly changed: (instance: string, seenAtMs: number) => void;
};

/** Starts with nobody seen. */
export function presences(options: PresenceOptions): Presences {
  const { clock } = options;
  const sightings = new Map<string, Sighting>();

  function stamp(sighting: Sighting): void {
    sighting.seenAtMs = clock.nowMs();
    sighting.seenAtMonotonicMs = clock.monotonicMs();
  }

  function isThere(sighting: Sighting | undefined): boolean {
    if (!sighting) return false;
    return sighting.waiting > 0 || clock.monotonicMs() - sighting.seenAtMonotonicMs < options.awayAfterMs;
  }

  function sight(instance: string): Sighting {
    const known = sightings.get(instance);
    const came = !isThere(known);
    const sighting = known ?? { waiting: 0, seenAtMs: 0, seenAtMonotonicMs: 0, cancelCheck: () => {} };
    stamp(sighting);
    sightings.set(instance, sighting);
    if (came) options.changed(instance, sighting.seenAtMs);
    return sighting;
  }

  /** Looks again when the executor may have gone. */
  function checkLater(instance: string, sighting: Sighting): void {
    sighting.cancelCheck();
    sighting.cancelCheck = clock.after(options.awayAfterMs + 1, () => {
      if (sightings.get(instance) === sighting && !isThere(sighting)) options.changed(instance, sighting.seenAtMs);
    });
  }

  function statusOf(row: InstanceRow): Instance['executor_status'] {
    if (isThere(sightings.get(row.id))) return 'REGISTERED';
    return row.epoch === 0 ? 'NEVER_SEEN' : 'AWAY';
  }

  return {
    seen: (instance) => checkLater(instance, sight(instance)),
    waits(instance) {
      const sighting = sight(instance);
      sighting.waiting += 1;
      return () => {
        sighting.waiting -= 1;
        stamp(sighting);
        checkLater(instance, sighting);
      };
    },
    of: (row) => ({
      status: statusOf(row),
      seenAtMs: sightings.get(row.id)?.seenAtMs ?? row.last_seen_at_ms,
    }),
    forget(instance) {
      sightings.get(instance)?.cancelCheck();
      sightings.delete(instance);
    },
    stop() {
      for (const sighting of sightings.values()) sighting.cancelCheck();
    },
  };
}
