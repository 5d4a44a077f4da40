/** A test on whole processes: `dist/vp` with a home of its own, and nothing left when the test ends. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { type Client, createClient } from '../../src/client/client.ts';
import { packedFile } from '../packed/packed.ts';
import { type Ending, Processes, type Running } from './processes.ts';

/** See the file: for tests of what `vp` gives up only after a while. Started with Node. */
export const hurriedVp = join(import.meta.dirname, 'hurried-vp.ts');
const shortLeasePlane = join(import.meta.dirname, 'short-lease-plane.ts');

/** How a program is started beyond its words. */
export type StartSettings = {
  readonly variables?: Readonly<Record<string, string>>;
  readonly cwd?: string;
};

/** A control plane in a process of its own. */
export type ServedPlane = { readonly running: Running; readonly url: string; readonly data: string };

/** The folder, the programs and the home of one test. */
export class Stage {
  readonly folder: string;
  readonly processes: Processes;

  constructor(folder: string, processes: Processes) {
    this.folder = folder;
    this.processes = processes;
  }

  /** What every program gets: a home below the test's folder. The cache is shared, since it holds only SQLite's addon. */
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

  /** Starts any program. */
  start(program: string, args: readonly string[], settings: StartSettings = {}): Running {
    const { variables = {}, cwd = this.folder } = settings;
    return this.processes.start(program, args, { cwd, variables: { ...this.variables, ...variables } });
  }

  /** Starts `vp`. */
  vp(args: readonly string[], settings?: StartSettings): Running {
    return this.start(packedFile, args, settings);
  }

  /** Runs `vp` to its end. */
  run(args: readonly string[], settings?: StartSettings): Promise<Ending> {
    return this.vp(args, settings).ended;
  }

  /** Starts a control plane on the folder `data` and waits until it listens. */
  async serve(data = join(this.folder, 'plane'), port = '0'): Promise<ServedPlane> {
    const running = this.vp(['serve', '--json', '--port', port, '--data', data]);
    return { running, data, url: await listeningUrl(running) };
  }

  /** The same from the sources, with leases that end after half a second. */
  async serveShortLeases(data: string): Promise<ServedPlane> {
    const running = this.start(process.execPath, [shortLeasePlane, data]);
    return { running, data, url: await listeningUrl(running) };
  }
}

/** The address in the first line that a role writes with `--json`. */
export async function listeningUrl(running: Running): Promise<string> {
  const [, url = ''] = await running.said(/^\{"event":"listening".*"url":"([^"]+)"/m);
  return url;
}

/** Calls a control plane with the key in its data folder. */
export function ownerOf({ url, data }: Pick<ServedPlane, 'url' | 'data'>): Client {
  const token = readFileSync(join(data, 'owner.key'), 'utf8').trim();
  return createClient({ baseUrl: url, token, fetch: (target, init) => fetch(target, init) });
}

/** Declares a test of its own folder; what it started is ended, and nothing of it may be left. */
export function scene(name: string, play: (t: Test, stage: Stage) => Promise<void>): void {
  t.test(name, async (t) => {
    const processes = new Processes();
    const folder = join(t.testdir(), 'scene');
    mkdirSync(folder);
    try {
      await play(t, new Stage(folder, processes));
    } catch (error) {
      t.comment(processes.told);
      throw error;
    } finally {
      t.same(await processes.clear(), [], 'nothing is left running');
    }
  });
}
