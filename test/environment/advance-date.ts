import type { Test } from 'tap';

const systemDateNow = Date.now;
const systemMonotonicNow = performance.now.bind(performance);
let offsetMs = 0;
Date.now = () => systemDateNow() + offsetMs;
performance.now = () => systemMonotonicNow() + offsetMs;

/**
 * Moves `Date.now` and `performance.now` forward by `ms` until the end of the test, for code that takes no clock: the
 * OAuth library and the system clock read the time there. Timers do not change.
 */
export function advanceDate(t: Test, ms: number): void {
  offsetMs += ms;
  t.teardown(() => {
    offsetMs -= ms;
  });
}
