/** The time of a control plane, on a machine whose clock jumps. */
import fc from 'fast-check';
import t from 'tap';
import { type ClockJump, createSteadyClock, type StoredClockState } from '../../src/timing/steady-clock.ts';
import { fakeClock } from '../environment/fake-clock.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

function createTestClock(stored?: StoredClockState, isConfirmed = false, startMs?: number) {
  const machine = fakeClock(startMs);
  const changes: (ClockJump | undefined)[] = [];
  const steady = createSteadyClock(machine, { stored, isConfirmed, onChange: (jump) => changes.push(jump) });
  return { machine, steady, changes };
}

t.test('corrections of minutes are followed and unsettle nothing', async (t) => {
  const { machine, steady, changes } = createTestClock();
  for (const byMs of [4 * minuteMs, -4 * minuteMs, 30]) {
    machine.jump(byMs);
    machine.advance(1000);
    t.equal(steady.nowMs(), machine.nowMs());
    t.equal(steady.isSettled(), true);
  }
  t.strictSame(changes, []);
});

t.test('a jump of 500 days is not followed, and leaves no trace when the clock goes back', async (t) => {
  const { machine, steady, changes } = createTestClock();
  const startMs = machine.nowMs();
  machine.jump(500 * dayMs);
  machine.advance(5000);
  t.equal(steady.nowMs(), startMs + 5000);
  t.match(steady.findJump(), { byMs: 500 * dayMs, isFollowed: false, waitMs: dayMs });
  machine.jump(-500 * dayMs);
  t.equal(steady.nowMs(), startMs + 5000);
  t.equal(steady.isSettled(), true);
  t.equal(changes.length, 2, 'told when it jumped and when it settled');
});

t.test('a clock in 1973 is not followed', async (t) => {
  const { machine, steady } = createTestClock();
  const startMs = machine.nowMs();
  machine.jump(Date.UTC(1973, 0, 1) - startMs);
  t.equal(steady.nowMs(), startMs);
  t.equal(steady.isSettled(), false);
});

t.test('a jump that a sleeping machine explains is followed, and settles after half an hour', async (t) => {
  const { machine, steady } = createTestClock();
  machine.jump(3 * dayMs);
  t.equal(steady.nowMs(), machine.nowMs());
  t.equal(steady.isSettled(), false);
  machine.advance(29 * minuteMs);
  t.equal(steady.isSettled(), false);
  machine.advance(2 * minuteMs);
  t.equal(steady.isSettled(), true);
});

t.test('the limits of what is followed are those that the guarantees name', async (t) => {
  const jump = (byMs: number) => {
    const { machine, steady } = createTestClock();
    machine.jump(byMs);
    return steady.findJump()?.isFollowed;
  };
  t.equal(jump(6 * minuteMs), true, 'a correction is no longer than five minutes');
  t.equal(jump(31 * dayMs - minuteMs), true);
  t.equal(jump(31 * dayMs + minuteMs), false);
  t.equal(jump(-dayMs + minuteMs), true);
  t.equal(jump(-dayMs - minuteMs), false);
  const nowMs = fakeClock().nowMs();
  const start = (sinceMs: number) =>
    createTestClock({ trustedMs: nowMs - sinceMs, candidateMs: null, agreedMs: 0 }).steady.findJump()?.isFollowed;
  t.equal(start(366 * dayMs - minuteMs), true);
  t.equal(start(366 * dayMs + minuteMs), false);
  t.equal(start(-dayMs + minuteMs), true);
  t.equal(start(-dayMs - minuteMs), false);
});

t.test('a jump back of two days is not followed at once, and accepted after half an hour of agreement', async (t) => {
  const { machine, steady } = createTestClock();
  machine.jump(-2 * dayMs);
  t.match(steady.findJump(), { isFollowed: false, waitMs: 30 * minuteMs });
  machine.advance(29 * minuteMs);
  t.equal(steady.isSettled(), false);
  t.not(steady.nowMs(), machine.nowMs());
  machine.advance(2 * minuteMs);
  t.equal(steady.isSettled(), true);
  t.equal(steady.nowMs(), machine.nowMs());
});

t.test('a long jump is accepted after a day of agreement, and each further jump begins it anew', async (t) => {
  const { machine, steady } = createTestClock();
  machine.jump(-100 * dayMs);
  t.equal(steady.isSettled(), false);
  machine.advance(dayMs - minuteMs);
  t.equal(steady.isSettled(), false);
  machine.jump(-100 * dayMs);
  machine.advance(2 * minuteMs);
  t.equal(steady.isSettled(), false);
  t.not(steady.nowMs(), machine.nowMs());
  machine.advance(dayMs);
  t.equal(steady.isSettled(), true);
  t.equal(steady.nowMs(), machine.nowMs());
});

t.test('the last time of an earlier process is the floor of the next one', async (t) => {
  const nowMs = fakeClock().nowMs();
  const since = (ms: number) => createTestClock({ trustedMs: nowMs - ms, candidateMs: null, agreedMs: 0 }).steady;
  t.equal(since(minuteMs).isSettled(), true);
  t.match(since(200 * dayMs).findJump(), { isFollowed: true, waitMs: dayMs }, 'it may just not have been started');
  t.match(since(500 * dayMs).findJump(), { isFollowed: false });
  t.match(since(-2 * dayMs).findJump(), { isFollowed: false });
  t.equal(since(-2 * dayMs).nowMs(), nowMs + 2 * dayMs, 'time does not go back');
});

t.test('short sessions settle a jump together', async (t) => {
  let stored: StoredClockState = { trustedMs: fakeClock().nowMs() - 10 * dayMs, candidateMs: null, agreedMs: 0 };
  const session = (): boolean => {
    const startMs = stored.candidateMs === null ? undefined : stored.candidateMs + dayMs;
    const { machine, steady } = createTestClock(stored, false, startMs);
    machine.advance(20 * minuteMs);
    const isSettled = steady.isSettled();
    stored = steady.toStored();
    return isSettled;
  };
  t.equal(session(), false);
  t.match(stored, { agreedMs: 20 * minuteMs });
  t.equal(session(), true);
  t.match(stored, { candidateMs: null, agreedMs: 0 });
});

t.test('an operator can confirm the clock', async (t) => {
  const { machine, steady } = createTestClock({ trustedMs: 5, candidateMs: null, agreedMs: 0 }, true);
  t.equal(steady.isSettled(), true);
  t.equal(steady.nowMs(), machine.nowMs());
});

t.test('a machine that started in 1970 is corrected at once', async (t) => {
  const machine = fakeClock(0);
  const steady = createSteadyClock(machine);
  t.equal(steady.nowMs(), 0);
  machine.jump(Date.UTC(2026, 10, 22));
  t.equal(steady.nowMs(), machine.nowMs());
  t.equal(steady.isSettled(), true);
});

t.test(
  'whatever the clock does, a settled time is never further than its agreement from the last settled one',
  async () => {
    const step = fc.record({
      jumpMs: fc.oneof(fc.constant(0), fc.integer({ min: -1000 * dayMs, max: 1000 * dayMs })),
      advanceMs: fc.integer({ min: 0, max: 2 * dayMs }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const { machine, steady } = createTestClock(undefined, false, Date.UTC(2200, 0, 1));
        let settled = { wallMs: steady.nowMs(), monotonicMs: steady.monotonicMs() };
        for (const { jumpMs, advanceMs } of steps) {
          const wasSettled = steady.isSettled();
          machine.jump(jumpMs);
          if (wasSettled && steady.isSettled() && Math.abs(jumpMs) > 5 * minuteMs) return false;
          machine.advance(advanceMs);
          if (!steady.isSettled()) continue;
          const elapsedMs = steady.monotonicMs() - settled.monotonicMs;
          const differenceMs = Math.abs(steady.nowMs() - settled.wallMs - elapsedMs);
          if (differenceMs > 10 * minuteMs && elapsedMs < 30 * minuteMs) return false;
          settled = { wallMs: steady.nowMs(), monotonicMs: steady.monotonicMs() };
        }
        return true;
      }),
    );
  },
);
