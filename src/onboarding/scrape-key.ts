/** The key with which this machine's Prometheus asks its executors for their metrics: one for all instances. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OnboardingContext } from './context.ts';
import { writeWhole } from './engine/whole-file.ts';

/** Its file, 0600, with what all instances share; it goes with the last one. */
export function scrapeKeyFile({ data }: { readonly data: string }): string {
  return join(data, 'shared', 'scrape.key');
}

/** The key; made where there is none. */
export async function scrapeKey({ ports }: Pick<OnboardingContext, 'ports'>): Promise<string> {
  const { paths, random } = ports.environment;
  const file = scrapeKeyFile(paths);
  const there = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (there !== '') return there;
  const made = `vps_${random.token(32)}`;
  await writeWhole(file, `${made}\n`, random);
  return made;
}
