import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../environment/clock.ts';
import { pollUntil } from '../../timing/poll.ts';

/** A killed process leaves its lock file behind, which is ignored after this time. Longer than any call takes. */
const staleMs = 40_000;
const pauseMs = 25;

/** Runs `work` while holding `<file>.lock`. */
export async function withFileLock<T>(file: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  await pollUntil({ clock, pauseMs, onPause: () => removeStale(lock, clock) }, () => tryAcquire(lock), Boolean);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryAcquire(lock: string): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function removeStale(lock: string, clock: Clock): void {
  const stats = statSync(lock, { throwIfNoEntry: false });
  if (stats && clock.nowMs() - stats.mtimeMs > staleMs) rmSync(lock, { force: true });
}
