/** Ctrl-C during an onboarding: the first one ends the step in hand in order, the second one ends at once. */
import type { Environment } from '../../environment/environment.ts';

/** `signal` is aborted by the first interruption. */
export function interruption({ onInterrupt, streams }: Environment): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const stop = onInterrupt(() => {
    if (controller.signal.aborted) return;
    streams.stderr.write('interrupted: ending the step in hand; Ctrl-C again ends at once\n');
    controller.abort(new DOMException('interrupted', 'AbortError'));
  });
  return { signal: controller.signal, stop };
}
