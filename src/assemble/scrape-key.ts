/** The key with which Prometheus scrapes a role. */
import { resolve } from 'node:path';
import { vpError } from '../errors/vp-error.ts';
import { type Metrics, openMetrics } from '../metrics/metrics.ts';
import { readKeyFile } from '../secrets/key-file.ts';

export type ScrapeAccess = { readonly metrics: Metrics; readonly key: string };

/** Reads `--scrape-key-file`; without it, undefined, and metrics are off. Throws SCRAPE_KEY_ABSENT, STORE_KEY_EXPOSED. */
export async function openScrapeAccess(file: string | undefined, cwd: string): Promise<ScrapeAccess | undefined> {
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  const key = readKeyFile(path);
  if (!key) throw vpError('SCRAPE_KEY_ABSENT', { file: path });
  return { metrics: await openMetrics(true), key };
}
