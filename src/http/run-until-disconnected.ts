import { vpError } from '../errors/vp-error.ts';

/**
 * Runs `work` with a signal that is aborted when the caller disconnects or the listener closes. Rejected: AbortSignal.any,
 * which leaks memory on the listener's signal with every request.
 */
export async function runUntilDisconnected<T>(
  callerSignal: AbortSignal,
  closingSignal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onCallerAbort = (): void => controller.abort(callerSignal.reason);
  const onClosing = (): void => controller.abort(vpError('SHUTTING_DOWN', {}));
  if (closingSignal?.aborted) onClosing();
  else if (callerSignal.aborted) onCallerAbort();
  callerSignal.addEventListener('abort', onCallerAbort);
  closingSignal?.addEventListener('abort', onClosing);
  try {
    return await work(controller.signal);
  } finally {
    callerSignal.removeEventListener('abort', onCallerAbort);
    closingSignal?.removeEventListener('abort', onClosing);
  }
}
