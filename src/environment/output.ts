/** Output that ends before the program does: its reader leaves (`vp run | head -1`), or the disk behind it is full. */
import type { Environment } from './environment.ts';

/** What is used of a standard stream. */
export type WatchedStream = { on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown };

/** What has become of standard output and standard error so far. */
export type OutputWatch = {
  /** Somebody who read one of the two has left. */
  readonly left: boolean;
  /** Why standard output takes nothing more, when it is not that. */
  readonly fault: NodeJS.ErrnoException | undefined;
  /** Calls `listener` when either comes true, once; the returned function stops that. */
  onEnd(listener: () => void): () => void;
};

const leaving = new Set(['EPIPE', 'ECONNRESET', 'EOF']);

/** Watches from now on. A log that cannot be written (standard error on a full disk) is no reason to end. */
export function watchOutput(stdout: WatchedStream, stderr: WatchedStream): OutputWatch {
  const listeners = new Set<() => void>();
  const state: { left: boolean; fault: NodeJS.ErrnoException | undefined } = { left: false, fault: undefined };
  const ended = (error: NodeJS.ErrnoException, isStdout: boolean): void => {
    if (state.left || state.fault) return;
    if (leaving.has(error.code ?? '')) state.left = true;
    else if (isStdout) state.fault = error;
    else return;
    for (const listener of [...listeners]) listener();
  };
  stdout.on('error', (error) => ended(error, true));
  stderr.on('error', (error) => ended(error, false));
  const onEnd = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get left() {
      return state.left;
    },
    get fault() {
      return state.fault;
    },
    onEnd,
  };
}

/** The environment in which the end of output is an interrupt like any other, named SIGPIPE. */
export function heedingOutput(environment: Environment, output: OutputWatch): Environment {
  return {
    ...environment,
    onInterrupt(listener) {
      const stops = [environment.onInterrupt(listener), output.onEnd(() => listener('SIGPIPE'))];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
