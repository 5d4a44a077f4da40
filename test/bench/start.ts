/** How long it takes to start: `vp --version` against Node, as npm installs it, that is asked to do nothing. */

import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series } from './measure.ts';
import { run } from './processes.ts';
import { type Row, under, withMaxRatio } from './row.ts';

/** A row for a start, and one for the completion of a word, which a person waits for at each Tab. */
export async function start({ vp, node, quick }: BenchContext): Promise<Row[]> {
  const ofVp = series(async () => (await run(vp('--version'))).ms);
  const ofNode = series(async () => (await run(node('-e', '0'))).ms);
  const ofCompletion = series(async () => (await run(vp('complete', '--', 'runs', 's'))).ms);
  await inTurns(quick ? 5 : 40, [ofVp, ofNode, ofCompletion], 2);
  const floor = { what: '`node -e 0`', value: median(ofNode.samples) };
  const completion: Row = {
    measured: '`vp complete` of a word',
    value: median(ofCompletion.samples),
    unit: 'ms',
    floor,
  };
  return [
    withMaxRatio({ measured: '`vp --version`', value: median(ofVp.samples), unit: 'ms', floor }, 2),
    under(completion, 150),
  ];
}
