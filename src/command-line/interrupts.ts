/** Ctrl-C and SIGTERM for a command: the first signal is handled by the command, a second Ctrl-C exits at once. */

import type { Environment } from '../environment/environment.ts';
import { Listeners } from '../listeners/listeners.ts';

/** npm forwards a Ctrl-C to its child, which already got it from the terminal: two within this time count as one. */
const sameInterruptMs = 300;

/** `environment` is passed to the command; `ended` resolves when the command is not awaited any longer. */
export type Interrupts = { readonly environment: Environment; readonly ended: Promise<void>; stop(): void };

/** A command without a listener ends at the first interrupt. */
export function watchInterrupts(environment: Environment): Interrupts {
  const listeners = new Listeners<NodeJS.Signals>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const lastMs = new Map<NodeJS.Signals, number>();

  function interrupted(signal: NodeJS.Signals): void {
    const nowMs = environment.clock.monotonicMs();
    const before = lastMs.get(signal);
    if (before !== undefined && nowMs - before < sameInterruptMs) return;
    lastMs.set(signal, nowMs);
    if (listeners.size === 0 || (signal === 'SIGINT' && before !== undefined)) resolve();
    else listeners.notify(signal);
  }

  return {
    environment: { ...environment, onInterrupt: listeners.add },
    ended: promise,
    stop: environment.onInterrupt(interrupted),
  };
}

/** Resolves at the first Ctrl-C or SIGTERM, for commands that run until then. */
export function untilInterrupted({ onInterrupt }: Pick<Environment, 'onInterrupt'>): Promise<'stopped'> {
  return new Promise((resolve) => {
    onInterrupt(() => resolve('stopped'));
  });
}
