/** This machine's key, which may take its instance away again and nothing else. */
import { readFile } from 'node:fs/promises';
import { known, type OnboardingContext } from './context.ts';
import { kitPlaces } from './engine/kit.ts';
import { writeWhole } from './engine/whole-file.ts';

/** The key in a kit; undefined where there is none. */
export async function machineKeyIn(kit: string): Promise<string | undefined> {
  const text = await readFile(kitPlaces(kit).machineKey, 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/** Makes one for the instance and keeps it in the kit, 0600. */
export async function keepMachineKey(context: OnboardingContext): Promise<void> {
  const { ports, signal } = context;
  const { instances } = known(context, 'client');
  const { machine_key: key } = await instances.makeMachineKey(known(context, 'instanceId'), { signal });
  await writeWhole(kitPlaces(known(context, 'kit')).machineKey, `${key}\n`, ports.environment.random);
}
