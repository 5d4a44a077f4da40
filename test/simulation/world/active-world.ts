/** The simulation that is running: substitutes of libraries have no other way to it. */
import type { Disk } from './disk.ts';
import type { Scheduler } from './scheduler.ts';

export type ActiveWorld = { readonly scheduler: Scheduler; readonly disk: Disk };

let active: ActiveWorld | undefined;

export function setActiveWorld(world: ActiveWorld | undefined): void {
  active = world;
}

export function getActiveWorld(): ActiveWorld | undefined {
  return active;
}
