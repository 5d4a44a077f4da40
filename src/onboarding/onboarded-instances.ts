/** The instances that this user has onboarded on this machine, by the journals of their kits. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { UserPaths } from '../environment/paths.ts';
import { findKitFolder } from './kit/kit-paths.ts';
import { type JournalFacts, readJournal } from './workflow/journal.ts';

export type OnboardedInstance = { readonly kit: string; readonly facts: JournalFacts };

/** The instance of that id; undefined without a readable journal of it. */
export async function findOnboardedInstance(
  paths: Pick<UserPaths, 'data'>,
  instanceId: string,
): Promise<OnboardedInstance | undefined> {
  const kit = await findKitFolder(paths, instanceId);
  const facts = (await readJournal(kit).catch(() => undefined))?.facts;
  return facts?.instance_id === instanceId ? { kit, facts } : undefined;
}

/** Sorted by id. */
export async function listOnboardedInstances(paths: Pick<UserPaths, 'data'>): Promise<readonly OnboardedInstance[]> {
  const names = await readdir(join(paths.data, 'kits')).catch(() => []);
  const ids = [...new Set(names.map((name) => name.replace(/\.kit$/, '')))].sort();
  const instances = await Promise.all(ids.map((id) => findOnboardedInstance(paths, id)));
  return instances.flatMap((instance) => instance ?? []);
}
