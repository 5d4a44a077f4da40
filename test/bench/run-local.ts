/** `vp run --local` of the four scenarios, from start to end, against the leanest script that does the same by hand. */

import type { BenchContext } from './bench-context.ts';
import { leanFour, localRun } from './four.ts';
import { inTurns, median, series } from './measure.ts';
import { run } from './processes.ts';
import { type Row, withMaxRatio } from './row.ts';

/** One row. */
export async function runLocal(context: BenchContext): Promise<Row[]> {
  const { url } = await context.target();
  const ofVp = series(async () => (await run(localRun(context, url))).ms);
  const ofLean = series(async () => (await run(leanFour(context, url))).ms);
  await inTurns(context.quick ? 5 : 25, [ofVp, ofLean], 2);
  const floor = { what: 'leanest script', value: median(ofLean.samples) };
  const measured = '`vp run --local`, four scenarios';
  return [withMaxRatio({ measured, value: median(ofVp.samples), unit: 'ms', floor }, 1.5)];
}
