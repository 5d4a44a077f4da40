import t from 'tap';
import { pauseUntilAborted } from '../../src/timing/pause.ts';
import { type PollOptions, pollUntil } from '../../src/timing/poll.ts';

/** A clock on which a pause ends at once; it notes them. */
function createPolledClock() {
  let nowMs = 1000;
  const pausesMs: number[] = [];
  const clock: PollOptions<number>['clock'] = {
    monotonicMs: () => nowMs,
    async sleep(delayMs, signal) {
      signal?.throwIfAborted();
      pausesMs.push(delayMs);
      nowMs += delayMs;
    },
  };
  return { clock, pausesMs };
}

t.test('a poll ends with the first accepted value', async (t) => {
  const { clock, pausesMs } = createPolledClock();
  let looks = 0;
  const paused: number[] = [];
  const options = { clock, pauseMs: 100, onPause: (value: number) => void paused.push(value) };
  t.equal(
    await pollUntil(
      options,
      () => ++looks,
      (value) => value === 3,
    ),
    3,
  );
  t.same(
    [pausesMs, paused],
    [
      [100, 100],
      [1, 2],
    ],
  );
});

t.test('it ends with the last value at its time limit, and looks once more then', async (t) => {
  const { clock, pausesMs } = createPolledClock();
  let looks = 0;
  const last = await pollUntil(
    { clock, pauseMs: (value) => value * 100, timeoutMs: 450 },
    async () => ++looks,
    () => false,
  );
  t.equal(last, 4);
  t.same(pausesMs, [100, 200, 150], 'no pause exceeds the limit');
});

t.test('it looks once where there is no time', async (t) => {
  const { clock, pausesMs } = createPolledClock();
  t.equal(
    await pollUntil(
      { clock, pauseMs: 100, timeoutMs: 0 },
      () => 'late',
      () => false,
    ),
    'late',
  );
  t.same(pausesMs, []);
});

t.test('an aborted signal rejects with its reason, and an error of a look is passed on', async (t) => {
  const { clock } = createPolledClock();
  const signal = AbortSignal.abort(new Error('stopping'));
  const never = (): boolean => false;
  await t.rejects(
    pollUntil({ clock, pauseMs: 1, signal }, () => 1, never),
    { message: 'stopping' },
  );
  const look = () => Promise.reject(new Error('no'));
  await t.rejects(pollUntil({ clock, pauseMs: 1 }, look, never), { message: 'no' });
});

t.test('a quiet pause ends when it is aborted', async (t) => {
  const { clock } = createPolledClock();
  await pauseUntilAborted(clock, 5000, AbortSignal.abort());
  t.equal(clock.monotonicMs(), 1000);
});
