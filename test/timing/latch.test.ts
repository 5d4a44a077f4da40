import { getEventListeners } from 'node:events';
import t from 'tap';
import { Latch } from '../../src/timing/latch.ts';
import { startWait } from '../../src/timing/wait.ts';
import { fakeClock } from '../environment/fake-clock.ts';

/** A latch whose timers are moved by hand. */
function createTestLatch() {
  const timers: { delayMs: number; action: () => void; cancelled: boolean }[] = [];
  const after = (delayMs: number, action: () => void): (() => void) => {
    const timer = { delayMs, action, cancelled: false };
    timers.push(timer);
    return () => {
      timer.cancelled = true;
    };
  };
  return { latch: new Latch({ after }), timers };
}

t.test('an event before the wait ends it at once, until it is reset', async (t) => {
  const { latch, timers } = createTestLatch();
  const { signal } = new AbortController();
  latch.set();
  t.equal(await latch.wait(1000, signal), true);
  t.equal(await latch.wait(1000, signal), true);
  latch.reset();
  const waiting = latch.wait(1000, signal);
  timers[0]?.action();
  t.equal(await waiting, false);
});

t.test('an event during the wait ends it, and no listener is left', async (t) => {
  const { latch, timers } = createTestLatch();
  const { signal } = new AbortController();
  const waiting = latch.wait(1000, signal);
  latch.set();
  t.equal(await waiting, true);
  t.match(timers, [{ delayMs: 1000, cancelled: true }]);
  t.equal(getEventListeners(signal, 'abort').length, 0);
});

t.test('a disconnecting reader ends the wait', async (t) => {
  const { latch } = createTestLatch();
  const controller = new AbortController();
  const waiting = latch.wait(1000, controller.signal);
  controller.abort();
  t.equal(await waiting, false);
  t.equal(await latch.wait(1000, controller.signal), false);
});

t.test('a wait ends early, by its time limit or by its signal', async (t) => {
  const clock = fakeClock();
  const early = startWait(clock, 1000);
  early.end();
  t.equal(await early.ended, true);
  const late = startWait(clock, 1000);
  clock.advance(1000);
  t.equal(await late.ended, false);
  const controller = new AbortController();
  const aborted = startWait(clock, 1000, controller.signal);
  controller.abort();
  t.equal(await aborted.ended, false);
  t.equal(await startWait(clock, 1000, controller.signal).ended, false);
  t.equal(getEventListeners(controller.signal, 'abort').length, 0);
});
