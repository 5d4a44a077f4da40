import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../environment/clock.ts';

/** A process that was killed leaves its lock behind: after so long it counts for nothing. Longer than any call takes. */
const staleMs = 40_000;
const pauseMs = 25;

/** Runs `work` while no other process holds `<file>.lock`. */
export async function withFileLock<T>(file: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  while (!taken(lock)) {
    forgetStale(lock, clock);
    await clock.sleep(pauseMs);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    writeFileSync(lock, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function forgetStale(lock: string, clock: Clock): void {
  const found = statSync(lock, { throwIfNoEntry: false });
  if (found && clock.nowMs() - found.mtimeMs > staleMs) rmSync(lock, { force: true });
}
