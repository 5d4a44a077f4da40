/** What the checks of preflight look at, and how they look. */
import { readFile, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import type { SetupCheckResult } from '../checks/setup-check.ts';
import type { Platform } from '../platform/platform.ts';

/** The request of the user. All folders are absolute. */
export type PreflightRequest = {
  /** With it, the target's published ports are checked too. */
  readonly productDir?: string | undefined;
  /** The instance that is about to be onboarded: its own executor may hold its port already. */
  readonly instance?: string | undefined;
  /** The user's data folder unless given. */
  readonly dataFolder?: string | undefined;
  /** A cluster that the user named; this tier uses none. */
  readonly kubeContext?: string | undefined;
};

/** The context of a check. */
export type PreflightContext = PreflightRequest & {
  readonly environment: Pick<Environment, 'platform' | 'variables'>;
  readonly dataFolder: string;
  readonly platform: Platform;
  /** Free bytes where `folder` is, or would be made; undefined where this machine cannot tell. */
  readFreeBytes(folder: string): Promise<number | undefined>;
  /** Bytes of memory that processes may still take; undefined where this machine cannot tell. */
  readAvailableMemory(): Promise<number | undefined>;
  readonly signal?: AbortSignal | undefined;
  /** Called without a result when a check starts, and with it when it has ended. */
  onCheck?(check: { readonly title: string }, result: SetupCheckResult | undefined): void;
};

type PreflightOptions = Pick<PreflightContext, 'onCheck' | 'signal'>;

/** The context of a process. */
export function createPreflightContext(
  { platform: system, variables, paths }: Pick<Environment, 'platform' | 'variables' | 'paths'>,
  platform: Platform,
  request: PreflightRequest = {},
  { signal, onCheck }: PreflightOptions = {},
): PreflightContext {
  return {
    ...request,
    environment: { platform: system, variables },
    platform,
    dataFolder: request.dataFolder ?? paths.data,
    readFreeBytes,
    readAvailableMemory: () => (system === 'linux' ? readAvailableMemory() : Promise.resolve(undefined)),
    signal,
    ...(onCheck === undefined ? {} : { onCheck }),
  };
}

/** Free bytes for this user on the file system of `folder`, or of the nearest parent that exists. */
export async function readFreeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    const parentFolder = dirname(folder);
    return parentFolder === folder ? undefined : readFreeBytes(parentFolder);
  }
}

/** From /proc/meminfo (proc(5)), which counts in KiB. */
async function readAvailableMemory(): Promise<number | undefined> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
