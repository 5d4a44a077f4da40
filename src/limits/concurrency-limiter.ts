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
