import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { withFileLock } from '../../../src/commands/login/file-lock.ts';
import { systemClock } from '../../../src/environment/clock.ts';

t.test('holders take turns, and the lock file is removed', async (t) => {
  const file = join(t.testdir(), 'credential');
  let inside = 0;
  let maxInside = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    maxInside = Math.max(maxInside, inside);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside -= 1;
  };
  await Promise.all([1, 2, 3, 4].map(() => withFileLock(file, systemClock, work)));
  t.equal(maxInside, 1);
  await t.rejects(
    withFileLock(file, systemClock, async () => {
      throw new Error('broken');
    }),
    /broken/,
  );
  t.notOk(existsSync(`${file}.lock`));
});

t.test('the lock of a killed process expires', async (t) => {
  const file = join(t.testdir(), 'credential');
  writeFileSync(`${file}.lock`, '');
  const longAgo = Date.now() / 1000 - 60;
  utimesSync(`${file}.lock`, longAgo, longAgo);
  t.equal(await withFileLock(file, systemClock, async () => 'done'), 'done');
});

t.test('a missing folder is an error and does not wait', async (t) => {
  await t.rejects(
    withFileLock(join(t.testdir(), 'no', 'file'), systemClock, async () => undefined),
    { code: 'ENOENT' },
  );
});
