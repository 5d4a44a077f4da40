import t from 'tap';
import { watchInterrupts } from '../../src/command-line/interrupts.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

function watchTestInterrupts() {
  const clock = fakeClock();
  const outer = memoryEnvironment({ clock });
  const interrupts = watchInterrupts(outer.environment);
  const state = { ended: false };
  interrupts.ended.then(() => {
    state.ended = true;
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { ...outer, clock, interrupts, state, settle };
}

t.test('a command without a listener ends at the first interrupt', async (t) => {
  const { interrupt, state, settle } = watchTestInterrupts();
  await settle();
  t.equal(state.ended, false);
  interrupt('SIGTERM');
  await settle();
  t.equal(state.ended, true);
});

t.test('a listener gets the first interrupt, and a second Ctrl-C ends at once', async (t) => {
  const { interrupt, interrupts, clock, state, settle } = watchTestInterrupts();
  const received: string[] = [];
  interrupts.environment.onInterrupt((signal) => received.push(signal));
  interrupt();
  await settle();
  t.same(received, ['SIGINT']);
  t.equal(state.ended, false);
  clock.advance(1000);
  interrupt();
  await settle();
  t.equal(state.ended, true);
});

t.test('a Ctrl-C that npm forwards again counts once', async (t) => {
  const { interrupt, interrupts, clock, state, settle } = watchTestInterrupts();
  const received: string[] = [];
  interrupts.environment.onInterrupt((signal) => received.push(signal));
  interrupt();
  clock.advance(50);
  interrupt();
  await settle();
  t.same(received, ['SIGINT']);
  t.equal(state.ended, false);
});

t.test('SIGTERM after Ctrl-C is passed on to the listener', async (t) => {
  const { interrupt, interrupts, clock, state, settle } = watchTestInterrupts();
  const received: string[] = [];
  interrupts.environment.onInterrupt((signal) => received.push(signal));
  interrupt('SIGINT');
  clock.advance(1000);
  interrupt('SIGTERM');
  clock.advance(1000);
  interrupt('SIGTERM');
  await settle();
  t.same(received, ['SIGINT', 'SIGTERM', 'SIGTERM']);
  t.equal(state.ended, false);
});

t.test('a removed listener is not called, and no listener is left', async (t) => {
  const { interrupt, interrupts, listeners, state, settle } = watchTestInterrupts();
  interrupts.environment.onInterrupt(() => t.fail('not to be called'))();
  interrupt();
  await settle();
  t.equal(state.ended, true);
  interrupts.stop();
  t.equal(listeners.size, 0);
});
