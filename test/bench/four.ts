/** The four scenarios of the example as programs: by `vp`, and by hand. */
import { apiToken, type BenchContext } from './bench-context.ts';
import type { Program } from './processes.ts';

/** `vp run --local` of all four, with more flags. */
export function localRun({ vp, productDir, testDir }: BenchContext, url: string, ...more: readonly string[]): Program {
  return vp('run', '--local', '--base-url', url, '--product-dir', productDir, '--test-dir', testDir, ...more);
}

/** The bare script, see there. */
export function bareFour({ node }: BenchContext, url: string, sets: number, jobs = 1): Program {
  return node('bare-four.mjs', url, apiToken, String(sets), String(jobs));
}

/** The same once, as lean as it can be written. */
export function leanFour({ node }: BenchContext, url: string): Program {
  return node('lean-four.mjs', url, apiToken);
}
