/** Ctrl-C during an onboarding: the first one stops the current step in an orderly way, the second one exits at once. */
import type { Environment } from '../../environment/environment.ts';

/** `signal` is aborted by the first interrupt. */
export function abortOnInterrupt({ onInterrupt, streams }: Environment): {
  readonly signal: AbortSignal;
  stop(): void;
} {
  const controller = new AbortController();
  const stop = onInterrupt(() => {
    if (controller.signal.aborted) return;
    streams.stderr.write('interrupted: stopping the current step; press Ctrl-C again to exit at once\n');
    controller.abort(new DOMException('interrupted', 'AbortError'));
  });
  return { signal: controller.signal, stop };
}
