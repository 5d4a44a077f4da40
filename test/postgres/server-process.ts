/** Processes of servers and their folders. Nothing of them is left when the test's process ends, in whatever way. */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serverEnvironment, serverOwner } from './programs.ts';

/** Linux has a file system in memory here. */
const memoryFolder = '/dev/shm';

/** What a server needs of its test. */
export type TestEnd = { teardown(end: () => unknown): void };

/** A folder of the servers' user with a short path, because the path of a Unix socket has at most 107 bytes. */
export type ServerFolder = { readonly path: string; remove(): Promise<void> };

/** Waits for the end of the test's process, which closes its input. Then ends what has a pid file in the folder. */
const cleaner = `cat >/dev/null
for pid in $(head -qn 1 "$1"/*.pid "$1"/*/postmaster.pid 2>/dev/null); do kill -QUIT "$pid"; done 2>/dev/null
for try in 1 2 3 4 5; do rm -rf "$1" 2>/dev/null && exit; sleep 0.2; done`;

/** Creates a folder for servers, in memory where the system can; `isOnDisk` for measurements. */
export function createServerFolder({ isOnDisk = false } = {}): ServerFolder {
  const parent = !isOnDisk && existsSync(memoryFolder) ? memoryFolder : tmpdir();
  const path = mkdtempSync(join(parent, 'vp-postgres-'));
  chmodSync(path, 0o755);
  giveToServer(path);
  const child = spawn('/bin/sh', ['-c', cleaner, 'sh', path], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  unref(child);
  return {
    path,
    remove() {
      child.ref();
      child.stdin.end();
      return ended;
    },
  };
}

/** Makes a file or folder one of the servers' user. */
export function giveToServer(path: string): void {
  if (serverOwner.uid !== undefined && serverOwner.gid !== undefined) chownSync(path, serverOwner.uid, serverOwner.gid);
}

type Unreferenced = { unref(): void; readonly stdio: readonly unknown[] };

/** A server does not keep the test's process alive. */
function unref(child: Unreferenced): void {
  child.unref();
  for (const stream of child.stdio)
    if (typeof stream === 'object' && stream !== null && 'unref' in stream && typeof stream.unref === 'function')
      stream.unref();
}

export type ServerProcess = {
  readonly log: readonly string[];
  isRunning(): boolean;
  sendSignal(signal: NodeJS.Signals): void;
  /** Sends a signal and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
};

/** Starts a server; resolves when a line of its log matches `readyLine`. Rejects with its log when it ends before. */
export async function startServerProcess(
  file: string,
  args: readonly string[],
  readyLine: RegExp,
): Promise<ServerProcess> {
  const log: string[] = [];
  const child = spawn(file, args, {
    ...serverOwner,
    cwd: '/',
    env: serverEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let running = true;
  const ended = new Promise<void>((resolve) => {
    const setEnded = (): void => {
      running = false;
      resolve();
    };
    child.once('exit', setEnded).once('error', setEnded);
  });
  const lines = createInterface({ input: child.stderr });
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      log.push(line);
      if (readyLine.test(line)) resolve();
    });
  });
  await Promise.race([ready, ended.then(() => new Promise((resolve) => lines.once('close', resolve)))]);
  if (!log.some((line) => readyLine.test(line))) throw new Error(`${file} did not start:\n${log.join('\n')}`);
  unref(child);
  return {
    log,
    isRunning: () => running,
    sendSignal: (signal) => child.kill(signal),
    end(signal) {
      child.ref();
      if (running) child.kill(signal);
      return ended;
    },
  };
}
