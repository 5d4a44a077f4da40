/** Ctrl-C and SIGTERM for a command: the first is the command's to answer, the second Ctrl-C ends at once. */
import type { Environment } from '../environment/environment.ts';

/** npm passes a Ctrl-C on to its child, which has it from the terminal already: two within this time are one. */
const sameInterruptMs = 300;

/** `environment` is for the command; `ended` resolves when the command's own answer is no longer waited for. */
export type Interrupts = { readonly environment: Environment; readonly ended: Promise<void>; stop(): void };

/** Watches the interrupts of `environment`. A command that does not listen ends at the first one. */
export function watchInterrupts(environment: Environment): Interrupts {
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const lastMs = new Map<NodeJS.Signals, number>();

  function interrupted(signal: NodeJS.Signals): void {
    const nowMs = environment.clock.monotonicMs();
    const before = lastMs.get(signal);
    if (before !== undefined && nowMs - before < sameInterruptMs) return;
    lastMs.set(signal, nowMs);
    if (listeners.size === 0 || (signal === 'SIGINT' && before !== undefined)) resolve();
    else for (const listener of [...listeners]) listener(signal);
  }

  function onInterrupt(listener: (signal: NodeJS.Signals) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  return {
    environment: { ...environment, onInterrupt },
    ended: promise,
    stop: environment.onInterrupt(interrupted),
  };
}
