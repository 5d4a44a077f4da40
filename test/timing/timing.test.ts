import { getEventListeners } from 'node:events';
import t from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { calculateBackoffMs } from '../../src/timing/backoff.ts';
import { repeatEvery } from '../../src/timing/repeat.ts';
import { TimeLimitError, waitAtMost, withTimeout } from '../../src/timing/timeout.ts';
import { fakeClock } from '../environment/fake-clock.ts';

const ticks = () => new Promise((resolve) => setImmediate(resolve));

t.test('a call is aborted after its limit with TimeLimitError', async (t) => {
  const clock = fakeClock();
  let callSignal: AbortSignal | undefined;
  const call = withTimeout({ clock, timeoutMs: 5000 }, (signal) => {
    callSignal = signal;
    return new Promise(() => {});
  });
  clock.advance(5000);
  await t.rejects(call, new TimeLimitError('no answer within 5 s'));
  t.equal(callSignal?.aborted, true);
});

t.test(
  'an aborted call rejects with the caller’s reason, and a call with an aborted signal never starts',
  async (t) => {
    const stop = new AbortController();
    const call = withTimeout({ clock: systemClock, timeoutMs: 5000, signal: stop.signal }, () => new Promise(() => {}));
    stop.abort(new Error('stopping'));
    await t.rejects(call, { message: 'stopping' });
    await t.rejects(
      withTimeout({ clock: systemClock, timeoutMs: 5000, signal: stop.signal }, async () => t.fail('it began')),
      { message: 'stopping' },
    );
  },
);

t.test('a result is passed on, and so is an error', async (t) => {
  t.equal(await withTimeout({ clock: systemClock, timeoutMs: 5000 }, async () => 7), 7);
  await t.rejects(
    withTimeout({ clock: systemClock, timeoutMs: 5000 }, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
});

t.test('a call that has ended leaves no timer and no listener, whichever way it ended', async (t) => {
  const clock = fakeClock();
  const timers = new Set<object>();
  const after: typeof clock.after = (delayMs, action) => {
    const timer = {};
    const cancel = clock.after(delayMs, action);
    timers.add(timer);
    return () => {
      timers.delete(timer);
      cancel();
    };
  };
  const { signal } = new AbortController();
  const ways: ((own: AbortSignal) => Promise<unknown>)[] = [
    async () => 7,
    () => Promise.reject(new Error('no')),
    () => {
      throw new Error('no');
    },
  ];
  for (const work of ways) {
    let own: AbortSignal | undefined;
    const options = { clock: { after }, timeoutMs: 5000, signal };
    await withTimeout(options, (given) => {
      own = given;
      return work(given);
    }).catch(() => undefined);
    t.equal(timers.size, 0);
    t.equal(getEventListeners(signal, 'abort').length, 0);
    t.equal(own?.aborted, false);
  }
});

t.test('a wait ends with the work or the limit, and an error is passed on', async (t) => {
  const clock = fakeClock();
  const waiting = waitAtMost(clock, 1000, new Promise(() => {}));
  clock.advance(1000);
  await waiting;
  await t.rejects(waitAtMost(clock, 1000, Promise.reject(new Error('no'))), { message: 'no' });
});

t.test('the delay doubles up to its limit, and half of it is random', async (t) => {
  const range = { initialMs: 100, maxMs: 1000 };
  t.same(
    [0, 1, 2, 3, 4, 1000].map((attempt) => calculateBackoffMs(range, attempt)),
    [100, 200, 400, 800, 1000, 1000],
  );
  const random = (byte: number) => ({ bytes: () => Buffer.from([byte]) });
  t.equal(calculateBackoffMs(range, 1, random(0)), 100);
  t.equal(calculateBackoffMs(range, 1, random(255)), 200);
});

t.test('repeated work never overlaps, survives errors, and stops', async (t) => {
  const clock = fakeClock();
  const errors: unknown[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const start = (): Promise<void> => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    return gate.promise;
  };
  const stop = repeatEvery(clock, 1000, start, (error) => void errors.push(error));
  clock.advance(1000);
  clock.advance(5000);
  t.equal(gates.length, 1, 'the first run is still going');
  gates[0]?.reject(new Error('once'));
  await ticks();
  t.match(errors, [{ message: 'once' }]);
  clock.advance(1000);
  t.equal(gates.length, 2);
  stop();
  gates[1]?.reject(new Error('stopped'));
  await ticks();
  clock.advance(5000);
  t.same([gates.length, errors.length], [2, 1]);
});
