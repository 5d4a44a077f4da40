/** Keys in files of this machine. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OnboardingContext, requireState } from './context.ts';
import { getKitPaths } from './kit/kit-paths.ts';
import { writeOnboardingFile } from './onboarding-file.ts';

/** The machine key permits reading and removing its instance, and nothing else. */
export async function readMachineKey(kit: string): Promise<string | undefined> {
  const text = await readFile(getKitPaths(kit).machineKey, 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/** The key for direct runs and probes at the executor of this machine; undefined before the first onboarding. */
export async function readDirectKey(kit: string): Promise<string | undefined> {
  const text = await readFile(getKitPaths(kit).directKey, 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/** Creates the key if there is none. */
export async function ensureDirectKey(context: OnboardingContext): Promise<string> {
  const { random } = context.ports.environment;
  const kit = requireState(context, 'kit');
  const existingKey = await readDirectKey(kit);
  if (existingKey !== undefined) return existingKey;
  const newKey = `vpd_${random.token(32)}`;
  await writeOnboardingFile(getKitPaths(kit).directKey, `${newKey}\n`, random);
  return newKey;
}

/** Creates a key for the instance and writes it to the kit, mode 0600. */
export async function createMachineKey(context: OnboardingContext): Promise<void> {
  const { ports, signal } = context;
  const { instances } = requireState(context, 'client');
  const { machine_key: key } = await instances.createMachineKey(requireState(context, 'instanceId'), { signal });
  await writeOnboardingFile(getKitPaths(requireState(context, 'kit')).machineKey, `${key}\n`, ports.environment.random);
}

/** The scrape key, with which Prometheus reads the metrics of all executors of this machine. It is removed with the last instance. */
export function getScrapeKeyPath({ data }: { readonly data: string }): string {
  return join(data, 'shared', 'scrape.key');
}

/** Creates the key if there is none. */
export async function ensureScrapeKey({ ports }: Pick<OnboardingContext, 'ports'>): Promise<string> {
  const { paths, random } = ports.environment;
  const file = getScrapeKeyPath(paths);
  const existingKey = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (existingKey !== '') return existingKey;
  const newKey = `vps_${random.token(32)}`;
  await writeOnboardingFile(file, `${newKey}\n`, random);
  return newKey;
}
