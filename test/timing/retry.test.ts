import t from 'tap';
import { constantDelay, type RetryOptions, retry } from '../../src/timing/retry.ts';

/** Attempts fail as often as `failures` says; the pauses between them are noted. */
function createAttempts(failures: number, changes: Partial<RetryOptions> = {}) {
  const delaysMs: number[] = [];
  let count = 0;
  const options: RetryOptions = {
    backoff: { initialMs: 100, maxMs: 300 },
    shouldRetry: () => true,
    pause: async (delayMs) => void delaysMs.push(delayMs),
    ...changes,
  };
  const attempt = async (): Promise<number> => {
    count += 1;
    if (count <= failures) throw new Error(`attempt ${count}`);
    return count;
  };
  return { delaysMs, run: () => retry(options, attempt) };
}

t.test('an attempt is repeated with growing pauses until it succeeds', async (t) => {
  const { delaysMs, run } = createAttempts(4);
  t.equal(await run(), 5);
  t.same(delaysMs, [100, 200, 300, 300]);
});

t.test('the last error is passed on where no retry is wanted', async (t) => {
  const { delaysMs, run } = createAttempts(9, { shouldRetry: (_error, failures) => failures < 3 });
  await t.rejects(run(), { message: 'attempt 3' });
  t.equal(delaysMs.length, 2);
});

t.test('what a pause throws ends the attempts', async (t) => {
  const { run } = createAttempts(9, { pause: () => Promise.reject(new Error('stopping')) });
  await t.rejects(run(), { message: 'stopping' });
});

t.test('pauses can be the same each time, and can depend on the error', async (t) => {
  const seen: string[] = [];
  const pause = async (delayMs: number, error: unknown) => void seen.push(`${delayMs} ${String(error)}`);
  await createAttempts(2, { backoff: constantDelay(50), pause }).run();
  t.same(seen, ['50 Error: attempt 1', '50 Error: attempt 2']);
});
