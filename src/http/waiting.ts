import { vpError } from '../errors/vp-error.ts';

/**
 * Runs `work` with a signal that is aborted when the caller goes away or the listener closes, for as long as the work
 * lasts. Rejected: AbortSignal.any, which leaves something behind on the listener's signal for every request.
 */
export async function untilGone<T>(
  caller: AbortSignal,
  closing: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const left = (): void => either.abort(caller.reason);
  const shut = (): void => either.abort(vpError('SHUTTING_DOWN', {}));
  if (closing?.aborted) shut();
  else if (caller.aborted) left();
  caller.addEventListener('abort', left);
  closing?.addEventListener('abort', shut);
  try {
    return await work(either.signal);
  } finally {
    caller.removeEventListener('abort', left);
    closing?.removeEventListener('abort', shut);
  }
}
