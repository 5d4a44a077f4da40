import type { Clock } from '../environment/clock.ts';

/** Without `timeoutMs`, only the signal ends the looks. */
export type PollOptions<T> = {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  /** Between two looks. */
  readonly pauseMs: number | ((value: T) => number);
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with a value that is not the last one. */
  readonly onPause?: (value: T) => void;
};

/**
 * Calls `look` until `isDone` accepts its value or the time is over. Resolves with the last value, accepted or not. Rejects with
 * what `look` throws, and with the reason of a signal that is aborted in a pause.
 */
export async function pollUntil<T>(
  { clock, pauseMs, timeoutMs = Number.POSITIVE_INFINITY, signal, onPause }: PollOptions<T>,
  look: () => Promise<T> | T,
  isDone: (value: T) => boolean,
): Promise<T> {
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const value = await look();
    const remainingMs = deadlineMs - clock.monotonicMs();
    if (isDone(value) || remainingMs <= 0) return value;
    onPause?.(value);
    await clock.sleep(Math.min(remainingMs, typeof pauseMs === 'number' ? pauseMs : pauseMs(value)), signal);
  }
}
