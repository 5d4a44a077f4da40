import { performance } from 'node:perf_hooks';
import { setTimeout as sleepFor } from 'node:timers/promises';

/** Time as a parameter, so that tests of time need no waiting. */
export type Clock = {
  /** Milliseconds since 1970-01-01 UTC; may jump. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start; never jumps. */
  monotonicMs(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason when aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Runs `action` once after `delayMs`; the returned function cancels it. Never keeps the process alive. */
  after(delayMs: number, action: () => void): () => void;
};

/** The machine's clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  async sleep(delayMs, signal) {
    try {
      await sleepFor(delayMs, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
