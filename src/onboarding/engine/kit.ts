/** Where the files of an instance lie on this machine. */
import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Paths } from '../../environment/paths.ts';
import type { Random } from '../../environment/random.ts';
import { writeWhole } from './whole-file.ts';

type Place = Pick<Paths, 'data'>;

/** The kit folder of an instance where none was named. */
export function usualKit({ data }: Place, instance: string): string {
  return join(data, 'kits', instance);
}

/** The folder of the compose file of a stack that all instances share. */
export function sharedFolder({ data }: Place, stack: 'router' | 'obs'): string {
  return join(data, 'shared', stack);
}

/** The parts of a kit. */
export function kitPlaces(kit: string) {
  return { compose: join(kit, 'compose'), machineKey: join(kit, 'machine.key'), scripts: join(kit, 'onboarding') };
}

function pointerFile({ data }: Place, instance: string): string {
  return join(data, 'kits', `${instance}.kit`);
}

/** The kit folder of an instance of this machine: the one that it was onboarded with, else the usual one. */
export async function knownKit(place: Place, instance: string): Promise<string> {
  const text = await readFile(pointerFile(place, instance), 'utf8').catch(() => '');
  return text.trim() || usualKit(place, instance);
}

/** Remembers a kit folder that is not the usual one. */
export async function rememberKit(
  place: Place,
  instance: string,
  kit: string,
  random: Pick<Random, 'token'>,
): Promise<void> {
  if (kit !== usualKit(place, instance)) await writeWhole(pointerFile(place, instance), `${kit}\n`, random);
  else await rm(pointerFile(place, instance), { force: true });
}

/** Forgets it. */
export async function forgetKit(place: Place, instance: string): Promise<void> {
  await rm(pointerFile(place, instance), { force: true });
  await removeIfEmpty(join(place.data, 'kits'));
}

/** Removes a folder that has nothing in it; true when it is gone. */
export async function removeIfEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch {
    return (await readdir(folder).catch(() => undefined)) === undefined;
  }
}
