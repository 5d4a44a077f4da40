/** What the numbers were measured on. */
import { closeSync, fdatasyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { version } from '../../src/environment/version.ts';
import { packedFile } from '../packed/packed.ts';
import { median } from './measure.ts';

const syncedWrites = 50;

/** `text` is one line for people. */
export type Machine = { readonly text: string; readonly syncedWriteMs: number };

/** Milliseconds of a write that reached the disk, in `folder`: every commit of a store waits for one. */
function syncedWriteMs(folder: string): number {
  const file = openSync(join(folder, 'synced'), 'w');
  const page = Buffer.alloc(4096, 'x');
  const samples = Array.from({ length: syncedWrites }, () => {
    const startMs = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startMs;
  });
  closeSync(file);
  return median(samples);
}

/** Virtual machines tell a family of processors instead of its name; their number is all there is then. */
function processorText(): string {
  const [first] = cpus();
  return `${cpus().length} cores of ${first?.model.trim() ?? 'an unknown processor'}`;
}

/** Programs that wanted a core in the last minute: where they are more than the cores, the numbers say little. */
function loadText(): string {
  try {
    const [lastMinute] = readFileSync('/proc/loadavg', 'utf8').split(' ');
    return `, load before ${lastMinute}`;
  } catch {
    return '';
  }
}

/** Describes this machine and the binary; `folder` is where the stores will stand. */
export function describeMachine(folder: string): Machine {
  const gib = Math.round(totalmem() / 1024 ** 3);
  const megabytes = Math.round(statSync(packedFile).size / 1e6);
  const synced = syncedWriteMs(folder);
  const text =
    `vp ${version} (${megabytes} MB, Node ${process.versions.node}) on ${processorText()}, ${gib} GiB, ` +
    `${type()} ${release()}, a synced write takes ${synced.toFixed(2)} ms${loadText()}.`;
  return { text, syncedWriteMs: synced };
}
