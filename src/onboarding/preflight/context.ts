/** What preflight takes from outside; everything can be put in its place by a test. */
import { readFile, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Engine, openEngine } from '../../containers/engine.ts';
import { type PortHolder, portHolder } from '../../containers/port-holders.ts';
import type { Environment } from '../../environment/environment.ts';
import type { Checked } from './check.ts';

/** What is asked for. All folders are absolute. */
export type PreflightWish = {
  /** Also the target's own ports are looked at. */
  readonly productDir?: string | undefined;
  /** The instance that is about to be onboarded: its own executor may hold its port already. */
  readonly instance?: string | undefined;
  /** Where the product keeps its files; the user's data folder unless given. */
  readonly dataFolder?: string | undefined;
  /** Named by whoever thinks of a cluster. */
  readonly kubeContext?: string | undefined;
};

/** The ways to look at this machine. */
export type PreflightContext = PreflightWish & {
  readonly place: Pick<Environment, 'platform' | 'variables'>;
  readonly dataFolder: string;
  /** The engine, looked for once. Rejects with ENGINE_*. */
  engine(): Promise<Engine>;
  /** Who holds a port; asked without the engine where there is none. */
  holderOf(port: number): Promise<PortHolder | undefined>;
  /** Free bytes where `folder` is, or would be made; undefined where this machine cannot tell. */
  freeBytes(folder: string): Promise<number | undefined>;
  /** Bytes of memory that programs may still take; undefined where this machine cannot tell. */
  availableMemory(): Promise<number | undefined>;
  readonly signal?: AbortSignal | undefined;
  /** Told when a check begins, and when it has ended. */
  onCheck?(check: { readonly title: string }, checked: Checked | undefined): void;
};

type Options = Pick<PreflightContext, 'onCheck' | 'signal'>;

/** The context of a process. */
export function preflightContext(
  { platform, variables, paths }: Pick<Environment, 'platform' | 'variables' | 'paths'>,
  wish: PreflightWish = {},
  { signal, onCheck }: Options = {},
): PreflightContext {
  const place = { platform, variables };
  const { engine, holderOf } = machineOf(place, signal);
  return {
    ...wish,
    place,
    engine,
    holderOf,
    dataFolder: wish.dataFolder ?? paths.data,
    freeBytes,
    availableMemory: () => (platform === 'linux' ? availableMemory() : Promise.resolve(undefined)),
    signal,
    ...(onCheck === undefined ? {} : { onCheck }),
  };
}

/** The engine, opened once, and who holds ports, as far as can be known with it or without. */
export function machineOf(
  place: Pick<Environment, 'platform' | 'variables'>,
  signal?: AbortSignal,
): Pick<PreflightContext, 'engine' | 'holderOf'> {
  let opened: Promise<Engine> | undefined;
  const engine = (): Promise<Engine> => {
    opened ??= openEngine(place, signal);
    return opened;
  };
  const holderOf = async (port: number): Promise<PortHolder | undefined> =>
    portHolder(place, await engine().catch(() => undefined), port);
  return { engine, holderOf };
}

/** Free bytes for this user on the file system of `folder` or of the folder around it that there is. */
export async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    const outer = dirname(folder);
    return outer === folder ? undefined : freeBytes(outer);
  }
}

/** From /proc/meminfo (proc(5)), which counts in KiB. */
async function availableMemory(): Promise<number | undefined> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
