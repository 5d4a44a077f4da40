/** The calls of node:fs/promises that the store makes, as events of the simulation. */
import type { StatsFs } from 'node:fs';
import { getActiveWorld } from './active-world.ts';

const latencyMs = 0.4;

/** Settles as an event of the process that called; at once while the template is made, before there is a world. */
async function inProcess<T>(work: () => T): Promise<T> {
  const world = getActiveWorld();
  if (!world) return work();
  return new Promise((resolve, reject) => {
    const process = world.scheduler.current;
    world.scheduler.schedule(latencyMs, process, () => {
      if (process?.mayContinue('at a file') === false) return;
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });
}

function assertWritable(file: string): void {
  if (getActiveWorld()?.disk.find(file)?.fault) throw new Error('EIO: i/o error, fdatasync');
}

/** A write-ahead log, to be synced. */
export async function open(file: string): Promise<{ datasync(): Promise<void>; close(): Promise<void> }> {
  return {
    datasync: () =>
      inProcess(() => {
        assertWritable(file);
        getActiveWorld()?.disk.recordSync(file.replace(/-wal$/, ''));
      }),
    close: async () => {},
  };
}

export function statfs(folder: string): Promise<Pick<StatsFs, 'bavail' | 'bsize'>> {
  return inProcess(() => {
    const isFull = getActiveWorld()?.disk.find(`${folder}/file`)?.fault !== undefined;
    return { bavail: isFull ? 0 : 1_000_000, bsize: 4096 };
  });
}
