/**
 * Times and random numbers that an operation reads: the first pass records them, and later passes get the same ones. A pass is
 * synchronous, so the recording of the operation that is running is the current one.
 */
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';

/** Of one operation. */
export type Recording = {
  /** Runs a pass from its start. */
  during<T>(pass: () => T): T;
};

type Values = { readonly recorded: unknown[]; position: number };

let current: Values | undefined;

function whileCurrent<T>(values: Values | undefined, action: () => T): T {
  const outer = current;
  current = values;
  try {
    return action();
  } finally {
    current = outer;
  }
}

export function createRecording(): Recording {
  const recorded: unknown[] = [];
  return { during: (pass) => whileCurrent({ recorded, position: 0 }, pass) };
}

/** The value that the operation got here in its first pass; outside of an operation, a new one. */
function repeat<T>(produce: () => T): T {
  const values = current;
  if (!values) return produce();
  const { recorded, position } = values;
  values.position += 1;
  if (position >= recorded.length) recorded.push(whileCurrent(undefined, produce));
  return recorded[position] as T;
}

/** For everything that takes part in operations. */
export function createRepeatableClock<C extends Pick<Clock, 'nowMs' | 'monotonicMs'>>(clock: C): C {
  return { ...clock, nowMs: () => repeat(() => clock.nowMs()), monotonicMs: () => repeat(() => clock.monotonicMs()) };
}

export function createRepeatableRandom(random: Random): Random {
  return {
    bytes: (size) => repeat(() => random.bytes(size)),
    token: (size) => repeat(() => random.token(size)),
  };
}
