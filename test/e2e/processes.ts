/** Programs of a test: started in groups of their own, listened to, and gone when the test is over. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleepFor } from 'node:timers/promises';

/** How a program ended, and all it wrote. */
export type Ending = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** What a program is started with; no variable but these reaches it. */
export type Surroundings = { readonly cwd: string; readonly variables: Readonly<Record<string, string>> };

/** A condition that does not come true in this time never will. */
export const limitMs = 20_000;

/** No program of a test lives longer: one that hangs is killed before the test runner gives its file up. */
const lifeMs = 60_000;

/** Calls `look` until it gives something. Rejects with `what` after {@link limitMs}. */
export async function eventually<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`${what}: not within ${limitMs / 1000} s`);
    await sleepFor(25);
  }
}

/** One program and whatever it starts. */
export class Running {
  readonly name: string;
  readonly pid: number;
  readonly ended: Promise<Ending>;
  stdout = '';
  stderr = '';
  #over = false;
  readonly #listeners = new Set<() => void>();

  constructor(child: ChildProcess, name: string) {
    if (child.pid === undefined) throw new Error(`${name} could not be started`);
    this.name = name;
    this.pid = child.pid;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#tell();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#tell();
    });
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#over = true;
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
        this.#tell();
      });
    });
  }

  get over(): boolean {
    return this.#over;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** The first match in what was written so far or is written from now on; rejects when the program ends without it. */
  said(pattern: RegExp, where: 'stdout' | 'stderr' = 'stdout'): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      const miss = (why: string): void => {
        stop();
        reject(new Error(`${this.name} ${why} ${pattern} on ${where}:\n${this.stdout}${this.stderr}`));
      };
      const look = (): void => {
        const found = pattern.exec(this[where]);
        if (found) {
          stop();
          resolve(found);
        } else if (this.#over) miss('ended without');
      };
      const timer = setTimeout(() => miss('has not written'), limitMs);
      this.#listeners.add(look);
      look();
    });
  }

  /** Sends a signal to the program alone, as `kill` does. */
  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Sends a signal to the whole group, as a terminal does with Ctrl-C. False when nobody is left in it. */
  signalGroup(signal: NodeJS.Signals | 0): boolean {
    try {
      process.kill(-this.pid, signal);
      return true;
    } catch {
      return false;
    }
  }

  /** kill -9 for the group; resolves when the program is gone. */
  async kill(): Promise<Ending> {
    this.signalGroup('SIGKILL');
    return this.ended;
  }
}

/** Where the test itself is ended in the middle, its programs go with it. */
const alive = new Set<Running>();
process.once('exit', () => {
  for (const running of alive) running.signalGroup('SIGKILL');
});

/** All programs of one test. */
export class Processes {
  readonly #all: Running[] = [];

  /** Starts `program` with its input closed. */
  start(program: string, args: readonly string[], { cwd, variables }: Surroundings): Running {
    const child = spawn(program, args, {
      cwd,
      env: variables,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.on('error', () => {});
    const running = new Running(child, [program.replace(/^.*\//, ''), ...args].join(' '));
    this.#all.push(running);
    alive.add(running);
    const timer = setTimeout(() => running.signalGroup('SIGKILL'), lifeMs);
    running.ended.then(() => {
      clearTimeout(timer);
      alive.delete(running);
    });
    return running;
  }

  /** What every program wrote, for a test that failed. */
  get told(): string {
    return this.#all.map(({ name, stdout, stderr }) => `$ ${name}\n${stdout}${stderr}`).join('\n');
  }

  /** Ends everything; gives the names of programs of which something is still there afterwards. */
  async clear(): Promise<string[]> {
    await Promise.all(this.#all.map((running) => running.kill()));
    const left: string[] = [];
    for (const running of this.#all) {
      const gone = eventually(running.name, () => (running.signalGroup(0) ? undefined : true));
      await gone.catch(() => left.push(running.name));
    }
    return left;
  }
}
