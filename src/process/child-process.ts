/** Child processes that are written to while they run. Stopping one stops everything that it has started. */

import { kill } from 'node:process';
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
  /** Resolves when the process has read it; rejects when it has exited. */
  write(text: string): Promise<void>;
  /** Closes its input, then sends SIGTERM and SIGKILL to its process group, each after a grace period. */
  stop(): Promise<void>;
};

const gracePeriodMs = 2000;
const maxErrorTextLength = 2000;

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
    write: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
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
