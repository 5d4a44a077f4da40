/** The limits of a call, on a clock of the test. */
import t from 'tap';
import { Deadline } from '../../../src/hub/upstream/deadline.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

const timeouts = { idleMs: 1000, totalMs: 3500 };

t.test('progress restarts the idle limit, without a timer of its own, and not the total limit', async (t) => {
  const clock = fakeClock();
  let timers = 0;
  const counting = {
    monotonicMs: () => clock.monotonicMs(),
    after(delayMs: number, action: () => void) {
      timers += 1;
      return clock.after(delayMs, action);
    },
  };
  const deadline = new Deadline(counting, timeouts, new AbortController().signal);
  for (let elapsedMs = 0; elapsedMs < 3400; elapsedMs += 100) {
    clock.advance(100);
    t.notOk(deadline.expired, `after ${elapsedMs + 100} ms`);
    deadline.touch();
  }
  t.ok(timers <= 6, 'one for each second, not for each message');
  clock.advance(99);
  t.notOk(deadline.expired);
  clock.advance(1);
  t.ok(deadline.expired);
  t.ok(deadline.signal.aborted);
});

t.test('silence ends a call at its idle limit, counted from the last message', async (t) => {
  const clock = fakeClock();
  const deadline = new Deadline(clock, timeouts, new AbortController().signal);
  clock.advance(700);
  deadline.touch();
  clock.advance(999);
  t.notOk(deadline.expired);
  clock.advance(1);
  t.ok(deadline.expired);
});

t.test('the time of a question does not count as silence, but towards the total limit', async (t) => {
  const clock = fakeClock();
  const deadline = new Deadline(clock, timeouts, new AbortController().signal);
  clock.advance(900);
  const question = Promise.withResolvers<string>();
  const answer = deadline.pauseDuring(() => question.promise);
  clock.advance(2000);
  t.notOk(deadline.expired);
  question.resolve('yes');
  t.equal(await answer, 'yes');
  clock.advance(599);
  t.notOk(deadline.expired, 'silence counts from the answer');
  clock.advance(1);
  t.ok(deadline.expired, 'the total limit');
});

t.test('a call that has ended, or whose caller has left, does not expire', async (t) => {
  const clock = fakeClock();
  const caller = new AbortController();
  const ended = new Deadline(clock, timeouts, caller.signal);
  ended.dispose();
  const left = new Deadline(clock, timeouts, caller.signal);
  caller.abort(new Error('gone'));
  t.ok(left.signal.aborted);
  t.notOk(ended.signal.aborted);
  left.dispose();
  clock.advance(10_000);
  t.notOk(ended.expired);
  t.notOk(left.expired);
});
