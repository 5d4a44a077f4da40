import t from 'tap';
import { WorkLoop, type WorkLoopOptions } from '../../src/timing/work-loop.ts';
import { fakeClock } from '../environment/fake-clock.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function createTestLoop(work: WorkLoopOptions['work']) {
  const clock = fakeClock();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const loop = new WorkLoop({ clock, work, maxWaitMs: 30_000, retryMs: 5_000, onError });
  const advance = async (durationMs: number): Promise<void> => {
    clock.advance(durationMs);
    await turn();
  };
  return { clock, errors, loop, advance };
}

t.test('the work runs at the times that it returns, and at the latest after the longest wait', async (t) => {
  let runs = 0;
  const waits = [1_000, 100_000, 0];
  const { clock, loop, advance } = createTestLoop(async () => clock.nowMs() + (waits[runs++] ?? 100_000));
  loop.wake();
  await turn();
  t.equal(runs, 1);
  await advance(999);
  t.equal(runs, 1);
  await advance(1);
  t.equal(runs, 2);
  await advance(29_999);
  t.equal(runs, 2);
  await advance(1);
  t.equal(runs, 3, 'although more is due only later');
  await advance(9);
  t.equal(runs, 3, 'work that is always due does not spin');
  await advance(1);
  t.equal(runs, 4);
});

t.test('without a time, the work waits until it is woken', async (t) => {
  let runs = 0;
  const { loop, advance } = createTestLoop(async () => {
    runs += 1;
    return undefined;
  });
  loop.wake();
  await turn();
  await advance(1_000_000);
  t.equal(runs, 1);
  loop.wake();
  await turn();
  t.equal(runs, 2);
});

t.test('however often it is woken while it works, it works once more and never twice at once', async (t) => {
  const ends: (() => void)[] = [];
  const { loop } = createTestLoop(
    () =>
      new Promise((resolve) => {
        ends.push(() => resolve(undefined));
      }),
  );
  loop.wake();
  loop.wake();
  loop.wake();
  t.equal(ends.length, 1);
  ends[0]?.();
  await turn();
  t.equal(ends.length, 2);
  ends[1]?.();
  await turn();
  t.equal(ends.length, 2);
});

t.test('an error is reported, and the work runs again later', async (t) => {
  let runs = 0;
  const { errors, loop, advance } = createTestLoop(async () => {
    runs += 1;
    throw new Error(`run ${runs}`);
  });
  loop.wake();
  await turn();
  t.match(errors, [{ message: 'run 1' }]);
  await advance(4_999);
  t.equal(runs, 1);
  await advance(1);
  t.match(errors, [{ message: 'run 1' }, { message: 'run 2' }]);
});

t.test('a stop waits for the current run, reports no error of it, and nothing runs afterwards', async (t) => {
  let runs = 0;
  let fail = (): void => {};
  const { errors, loop, advance } = createTestLoop(() => {
    runs += 1;
    return new Promise((_resolve, reject) => {
      fail = () => reject(new Error('stopped'));
    });
  });
  loop.wake();
  loop.wake();
  let hasStopped = false;
  const stopped = loop.stop().then(() => {
    hasStopped = true;
  });
  await turn();
  t.equal(hasStopped, false);
  t.equal(loop.isStopped, true);
  fail();
  await stopped;
  await advance(1_000_000);
  loop.wake();
  t.equal(runs, 1);
  t.strictSame(errors, []);
});
