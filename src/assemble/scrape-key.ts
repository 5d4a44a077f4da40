/** The key with which Prometheus asks a role for its metrics. */
import { resolve } from 'node:path';
import { vpError } from '../errors/vp-error.ts';
import { type Metrics, openMetrics } from '../metrics/metrics.ts';
import { readKeyFile } from '../secrets/key-file.ts';

/** Metrics that are told, and to whom. */
export type Scraped = { readonly metrics: Metrics; readonly key: string };

/** What `--scrape-key-file` names; undefined without, and then nothing is counted. Throws SCRAPE_KEY_ABSENT, STORE_KEY_EXPOSED. */
export async function openScraped(file: string | undefined, cwd: string): Promise<Scraped | undefined> {
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  const key = readKeyFile(path);
  if (!key) throw vpError('SCRAPE_KEY_ABSENT', { file: path });
  return { metrics: await openMetrics(true), key };
}
