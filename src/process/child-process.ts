/** Child processes that are written to while they run. Stopping one stops everything that it has started. */

import { kill } from 'node:process';
import type { Writable } from 'node:stream';
import { execa } from 'execa';

/** Options of a child process. Its arguments are never read by a shell. */
export type ChildProcessOptions = {
  /** The whole environment: nothing is inherited. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
  onOutput(chunk: Buffer): void;
  /** Called once, when the process has exited or could not be started; `problem` says which. */
  onExit(problem: string): void;
};

export type ChildProcess = {
  readonly pid: number | undefined;
  /**
   * Writes to its input, together with everything else of this turn of the event loop. Returns false, and writes nothing, if
   * the process has exited or leaves too much unread.
   */
  write(text: string): boolean;
  /** Reads no output until {@link resumeOutput}. */
  pauseOutput(): void;
  resumeOutput(): void;
  /** Closes its input, then sends SIGTERM and SIGKILL to its process group, each after a grace period. */
  stop(): Promise<void>;
};

const gracePeriodMs = 2000;
const maxErrorTextLength = 2000;
/** What a process may leave unread of its input. */
const maxUnreadChars = 32 * 1024 * 1024;

/** Starts `file` in a process group of its own, with pipes. Never throws: failures are reported to `onExit`. */
export function startChildProcess(file: string, args: readonly string[], options: ChildProcessOptions): ChildProcess {
  const { variables, cwd, onOutput, onExit } = options;
  const child = execa(file, [...args], {
    env: { ...variables },
    extendEnv: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    detached: true,
    reject: false,
    ...(cwd === undefined ? {} : { cwd }),
  });
  let errorText = '';
  child.stdout.on('data', onOutput);
  child.stderr.on('data', (chunk: Buffer) => {
    errorText = (errorText + chunk.toString('utf8')).slice(-maxErrorTextLength);
  });
  child.stdin.on('error', () => {});
  const exited = child.then((result) => {
    signalGroup(child.pid, 'SIGKILL');
    const reason =
      result.exitCode === undefined ? (result.shortMessage ?? 'it was ended') : `exit code ${result.exitCode}`;
    const lastErrorLine = errorText.trim().split('\n').at(-1)?.slice(0, 200);
    onExit(lastErrorLine ? `${reason}: ${lastErrorLine}` : reason);
  });
  return {
    pid: child.pid,
    write: createBatchedWriter(child.stdin),
    pauseOutput: () => void child.stdout.pause(),
    resumeOutput: () => void child.stdout.resume(),
    async stop() {
      child.stdin.end();
      if (await exitsWithinGracePeriod(exited)) return;
      signalGroup(child.pid, 'SIGTERM');
      if (await exitsWithinGracePeriod(exited)) return;
      signalGroup(child.pid, 'SIGKILL');
      await exitsWithinGracePeriod(exited);
    },
  };
}

/** One system call for all texts of a turn of the event loop, and for all that arrive while the process does not read. */
function createBatchedWriter(stdin: Writable): ChildProcess['write'] {
  let waiting: string[] = [];
  let waitingChars = 0;
  let isScheduled = false;
  const flush = (): void => {
    isScheduled = false;
    if (waiting.length === 0 || !stdin.writable) return;
    const text = waiting.length === 1 ? waiting[0] : waiting.join('');
    waiting = [];
    waitingChars = 0;
    if (stdin.write(text)) return;
    isScheduled = true;
    stdin.once('drain', flush);
  };
  return (text) => {
    if (!stdin.writable || waitingChars + stdin.writableLength + text.length > maxUnreadChars) return false;
    waiting.push(text);
    waitingChars += text.length;
    if (!isScheduled) setImmediate(flush);
    isScheduled = true;
    return true;
  };
}

async function exitsWithinGracePeriod(exited: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, gracePeriodMs, false);
  });
  const inTime = await Promise.race([exited.then(() => true), timedOut]);
  clearTimeout(timer);
  return inTime;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}
