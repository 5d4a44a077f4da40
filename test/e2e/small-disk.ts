/**
 * A disk of a few megabytes that a test can fill. In order of preference: a tmpfs in a mount namespace (needs no root
 * if the kernel allows user namespaces), a tmpfs that root mounts, and if neither is allowed a limit on the size of
 * every file, which makes the same writes fail.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { packedFile } from '../packed/packed.ts';
import type { RunningProcess } from './processes.ts';
import type { ProcessSettings, Sandbox } from './sandbox.ts';

export type SmallDisk = {
  readonly kind: 'namespace' | 'mounted' | 'limited';
  /** The folder as programs on the disk know it, and as the test reaches it. */
  readonly folder: string;
  readonly outside: string;
  /** The error for a write that does not fit. */
  readonly refusal: { readonly code: string; readonly status: number; readonly exit: number };
  /** Starts `vp` where it sees the disk. */
  vp(args: readonly string[], settings?: ProcessSettings): RunningProcess;
  /** Leaves no byte free; where files are limited, for `running` alone. */
  fill(running: RunningProcess): void;
  /** Makes room again. */
  free(running: RunningProcess): void;
};

const diskFullError = { code: 'STORE_DISK_FULL', status: 507, exit: 4 } as const;
/** SQLite gives no reason for a failed write other than a full disk. */
const unusableStoreError = { code: 'STORE_UNUSABLE', status: 503, exit: 3 } as const;

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function createFiller(outside: string, mib: number): Pick<SmallDisk, 'fill' | 'free'> {
  const filler = join(outside, 'filler');
  return {
    fill() {
      const descriptor = openSync(filler, 'a');
      try {
        for (let size = 65_536; size >= 1; size = size / 2) writeUntilFull(descriptor, Buffer.alloc(size), mib);
      } finally {
        closeSync(descriptor);
      }
    },
    free: () => rmSync(filler),
  };
}

/** Writes more than the small disk has only where the folder is on another one, which must not be filled. */
function writeUntilFull(descriptor: number, bytes: Buffer, mib: number): void {
  const maxFillerBytes = 2 * mib * 1_048_576;
  try {
    for (let written = 0; written < maxFillerBytes; written += bytes.length) writeSync(descriptor, bytes);
    throw new Error(`the small disk took ${maxFillerBytes} bytes: it is not mounted any more`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

const mountCommand = (mib: number): string => `mount -t tmpfs -o size=${mib}m none "$0"`;

/** The namespace lives as long as a process in it, which the sandbox kills. */
async function createInNamespace(sandbox: Sandbox, folder: string, mib: number): Promise<SmallDisk | undefined> {
  if (!succeeds('unshare', ['-Urm', 'sh', '-c', mountCommand(mib), folder])) return undefined;
  const holder = sandbox.start('unshare', [
    '-Urm',
    'sh',
    '-c',
    `${mountCommand(mib)} && echo ready && exec sleep 600`,
    folder,
  ]);
  await holder.waitForOutput(/ready/);
  const enter = ['-t', String(holder.pid), '-U', '-m', '--preserve-credentials', '--', packedFile];
  const outside = `/proc/${holder.pid}/root${folder}`;
  const vp: SmallDisk['vp'] = (args, settings) => sandbox.start('nsenter', [...enter, ...args], settings);
  return { kind: 'namespace', folder, outside, refusal: diskFullError, vp, ...createFiller(outside, mib) };
}

function createMounted(t: Test, sandbox: Sandbox, folder: string, mib: number): SmallDisk | undefined {
  if (!succeeds('mount', ['-t', 'tmpfs', '-o', `size=${mib}m`, 'none', folder])) return undefined;
  t.teardown(() => succeeds('umount', ['-l', folder]));
  const vp: SmallDisk['vp'] = (args, settings) => sandbox.vp(args, settings);
  return { kind: 'mounted', folder, outside: folder, refusal: diskFullError, vp, ...createFiller(folder, mib) };
}

function setFileSizeLimit({ pid, hasEnded: over }: RunningProcess, bytes: string): void {
  if (over) return;
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`prlimit: ${stderr}`);
}

/** Not a disk: files cannot grow while it is "full". */
export function createLimitedFolder(sandbox: Sandbox, name = 'disk'): SmallDisk {
  const folder = join(sandbox.folder, name);
  mkdirSync(folder, { recursive: true });
  return {
    kind: 'limited',
    folder,
    outside: folder,
    refusal: unusableStoreError,
    vp: (args, settings) => sandbox.vp(args, settings),
    fill: (running) => setFileSizeLimit(running, '1'),
    free: (running) => setFileSizeLimit(running, 'unlimited'),
  };
}

/** The best kind that this machine allows; the test's output names it. */
export async function createSmallDisk(
  t: Test,
  sandbox: Sandbox,
  { name = 'disk', mib = 3 }: { readonly name?: string; readonly mib?: number } = {},
): Promise<SmallDisk> {
  const folder = join(sandbox.folder, name);
  mkdirSync(folder);
  const disk =
    (await createInNamespace(sandbox, folder, mib)) ??
    createMounted(t, sandbox, folder, mib) ??
    createLimitedFolder(sandbox, name);
  t.comment(`the disk is ${disk.kind}`);
  return disk;
}
