/**
 * The calls of node:fs that the store makes. What a process of the simulation has open ends with it: a file that a crashed
 * process left open would stay so in the real one, of which thousands of schedules run out.
 */
import { closeSync as closeNow, openSync as openNow } from 'node:fs';
import { getActiveWorld } from './active-world.ts';

export * from 'node:fs';

const open = new Set<number>();

export function openSync(...values: Parameters<typeof openNow>): number {
  const descriptor = openNow(...values);
  const world = getActiveWorld();
  if (!world) return descriptor;
  open.add(descriptor);
  world.scheduler.current?.onEnd(() => world.scheduler.schedule(0, undefined, () => closeSync(descriptor)));
  return descriptor;
}

export function closeSync(descriptor: number): void {
  if (getActiveWorld() && !open.delete(descriptor)) return;
  closeNow(descriptor);
}

/** At once: nothing is really synced (sqlite.ts). */
export function fdatasync(_descriptor: number, onDone: (error: null) => void): void {
  onDone(null);
}

export function fdatasyncSync(): void {}
