import { vpError } from '../errors/vp-error.ts';

/** Lets `atOnce` pieces of work run at a time and `waiting` more wait; the rest is refused with RATE_LIMITED. */
export function createTurns(atOnce: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw vpError('RATE_LIMITED', { retry_after_s: 5 });
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
