/** How long it takes to start: `vp --version` against Node, as npm installs it, that is asked to do nothing. */

import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series } from './measure.ts';
import { run } from './processes.ts';
import { type Row, withMaxRatio } from './row.ts';

/** One row. */
export async function start({ vp, node, quick }: BenchContext): Promise<Row[]> {
  const ofVp = series(async () => (await run(vp('--version'))).ms);
  const ofNode = series(async () => (await run(node('-e', '0'))).ms);
  await inTurns(quick ? 5 : 40, [ofVp, ofNode], 2);
  const floor = { what: '`node -e 0`', value: median(ofNode.samples) };
  return [withMaxRatio({ measured: '`vp --version`', value: median(ofVp.samples), unit: 'ms', floor }, 2)];
}
