/** Other programs: started, timed, their memory read; and ended with the bench, however that ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What to start: a program with its words, and every variable it gets. */
export type Program = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
};

/** A program that has ended by itself with 0. `ms` is from before its start to its end. */
export type Ended = { readonly ms: number; readonly stdout: string; readonly peakMb: number | undefined };

/** A program that goes on. `told` is the line of JSON in which it said where it listens. */
export type Service = {
  readonly startInfo: Readonly<Record<string, unknown>> & { readonly url: string };
  /** Milliseconds from its start to that line, to the nearest ten. */
  readonly readyMs: number;
  /** Resident memory now; undefined where the system does not tell. */
  memoryMb(): number | undefined;
  /** Processor time of all of its threads until now; undefined where the system does not tell. */
  processorMs?(): number | undefined;
  stop(): Promise<void>;
};

const memorySampleMs = 20;
const readyLimitMs = 180_000;
const readySampleMs = 10;
const stopLimitMs = 10_000;

const living = new Set<ChildProcess>();

/** Ends whatever is still running, at once. */
export function killAll(): void {
  for (const child of living) child.kill('SIGKILL');
}

function start(program: Program, stdout: 'pipe' | number): ChildProcess {
  const { file, args, env, cwd = process.cwd() } = program;
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', stdout, stdout] });
  living.add(child);
  child.once('close', () => living.delete(child));
  return child;
}

/** A line of Linux' description of a process, in MB of 1,000,000 bytes. */
function memoryLine(pid: number | undefined, name: 'VmHWM' | 'VmRSS'): number | undefined {
  try {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : (Number(kib) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}

function readProcessorMs(pid: number | undefined): number | undefined {
  try {
    const folder = `/proc/${pid}/task`;
    const times = readdirSync(folder).map((id) =>
      Number(readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ')[0]),
    );
    return times.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
  } catch {
    return undefined;
  }
}

function collectText(stream: NodeJS.ReadableStream | null): () => string {
  const pieces: Buffer[] = [];
  stream?.on('data', (piece: Buffer) => pieces.push(piece));
  return () => Buffer.concat(pieces).toString('utf8');
}

/**
 * Runs a program to its end. `memory` reads its peak every few milliseconds (the peak of its last ones may be missed).
 * Throws what it wrote when it does not end with 0.
 */
export async function run(program: Program, { memory = false } = {}): Promise<Ended> {
  const startMs = performance.now();
  const child = start(program, 'pipe');
  const stdout = collectText(child.stdout);
  const stderr = collectText(child.stderr);
  let peakMb: number | undefined;
  const sample = (): void => {
    peakMb = memoryLine(child.pid, 'VmHWM') ?? peakMb;
  };
  const timer = memory ? setInterval(sample, memorySampleMs) : undefined;
  let ms = 0;
  child.once('exit', () => {
    ms = performance.now() - startMs;
  });
  try {
    const [code, signal] = await once(child, 'close');
    if (code !== 0)
      throw new Error(`${formatName(program)} ended with ${signal ?? code}: ${tail(stderr() || stdout())}`);
  } finally {
    clearInterval(timer);
  }
  return { ms, stdout: stdout(), peakMb };
}

function formatName({ file, args }: Program): string {
  return [file, ...args].slice(0, 4).join(' ');
}

function tail(text: string): string {
  return text.trim().split('\n').slice(-6).join('\n');
}

/** The first line of JSON in `file` that names a `url`. */
function listeningLine(file: string): Service['startInfo'] | undefined {
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (!line.startsWith('{')) continue;
    try {
      const startInfo: unknown = JSON.parse(line);
      if (
        typeof startInfo === 'object' &&
        startInfo !== null &&
        'url' in startInfo &&
        typeof startInfo.url === 'string'
      )
        return { ...startInfo, url: startInfo.url };
    } catch {} // Not all of it is written yet.
  }
  return undefined;
}

/**
 * Starts a program that says `{"url": …}` in a line once it listens. What it writes goes to `logFile`: reading a line for
 * each request through a pipe would cost time here. Throws its last words when it ends, or is not ready within 30 s.
 */
export async function serve(program: Program, logFile: string): Promise<Service> {
  const log = openSync(logFile, 'a');
  const startMs = performance.now();
  const child = start(program, log);
  closeSync(log);
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  failed.catch(() => {});
  const ready = async (): Promise<Service['startInfo']> => {
    while (performance.now() - startMs < readyLimitMs && child.exitCode === null && child.signalCode === null) {
      const startInfo = listeningLine(logFile);
      if (startInfo) return startInfo;
      await sleep(readySampleMs);
    }
    child.kill('SIGKILL');
    throw new Error(`${formatName(program)} does not listen: ${tail(readFileSync(logFile, 'utf8'))}`);
  };
  const startInfo = await Promise.race([ready(), failed]);
  const readyMs = performance.now() - startMs;
  return {
    startInfo,
    readyMs,
    memoryMb: () => memoryLine(child.pid, 'VmRSS'),
    processorMs: () => readProcessorMs(child.pid),
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

/** Variables for programs: nothing of this shell but PATH; homes, caches and settings below `folder`. */
export function cleanVariables(folder: string): Record<string, string> {
  const below = (name: string): string => resolve(folder, name);
  return {
    PATH: process.env.PATH ?? '',
    HOME: below('home'),
    XDG_DATA_HOME: below('home/data'),
    XDG_CACHE_HOME: below('home/cache'),
    XDG_CONFIG_HOME: below('home/config'),
    XDG_STATE_HOME: below('home/state'),
    LANG: 'C.UTF-8',
  };
}
