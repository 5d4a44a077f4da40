/** Starts another program that is talked to while it runs, and ends it with all that it started. */
import { kill } from 'node:process';
import { execa } from 'execa';

/** How it is started. Its words are never read by a shell. */
export type ChildOptions = {
  /** All that its environment holds. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string | undefined;
  onOutput(chunk: Buffer): void;
  /** Called once, when it has ended or could not be started; `problem` is told of both. */
  onEnd(problem: string): void;
};

/** A program that runs. */
export type ChildProgram = {
  readonly pid: number | undefined;
  /** Resolves when the program has taken it; rejects when it has ended. */
  write(text: string): Promise<void>;
  /** Closes its input, then asks, then forces its whole group to end; resolves when it has. */
  end(): Promise<void>;
};

const patienceMs = 2000;
const keptErrorText = 2000;

/** Starts `file` in a group of its own, with pipes; never throws, see `onEnd`. */
export function startProgram(file: string, words: readonly string[], options: ChildOptions): ChildProgram {
  const { variables, cwd, onOutput, onEnd } = options;
  const child = execa(file, [...words], {
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
    errorText = (errorText + chunk.toString('utf8')).slice(-keptErrorText);
  });
  child.stdin.on('error', () => {});
  const ended = child.then((result) => {
    signalGroup(child.pid, 'SIGKILL');
    const how =
      result.exitCode === undefined ? (result.shortMessage ?? 'it was ended') : `exit code ${result.exitCode}`;
    const last = errorText.trim().split('\n').at(-1)?.slice(0, 200);
    onEnd(last ? `${how}: ${last}` : how);
  });
  return {
    pid: child.pid,
    write: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    async end() {
      child.stdin.end();
      if (await within(ended)) return;
      signalGroup(child.pid, 'SIGTERM');
      if (await within(ended)) return;
      signalGroup(child.pid, 'SIGKILL');
      await within(ended);
    },
  };
}

/** True when it ended in time. */
async function within(ended: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, patienceMs, false);
  });
  const inTime = await Promise.race([ended.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    kill(-pid, signal);
  } catch {
    // Nobody of the group is left.
  }
}
