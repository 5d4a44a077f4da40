/** `dist/vp` with its own home folder. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Client, createClient } from '../../src/client/client.ts';
import { packedFile } from '../packed/packed.ts';
import { getSourceVariables, sourceOptions } from '../source-program.ts';
import type { Processes, ProcessResult, RunningProcess } from './processes.ts';

/** For tests of timeouts, started with `startSource`. */
export const fastClockVp = join(import.meta.dirname, 'fast-clock-vp.ts');
const shortLeasePlane = join(import.meta.dirname, 'short-lease-plane.ts');

export type ProcessSettings = {
  readonly variables?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** For processes that a long test needs to its end. */
  readonly lifetimeMs?: number;
};

/** A control plane in a process of its own. */
export type ServedControlPlane = { readonly running: RunningProcess; readonly url: string; readonly data: string };

/** The folder and the processes of one test. */
export class Sandbox {
  readonly folder: string;
  readonly processes: Processes;

  constructor(folder: string, processes: Processes) {
    this.folder = folder;
    this.processes = processes;
  }

  /** A home in the test's folder. The cache is shared, because it has only SQLite's addon. */
  get variables(): Record<string, string> {
    const home = join(this.folder, 'home');
    const { PATH = '' } = process.env;
    return {
      PATH,
      HOME: home,
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_CACHE_HOME: join(dirname(this.folder), 'cache'),
    };
  }

  /** Writes a file below the test's folder and gives its path. */
  write(name: string, text: string | Uint8Array): string {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  start(program: string, args: readonly string[], settings: ProcessSettings = {}): RunningProcess {
    const { variables = {}, cwd = this.folder, lifetimeMs } = settings;
    return this.processes.start(program, args, { cwd, variables: { ...this.variables, ...variables }, lifetimeMs });
  }

  /** Starts `vp`. */
  vp(args: readonly string[], settings?: ProcessSettings): RunningProcess {
    return this.start(packedFile, args, settings);
  }

  /** Starts a program of the sources. */
  startSource(file: string, args: readonly string[]): RunningProcess {
    return this.start(process.execPath, [...sourceOptions, file, ...args], { variables: getSourceVariables() });
  }

  /** Runs `vp` to its end. */
  run(args: readonly string[], settings?: ProcessSettings): Promise<ProcessResult> {
    return this.vp(args, settings).ended;
  }

  /** Starts a control plane on the folder `data` and waits until it listens. */
  async serve(data = join(this.folder, 'plane'), port = '0'): Promise<ServedControlPlane> {
    const running = this.vp(['serve', '--json', '--port', port, '--data', data]);
    return { running, data, url: await listeningUrl(running) };
  }

  /** Starts a control plane from the sources, with leases of half a second. */
  async serveShortLeases(data: string): Promise<ServedControlPlane> {
    const running = this.startSource(shortLeasePlane, [data]);
    return { running, data, url: await listeningUrl(running) };
  }
}

/** The address in the first line that a role writes with `--json`. */
export async function listeningUrl(running: RunningProcess): Promise<string> {
  const [, url = ''] = await running.waitForOutput(/^\{"event":"listening".*"url":"([^"]+)"/m);
  return url;
}

/** Calls a control plane with the key in its data folder. */
export function createOwnerClient({ url, data }: Pick<ServedControlPlane, 'url' | 'data'>): Client {
  const token = readFileSync(join(data, 'owner.key'), 'utf8').trim();
  return createClient({ baseUrl: url, token, fetch: (target, init) => fetch(target, init) });
}
