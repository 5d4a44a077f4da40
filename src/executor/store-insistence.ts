import type { ExecutorParts } from './session.ts';

/** Pause where the store cannot be written, and where trouble would otherwise be repeated at full speed. */
export const troublePauseMs = 500;

/**
 * Does `work` on the store, again and again while it fails: a full disk may have room later, and until a stop nothing is
 * lost. After a stop one failure ends it, told in the log.
 */
export async function insistOnStore(
  { clock, stopping, log }: Pick<ExecutorParts, 'clock' | 'stopping' | 'log'>,
  work: () => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      log.warn({ problem: String(error) }, 'the store of the executor cannot be written');
      if (stopping.aborted) return;
      await clock.sleep(troublePauseMs, stopping).catch(() => {});
    }
  }
}
