import t from 'tap';
import { createPresenceTracker } from '../../../src/control/leases/presence.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

function startTracker(fail: (message: string) => void) {
  const clock = fakeClock();
  const stored: number[] = [];
  let timers = 0;
  const presence = createPresenceTracker({
    clock: {
      ...clock,
      after(delayMs, action) {
        timers += 1;
        return clock.after(delayMs, action);
      },
    },
    awayAfterMs: 1000,
    storeChange: async () => void stored.push(clock.monotonicMs()),
    onError: (error) => fail(`${error}`),
  });
  return { clock, stored, presence, countTimers: () => timers };
}

t.test('an executor is away 1 ms after its time, counted from its last call', async (t) => {
  const { clock, stored, presence } = startTracker(t.fail);
  const startMs = clock.monotonicMs();
  presence.recordCall('shop');
  clock.advance(700);
  presence.recordCall('shop');
  clock.advance(999);
  clock.advance(1);
  t.equal(stored.length, 1, 'it has arrived, and is not away yet');
  clock.advance(1);
  t.equal(stored.at(-1), startMs + 1701);
  t.equal(stored.length, 2);
});

t.test('an executor that waits is present until its time after the wait', async (t) => {
  const { clock, stored, presence } = startTracker(t.fail);
  presence.recordCall('shop');
  const endWaiting = presence.startWaiting('shop');
  clock.advance(5000);
  t.equal(stored.length, 1);
  endWaiting();
  clock.advance(999);
  clock.advance(1);
  t.equal(stored.length, 1);
  clock.advance(1);
  t.equal(stored.length, 2);
});

t.test('calls that follow each other share a timer', async (t) => {
  const { clock, presence, countTimers } = startTracker(t.fail);
  for (let count = 0; count < 100; count += 1) {
    presence.recordCall('shop');
    clock.advance(5);
  }
  t.equal(countTimers(), 1);
});
