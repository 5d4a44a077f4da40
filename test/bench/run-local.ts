/** `vp run --local` of the four scenarios, from start to end, against a bare script that does the same by hand. */
import { bareFour, localRun } from './four.ts';
import { inTurns, median, series } from './measure.ts';
import type { Place } from './place.ts';
import { run } from './processes.ts';
import { type Row, ratioAtMost } from './row.ts';

/** One row. */
export async function runLocal(place: Place): Promise<Row[]> {
  const { url } = await place.target();
  const ofVp = series(async () => (await run(localRun(place, url))).ms);
  const ofBare = series(async () => (await run(bareFour(place, url, 1))).ms);
  await inTurns(place.quick ? 5 : 25, [ofVp, ofBare], 2);
  const floor = { what: 'bare script', value: median(ofBare.samples) };
  const measured = '`vp run --local`, four scenarios';
  return [ratioAtMost({ measured, value: median(ofVp.samples), unit: 'ms', floor }, 2.5)];
}
