import { pauseUntilAborted } from '../../timing/pause.ts';
import { constantDelay, retry } from '../../timing/retry.ts';
import type { ExecutorContext } from '../executor-context.ts';

/**
 * Pause between attempts when the store cannot be written, and between failures that would otherwise repeat without
 * delay.
 */
export const retryPauseMs = 500;

/**
 * Runs `work` on the store and retries while it fails: a full disk may get space later, and until a stop nothing is
 * lost. After a stop one failure ends it, and the result is false; the log says so.
 */
export async function retryStoreWrite(
  { clock, stopping, log }: Pick<ExecutorContext, 'clock' | 'stopping' | 'log'>,
  work: () => Promise<void>,
): Promise<boolean> {
  const options = {
    backoff: constantDelay(retryPauseMs),
    shouldRetry: (error: unknown) => {
      log.warn({ problem: String(error) }, 'the store of the executor cannot be written');
      return !stopping.aborted;
    },
    pause: (delayMs: number) => pauseUntilAborted(clock, delayMs, stopping),
  };
  return retry(options, work).then(
    () => true,
    () => false,
  );
}
