/** Paths of the files of an instance. */
import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserPaths } from '../../environment/paths.ts';
import type { Random } from '../../environment/random.ts';
import { writeOnboardingFile } from '../onboarding-file.ts';

type KitLocation = Pick<UserPaths, 'data'>;

/** The kit folder of an instance unless the user named one. */
export function getDefaultKitFolder({ data }: KitLocation, instance: string): string {
  return join(data, 'kits', instance);
}

/** Folder of the compose file of a stack that all instances share. */
export function getSharedStackFolder({ data }: KitLocation, stack: 'router' | 'obs'): string {
  return join(data, 'shared', stack);
}

export function getKitPaths(kit: string) {
  return {
    compose: join(kit, 'compose'),
    machineKey: join(kit, 'machine.key'),
    directKey: join(kit, 'direct.key'),
    scripts: join(kit, 'onboarding'),
  };
}

function kitPointerPath({ data }: KitLocation, instance: string): string {
  return join(data, 'kits', `${instance}.kit`);
}

/** The kit folder that an instance was onboarded with, else the default one. */
export async function findKitFolder(location: KitLocation, instance: string): Promise<string> {
  const text = await readFile(kitPointerPath(location, instance), 'utf8').catch(() => '');
  return text.trim() || getDefaultKitFolder(location, instance);
}

/** Saves which kit folder an instance has, unless it is the default one. */
export async function saveKitFolder(
  location: KitLocation,
  instance: string,
  kit: string,
  random: Pick<Random, 'token'>,
): Promise<void> {
  if (kit !== getDefaultKitFolder(location, instance))
    await writeOnboardingFile(kitPointerPath(location, instance), `${kit}\n`, random);
  else await rm(kitPointerPath(location, instance), { force: true });
}

export async function forgetKitFolder(location: KitLocation, instance: string): Promise<void> {
  await rm(kitPointerPath(location, instance), { force: true });
  await removeIfEmpty(join(location.data, 'kits'));
}

/** True when the folder no longer exists. */
export async function removeIfEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch {
    return (await readdir(folder).catch(() => undefined)) === undefined;
  }
}
