/**
 * A disk of a few megabytes that a test can fill. In order: a tmpfs in a mount namespace of the test's own (needs no root
 * where the kernel allows user namespaces), a tmpfs that root mounts, and where neither is allowed a limit on the size of
 * every file, which makes the same writes fail.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { packedFile } from '../packed/packed.ts';
import type { Running } from './processes.ts';
import type { Stage, StartSettings } from './stage.ts';

/** See the file's header. */
export type SmallDisk = {
  readonly kind: 'namespace' | 'mounted' | 'limited';
  /** The folder as programs on the disk know it, and as the test reaches it. */
  readonly folder: string;
  readonly outside: string;
  /** What a write that does not fit is answered with. */
  readonly refusal: { readonly code: string; readonly status: number; readonly exit: number };
  /** Starts `vp` where it sees the disk. */
  vp(args: readonly string[], settings?: StartSettings): Running;
  /** Leaves no byte free; where files are limited, for `running` alone. */
  fill(running: Running): void;
  /** Makes room again. */
  free(running: Running): void;
};

const full = { code: 'STORE_DISK_FULL', status: 507, exit: 4 } as const;
/** SQLite does not say why a write failed but for a full disk. */
const unusable = { code: 'STORE_UNUSABLE', status: 503, exit: 3 } as const;

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function fillingOf(outside: string): Pick<SmallDisk, 'fill' | 'free'> {
  const filler = join(outside, 'filler');
  return {
    fill() {
      const descriptor = openSync(filler, 'a');
      try {
        for (let size = 65_536; size >= 1; size = size / 2) writeUntilFull(descriptor, Buffer.alloc(size));
      } finally {
        closeSync(descriptor);
      }
    },
    free: () => rmSync(filler),
  };
}

function writeUntilFull(descriptor: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(descriptor, bytes);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

const mountHere = 'mount -t tmpfs -o size=3m none "$0"';

/** The namespace lives as long as a program in it, which the stage ends. */
async function inNamespace(stage: Stage, folder: string): Promise<SmallDisk | undefined> {
  if (!succeeds('unshare', ['-Urm', 'sh', '-c', mountHere, folder])) return undefined;
  const holder = stage.start('unshare', ['-Urm', 'sh', '-c', `${mountHere} && echo ready && exec sleep 600`, folder]);
  await holder.said(/ready/);
  const enter = ['-t', String(holder.pid), '-U', '-m', '--preserve-credentials', '--', packedFile];
  const outside = `/proc/${holder.pid}/root${folder}`;
  const vp: SmallDisk['vp'] = (args, settings) => stage.start('nsenter', [...enter, ...args], settings);
  return { kind: 'namespace', folder, outside, refusal: full, vp, ...fillingOf(outside) };
}

function mounted(t: Test, stage: Stage, folder: string): SmallDisk | undefined {
  if (!succeeds('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'none', folder])) return undefined;
  t.teardown(() => succeeds('umount', ['-l', folder]));
  const vp: SmallDisk['vp'] = (args, settings) => stage.vp(args, settings);
  return { kind: 'mounted', folder, outside: folder, refusal: full, vp, ...fillingOf(folder) };
}

function setLimit({ pid, over }: Running, bytes: string): void {
  if (over) return;
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`prlimit: ${stderr}`);
}

/** No disk of its own: files may not grow while it is "full". */
export function limitedFiles(stage: Stage, name = 'disk'): SmallDisk {
  const folder = join(stage.folder, name);
  mkdirSync(folder, { recursive: true });
  return {
    kind: 'limited',
    folder,
    outside: folder,
    refusal: unusable,
    vp: (args, settings) => stage.vp(args, settings),
    fill: (running) => setLimit(running, '1'),
    free: (running) => setLimit(running, 'unlimited'),
  };
}

/** The best that this machine allows this user; the test's output says which. */
export async function smallDisk(t: Test, stage: Stage, name = 'disk'): Promise<SmallDisk> {
  const folder = join(stage.folder, name);
  mkdirSync(folder);
  const disk = (await inNamespace(stage, folder)) ?? mounted(t, stage, folder) ?? limitedFiles(stage, name);
  t.comment(`the disk is ${disk.kind}`);
  return disk;
}
