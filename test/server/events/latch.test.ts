import { getEventListeners } from 'node:events';
import t from 'tap';
import { createLatch } from '../../../src/server/events/latch.ts';

/** A latch whose source and timers are moved by hand. */
function byHand() {
  let happen: () => void = () => t.fail('nobody listens');
  const timers: { delayMs: number; action: () => void; cancelled: boolean }[] = [];
  const after = (delayMs: number, action: () => void): (() => void) => {
    const timer = { delayMs, action, cancelled: false };
    timers.push(timer);
    return () => {
      timer.cancelled = true;
    };
  };
  let stopped = false;
  const made = createLatch(
    (listener) => {
      happen = listener;
      return () => {
        stopped = true;
      };
    },
    { after },
  );
  return { latch: made, happen: () => happen(), timers, isStopped: () => stopped };
}

t.test('an event before the wait ends it at once, until it is reset', async (t) => {
  const { latch, happen, timers } = byHand();
  const { signal } = new AbortController();
  happen();
  t.equal(await latch.wait(1000, signal), true);
  t.equal(await latch.wait(1000, signal), true);
  latch.reset();
  const waiting = latch.wait(1000, signal);
  timers[0]?.action();
  t.equal(await waiting, false);
});

t.test('an event during the wait ends it, and no listener is left', async (t) => {
  const { latch, happen, timers } = byHand();
  const { signal } = new AbortController();
  const waiting = latch.wait(1000, signal);
  happen();
  t.equal(await waiting, true);
  t.match(timers, [{ delayMs: 1000, cancelled: true }]);
  t.equal(getEventListeners(signal, 'abort').length, 0);
});

t.test('a disconnecting reader ends the wait', async (t) => {
  const { latch, isStopped } = byHand();
  const controller = new AbortController();
  const waiting = latch.wait(1000, controller.signal);
  controller.abort();
  t.equal(await waiting, false);
  t.equal(await latch.wait(1000, controller.signal), false);
  latch.stop();
  t.ok(isStopped());
});
