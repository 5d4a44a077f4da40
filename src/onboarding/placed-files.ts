/** The files that an instance's executor is given: config, secrets of the target, keys. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { known, type OnboardingContext } from './context.ts';
import { scrapeKey } from './scrape-key.ts';
import { caFileName } from './stacks/way.ts';

/** All but the executor's key, which is made anew each time they are placed. */
export async function placedFiles(context: OnboardingContext): Promise<Readonly<Record<string, string>>> {
  const { asked } = context;
  const way = known(context, 'way');
  const env = await readFile(join(asked.productDir, '.env'), 'utf8').catch(() => undefined);
  return {
    'platform-config.yaml': await readFile(join(asked.productDir, 'platform-config.yaml'), 'utf8'),
    ...(env === undefined ? {} : { '.env': env }),
    'scrape.key': await scrapeKey(context),
    ...(way.kind === 'url' && way.ca !== undefined ? { [caFileName]: way.ca } : {}),
  };
}

/** Their hash, keyed by what does not leave the machine: the journal can hold it and tells nothing of short secrets. */
export async function hashOfFiles(context: OnboardingContext): Promise<string> {
  const files = await placedFiles(context);
  const hash = createHash('sha256').update(files['scrape.key'] ?? '');
  for (const [name, text] of Object.entries(files).sort()) hash.update(`\0${name}\0${text}`);
  return hash.digest('hex');
}
