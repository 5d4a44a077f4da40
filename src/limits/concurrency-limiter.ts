/** How many at once: tasks that wait for their turn, and slots that are refused when all are taken. */
import { vpError } from '../errors/vp-error.ts';

/** Runs at most `maxRunning` tasks at a time and queues `maxQueued` more; further ones fail with RATE_LIMITED. */
export function createConcurrencyLimiter(
  maxRunning: number,
  maxQueued: number,
): <T>(task: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let runningCount = 0;
  return async (task) => {
    if (runningCount >= maxRunning) {
      if (queue.length >= maxQueued) throw vpError('RATE_LIMITED', { retry_after_s: 5 });
      await new Promise<void>((resolve) => queue.push(resolve));
    } else runningCount += 1;
    try {
      return await task();
    } finally {
      const startNext = queue.shift();
      if (startNext) startNext();
      else runningCount -= 1;
    }
  };
}

/** A counting semaphore. */
export type Slots = {
  /** Returns a function that releases the slot, or undefined when all are taken. */
  take(): (() => void) | undefined;
  countTaken(): number;
};

export function createSlots(limit: number): Slots {
  const takenSlots = new Set<symbol>();
  return {
    take() {
      if (takenSlots.size >= limit) return undefined;
      const slot = Symbol('slot');
      takenSlots.add(slot);
      return () => {
        takenSlots.delete(slot);
      };
    },
    countTaken: () => takenSlots.size,
  };
}
