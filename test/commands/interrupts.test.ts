import t from 'tap';
import { watchInterrupts } from '../../src/commands/interrupts.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

function watched() {
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

t.test('a command that does not listen ends at the first interrupt', async (t) => {
  const { interrupt, state, settle } = watched();
  await settle();
  t.equal(state.ended, false);
  interrupt('SIGTERM');
  await settle();
  t.equal(state.ended, true);
});

t.test('a command that listens answers the first, and the second Ctrl-C ends at once', async (t) => {
  const { interrupt, interrupts, clock, state, settle } = watched();
  const heard: string[] = [];
  interrupts.environment.onInterrupt((signal) => heard.push(signal));
  interrupt();
  await settle();
  t.same(heard, ['SIGINT']);
  t.equal(state.ended, false);
  clock.advance(1000);
  interrupt();
  await settle();
  t.equal(state.ended, true);
});

t.test('a Ctrl-C that npm passes on a second time is the same one', async (t) => {
  const { interrupt, interrupts, clock, state, settle } = watched();
  const heard: string[] = [];
  interrupts.environment.onInterrupt((signal) => heard.push(signal));
  interrupt();
  clock.advance(50);
  interrupt();
  await settle();
  t.same(heard, ['SIGINT']);
  t.equal(state.ended, false);
});

t.test('SIGTERM behind Ctrl-C is passed on, not an end', async (t) => {
  const { interrupt, interrupts, clock, state, settle } = watched();
  const heard: string[] = [];
  interrupts.environment.onInterrupt((signal) => heard.push(signal));
  interrupt('SIGINT');
  clock.advance(1000);
  interrupt('SIGTERM');
  clock.advance(1000);
  interrupt('SIGTERM');
  await settle();
  t.same(heard, ['SIGINT', 'SIGTERM', 'SIGTERM']);
  t.equal(state.ended, false);
});

t.test('a listener that stopped counts no longer, and nothing is left behind', async (t) => {
  const { interrupt, interrupts, listeners, state, settle } = watched();
  interrupts.environment.onInterrupt(() => t.fail('not to be called'))();
  interrupt();
  await settle();
  t.equal(state.ended, true);
  interrupts.stop();
  t.equal(listeners.size, 0);
});
