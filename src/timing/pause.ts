import type { Clock } from '../environment/clock.ts';

/** Resolves after `delayMs`, or as soon as `signal` is aborted: for loops that look at the signal themselves. */
export async function pauseUntilAborted(
  clock: Pick<Clock, 'sleep'>,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await clock.sleep(delayMs, signal).catch(() => undefined);
}
