import type { Clock } from '../../environment/clock.ts';

export type StaggeredAttempts<I, T> = {
  readonly clock: Pick<Clock, 'after'>;
  /** The next attempt begins when one fails, and after this time without an answer. */
  readonly delayMs: number;
  /** `signal` is aborted when another attempt was faster. */
  readonly attempt: (input: I, signal: AbortSignal) => Promise<T>;
  /** Takes results that came too late. */
  readonly discard: (result: T) => unknown;
};

/**
 * Tries `inputs` in order without waiting for those that do not answer, and resolves with the first result; later attempts
 * are aborted. Rejects with an AggregateError in the order of `inputs` when all have failed.
 */
export async function tryStaggered<I, T>(
  inputs: readonly I[],
  { clock, delayMs, attempt, discard }: StaggeredAttempts<I, T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const errors: unknown[] = [];
  const controllers: AbortController[] = [];
  let failures = 0;
  let isOver = false;
  let stopTimer = (): void => undefined;
  const startNext = (): void => {
    stopTimer();
    const index = controllers.length;
    const input = inputs[index];
    if (isOver || input === undefined) return;
    const controller = new AbortController();
    controllers.push(controller);
    stopTimer = clock.after(delayMs, startNext);
    attempt(input, controller.signal).then(
      (result) => {
        if (isOver) return void discard(result);
        isOver = true;
        stopTimer();
        for (const other of controllers) if (other !== controller) other.abort();
        resolve(result);
      },
      (error: unknown) => {
        errors[index] = error;
        failures += 1;
        if (failures < inputs.length) return startNext();
        stopTimer();
        reject(new AggregateError(errors, 'all attempts have failed'));
      },
    );
  };
  startNext();
  return await promise;
}
