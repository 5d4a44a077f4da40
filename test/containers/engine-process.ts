/** The process of the container engine of this machine, ended and started again as its operator would. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** What may make it impossible is told as an error. */
export type EngineProcess = {
  readonly how: string;
  /** Resolves when it is gone. */
  stop(): Promise<void>;
  /** Resolves when it answers. */
  start(): Promise<void>;
};

const listening = '00010000';

/** Inodes of the unix sockets that listen at `file`. */
function listenersAt(file: string): Set<string> {
  const real = realpathSync(file);
  const rows = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const own = rows.filter(([, , , flags, , , , path]) => flags === listening && (path === file || path === real));
  return new Set(own.map((row) => `socket:[${row[6]}]`));
}

function filesOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return []; // Closed meanwhile.
      }
    });
  } catch {
    return []; // Ended meanwhile, or another user's.
  }
}

function wordsIn(file: string): string[] {
  return readFileSync(file, 'utf8').split('\0').filter(Boolean);
}

/** A process that has ended and was not taken note of has no words any more. */
function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/cmdline`) && wordsIn(`/proc/${pid}/cmdline`).length > 0;
}

async function answers(): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const isUp = await run('docker', ['info']).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await pause(100);
  }
  throw new Error('the engine does not answer within a minute of its start');
}

/** Finds who serves the engine's socket. Throws with the reason where the engine cannot be restarted from here. */
export function engineProcess(socketFile: string): EngineProcess {
  if (!existsSync('/proc/net/unix') || !existsSync(socketFile))
    throw new Error(
      `the engine does not run on this machine itself (no ${socketFile}), so its restart cannot be shown`,
    );
  const sockets = listenersAt(socketFile);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const holders = pids.filter((pid) => filesOf(pid).some((file) => sockets.has(file)));
  const pid = Number(holders.find((one) => readFileSync(`/proc/${one}/comm`, 'utf8').startsWith('dockerd')));
  if (!pid)
    throw new Error(`this user cannot see which process serves ${socketFile}; restarting the engine needs root`);
  const unit = /\/([^/]+\.service)/.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1];
  return existsSync('/run/systemd/system') && unit ? underSystemd(unit) : byHand(pid);
}

function underSystemd(unit: string): EngineProcess {
  const systemctl = (...words: string[]) => run('systemctl', words, { timeout: 120_000 });
  return {
    how: `systemd (${unit})`,
    // A socket that systemd holds would start it again at the next question.
    stop: async () =>
      void (await systemctl('stop', unit, unit.replace('.service', '.socket')).catch(() => systemctl('stop', unit))),
    start: async () => {
      await systemctl('start', unit);
      await answers();
    },
  };
}

/** With the words, the environment and the log that it was started with. */
function byHand(pid: number): EngineProcess {
  const [program = 'dockerd', ...words] = wordsIn(`/proc/${pid}/cmdline`);
  const variables = Object.fromEntries(
    wordsIn(`/proc/${pid}/environ`).map((line) => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1),
    ]),
  );
  const told = readlinkSync(`/proc/${pid}/fd/2`);
  return {
    how: `process ${pid}`,
    async stop() {
      process.kill(pid, 'SIGTERM');
      for (let tries = 0; tries < 1200 && isAlive(pid); tries += 1) await pause(100);
      if (isAlive(pid)) throw new Error(`the engine (process ${pid}) does not end within two minutes`);
    },
    async start() {
      const log = openSync(told.startsWith('/') && existsSync(told) ? told : '/dev/null', 'a');
      spawn(program, words, { detached: true, env: variables, stdio: ['ignore', log, log] }).unref();
      await answers();
    },
  };
}
