import type { Clock } from '../../src/environment/clock.ts';

/** A clock that stands still until it is told to go on; `jump` moves only the wall clock. */
export type FakeClock = Clock & { advance(ms: number): void; jump(ms: number): void };

/** Starts at 2026-11-20T14:30:12.345Z. */
export function fakeClock(startMs = Date.UTC(2026, 10, 20, 14, 30, 12, 345)): FakeClock {
  let wallMs = startMs;
  let monotonicMs = 1000;
  let timers: { dueMs: number; action: () => void }[] = [];

  function after(delayMs: number, action: () => void): () => void {
    const timer = { dueMs: monotonicMs + delayMs, action };
    timers.push(timer);
    return () => {
      timers = timers.filter((other) => other !== timer);
    };
  }

  function runDue(): void {
    for (;;) {
      const due = timers.filter((timer) => timer.dueMs <= monotonicMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (!due) return;
      timers = timers.filter((timer) => timer !== due);
      due.action();
    }
  }

  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    after,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const cancel = after(delayMs, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          reject(signal.reason);
        });
      }),
    advance(ms) {
      wallMs += ms;
      monotonicMs += ms;
      runDue();
    },
    jump(ms) {
      wallMs += ms;
    },
  };
}
