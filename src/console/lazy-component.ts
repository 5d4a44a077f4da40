import { type ComponentType, lazy } from 'react';
import { vpError } from '../errors/vp-error.ts';

const pausesMs = [300, 1_000, 3_000];

/** Runs `load` again after a failure, such as a lost connection. Throws CONSOLE_PART_UNREACHABLE after the last attempt. */
export async function loadWithRetry<T>(load: () => Promise<T>, pauses: readonly number[] = pausesMs): Promise<T> {
  for (const pauseMs of pauses) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return load().catch((cause: unknown) => {
    throw vpError('CONSOLE_PART_UNREACHABLE', {}, { cause });
  });
}

/** A component whose script is loaded when it is first rendered. The error boundary of the page tells when it cannot be. */
export function lazyComponent<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazy(() => loadWithRetry(load));
}
