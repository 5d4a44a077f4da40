/** Stops and starts the container engine of this machine as its operator would. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import { eventually } from '../eventually.ts';

const run = promisify(execFile);

export type EngineProcess = {
  readonly manager: string;
  /** Resolves when the process has exited. */
  stop(): Promise<void>;
  /** Resolves when the engine responds. */
  start(): Promise<void>;
};

const listenFlag = '00010000';

/** Inodes of the unix sockets that listen at `file`. */
function findSocketInodes(file: string): Set<string> {
  const real = realpathSync(file);
  const rows = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const own = rows.filter(([, , , flags, , , , path]) => flags === listenFlag && (path === file || path === real));
  return new Set(own.map((row) => `socket:[${row[6]}]`));
}

function listOpenFiles(pid: string): string[] {
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

function splitArgs(file: string): string[] {
  return readFileSync(file, 'utf8').split('\0').filter(Boolean);
}

/** A zombie process has no command line. */
function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}/cmdline`) && splitArgs(`/proc/${pid}/cmdline`).length > 0;
}

async function waitForEngine(): Promise<void> {
  await eventually(() => run('docker', ['info']), {
    timeoutMs: 60_000,
    description: 'the engine responds after its start',
  });
}

/** Finds the process behind the engine's socket. Throws the reason if it cannot be restarted from here. */
export function findEngineProcess(socketFile: string): EngineProcess {
  if (!existsSync('/proc/net/unix') || !existsSync(socketFile))
    throw new Error(
      `the engine does not run on this machine itself (no ${socketFile}), so its restart cannot be shown`,
    );
  const sockets = findSocketInodes(socketFile);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const holders = pids.filter((pid) => listOpenFiles(pid).some((file) => sockets.has(file)));
  const pid = Number(
    holders.find((holderPid) => readFileSync(`/proc/${holderPid}/comm`, 'utf8').startsWith('dockerd')),
  );
  if (!pid)
    throw new Error(`this user cannot see which process serves ${socketFile}; restarting the engine needs root`);
  const unit = /\/([^/]+\.service)/.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1];
  return existsSync('/run/systemd/system') && unit ? createSystemdControl(unit) : createProcessControl(pid);
}

function createSystemdControl(unit: string): EngineProcess {
  const systemctl = (...args: string[]) => run('systemctl', args, { timeout: 120_000 });
  return {
    manager: `systemd (${unit})`,
    // A socket unit would start the engine again at the next request.
    stop: async () =>
      void (await systemctl('stop', unit, unit.replace('.service', '.socket')).catch(() => systemctl('stop', unit))),
    start: async () => {
      await systemctl('start', unit);
      await waitForEngine();
    },
  };
}

/** Restarts it with the same arguments, environment and log. */
function createProcessControl(pid: number): EngineProcess {
  const [program = 'dockerd', ...args] = splitArgs(`/proc/${pid}/cmdline`);
  const variables = Object.fromEntries(
    splitArgs(`/proc/${pid}/environ`).map((line) => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1),
    ]),
  );
  const stderrPath = readlinkSync(`/proc/${pid}/fd/2`);
  return {
    manager: `process ${pid}`,
    async stop() {
      process.kill(pid, 'SIGTERM');
      await eventually(() => !isAlive(pid), {
        timeoutMs: 120_000,
        description: `the engine (process ${pid}) has ended`,
      });
    },
    async start() {
      const log = openSync(stderrPath.startsWith('/') && existsSync(stderrPath) ? stderrPath : '/dev/null', 'a');
      spawn(program, args, { detached: true, env: variables, stdio: ['ignore', log, log] }).unref();
      await waitForEngine();
    },
  };
}
