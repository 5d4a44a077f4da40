import t from 'tap';
import { createConcurrencyLimiter, createSlots } from '../../src/limits/concurrency-limiter.ts';

t.test('tasks beyond the limit are queued, and rejected when the queue is full', async (t) => {
  const runLimited = createConcurrencyLimiter(2, 1);
  const releases: (() => void)[] = [];
  let running = 0;
  const task = (): Promise<void> => {
    running += 1;
    return new Promise((resolve) => releases.push(() => resolve()));
  };
  const results = [runLimited(task), runLimited(task), runLimited(task)];
  t.equal(running, 2);
  await t.rejects(runLimited(task), { code: 'RATE_LIMITED' });
  releases[0]?.();
  await results[0];
  await new Promise(setImmediate);
  t.equal(running, 3, 'the queued task runs');
  for (const release of releases) release();
  await Promise.all(results);
  await runLimited(async () => undefined);
  await t.rejects(
    runLimited(async () => {
      throw new Error('broken');
    }),
    /broken/,
  );
  await runLimited(async () => undefined);
});

t.test('slots are limited, and releasing one twice releases it once', async (t) => {
  const slots = createSlots(2);
  const first = slots.take();
  t.ok(slots.take());
  t.equal(slots.take(), undefined);
  first?.();
  first?.();
  t.equal(slots.countTaken(), 1);
  t.ok(slots.take());
  t.equal(slots.take(), undefined);
});
