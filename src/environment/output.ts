/** Output that ends before the program does: its reader leaves (`vp run | head -1`), or the disk behind it is full. */
import { Listeners } from '../listeners/listeners.ts';
import type { Environment } from './environment.ts';

/** What is used of a standard stream. */
export type ErrorEmittingStream = { on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown };

/** What has become of standard output and standard error so far. */
export type OutputMonitor = {
  /** Somebody who read one of the two has left. */
  readonly isReaderGone: boolean;
  /** Why standard output takes nothing more, when it is not that. */
  readonly writeError: NodeJS.ErrnoException | undefined;
  /** Calls `listener` when either comes true, once; the returned function stops that. */
  onClosed(listener: () => void): () => void;
};

const readerGoneCodes = new Set(['EPIPE', 'ECONNRESET', 'EOF']);

/** Watches from now on. A log that cannot be written (standard error on a full disk) is no reason to end. */
export function monitorOutput(stdout: ErrorEmittingStream, stderr: ErrorEmittingStream): OutputMonitor {
  const listeners = new Listeners();
  const state: { isReaderGone: boolean; writeError: NodeJS.ErrnoException | undefined } = {
    isReaderGone: false,
    writeError: undefined,
  };
  const handleError = (error: NodeJS.ErrnoException, isStdout: boolean): void => {
    if (state.isReaderGone || state.writeError) return;
    if (readerGoneCodes.has(error.code ?? '')) state.isReaderGone = true;
    else if (isStdout) state.writeError = error;
    else return;
    listeners.notify();
  };
  stdout.on('error', (error) => handleError(error, true));
  stderr.on('error', (error) => handleError(error, false));
  return {
    get isReaderGone() {
      return state.isReaderGone;
    },
    get writeError() {
      return state.writeError;
    },
    onClosed: listeners.add,
  };
}

/** The environment in which the end of output is an interrupt like any other, named SIGPIPE. */
export function withOutputInterrupt(environment: Environment, output: OutputMonitor): Environment {
  return {
    ...environment,
    onInterrupt(listener) {
      const stops = [environment.onInterrupt(listener), output.onClosed(() => listener('SIGPIPE'))];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}
