/** Child processes of a test: started in process groups, with captured output, and killed when the test ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { eventually } from '../eventually.ts';

/** How a process ended, and its output. */
export type ProcessResult = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A process gets no environment variables but these. */
export type ProcessOptions = {
  readonly cwd: string;
  readonly variables: Readonly<Record<string, string>>;
  /** By default five minutes. */
  readonly lifetimeMs?: number | undefined;
};

/** The limit for conditions that are awaited. */
export const timeoutMs = 60_000;

/** Processes that hang are killed before the test runner's own timeout. */
const maxLifetimeMs = 300_000;

/** A process and its children. */
export class RunningProcess {
  readonly name: string;
  readonly pid: number;
  readonly ended: Promise<ProcessResult>;
  stdout = '';
  stderr = '';
  #over = false;
  /** Nothing is in the process group: its number may be given to a group of somebody else. */
  #isGroupGone = false;
  readonly #listeners = new Set<() => void>();

  constructor(child: ChildProcess, name: string) {
    if (child.pid === undefined) throw new Error(`${name} could not be started`);
    this.name = name;
    this.pid = child.pid;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#notify();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#notify();
    });
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#over = true;
        this.signalGroup(0);
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
        this.#notify();
      });
    });
  }

  get hasEnded(): boolean {
    return this.#over;
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** The first match in the output so far or from now on; rejects if the process ends without it. */
  waitForOutput(pattern: RegExp, stream: 'stdout' | 'stderr' = 'stdout'): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(checkOutput);
      };
      const fail = (reason: string): void => {
        stop();
        reject(new Error(`${this.name} ${reason} ${pattern} on ${stream}:\n${this.stdout}${this.stderr}`));
      };
      const checkOutput = (): void => {
        const match = pattern.exec(this[stream]);
        if (match) {
          stop();
          resolve(match);
        } else if (this.#over) fail('ended without');
      };
      const timer = setTimeout(() => fail('has not written'), timeoutMs);
      this.#listeners.add(checkOutput);
      checkOutput();
    });
  }

  /** Sends a signal to the process alone, as `kill` does. */
  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Sends a signal to the process group, as a terminal does with Ctrl-C. False if the group is empty. */
  signalGroup(signal: NodeJS.Signals | 0): boolean {
    if (this.#isGroupGone) return false;
    try {
      process.kill(-this.pid, signal);
      return true;
    } catch {
      this.#isGroupGone = this.#over;
      return false;
    }
  }

  /** kill -9 for the group; resolves when the process has ended. */
  async kill(): Promise<ProcessResult> {
    this.signalGroup('SIGKILL');
    return this.ended;
  }
}

/** If the test process exits early, its child processes are killed. */
const runningProcesses = new Set<RunningProcess>();
process.once('exit', () => {
  for (const running of runningProcesses) running.signalGroup('SIGKILL');
});

export class Processes {
  readonly #all: RunningProcess[] = [];

  /** Starts `program` with its input closed. */
  start(
    program: string,
    args: readonly string[],
    { cwd, variables, lifetimeMs = maxLifetimeMs }: ProcessOptions,
  ): RunningProcess {
    const child = spawn(program, args, {
      cwd,
      env: variables,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.on('error', () => {});
    const running = new RunningProcess(child, [program.replace(/^.*\//, ''), ...args].join(' '));
    this.#all.push(running);
    runningProcesses.add(running);
    const timer = setTimeout(() => {
      running.stderr += `\nkilled by its test, because it ran for ${lifetimeMs / 1000} s (lifetimeMs)\n`;
      running.signalGroup('SIGKILL');
    }, lifetimeMs);
    running.ended.then(() => {
      clearTimeout(timer);
      runningProcesses.delete(running);
    });
    return running;
  }

  /** The output of every process, for a failed test. */
  get allOutput(): string {
    return this.#all.map(({ name, stdout, stderr }) => `$ ${name}\n${stdout}${stderr}`).join('\n');
  }

  /** Kills everything; returns the names of processes that are still running afterwards. */
  async clear(): Promise<string[]> {
    await Promise.all(this.#all.map((running) => running.kill()));
    const remaining: string[] = [];
    for (const running of this.#all) {
      const allEnded = eventually(() => !running.signalGroup(0), { description: `${running.name} ends` });
      await allEnded.catch(() => remaining.push(running.name));
    }
    return remaining;
  }
}
