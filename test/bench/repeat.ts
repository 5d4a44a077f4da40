/**
 * `vp run --local --repeat 1000` of the four: 4,000 requests and 24,000 checks in one process, against the bare script in
 * a loop. Rates count the whole process, start and summary included. Memory is the peak of the resident set.
 */

import type { BenchContext } from './bench-context.ts';
import { bareFour, localRun } from './four.ts';
import { inTurns, median, type Series, series } from './measure.ts';
import { type Ended, type Program, run } from './processes.ts';
import { type Row, ratioAtLeast, under, withMaxRatio } from './row.ts';

const scenarios = 4;
const jobs = 4;
/** More memory after five times as much work would be a leak; the collector alone explains a few percent. */
const flatWithin = 1.1;

/** Requests a second of the whole process. */
function rate(sets: number, { samples }: Series<Ended>): number {
  return (sets * scenarios * 1000) / median(samples.map(({ ms }) => ms));
}

function peak({ samples }: Series<Ended>): number | undefined {
  const peaks = samples.flatMap(({ peakMb }) => peakMb ?? []);
  return peaks.length === 0 ? undefined : median(peaks);
}

/** Rates one after another and side by side, and memory. */
export async function repeat(context: BenchContext): Promise<Row[]> {
  const { url } = await context.target();
  const sets = context.quick ? 200 : 1000;
  const measured = (program: Program) => series(() => run(program, { memory: true }));
  const repeated = (count: number, ...more: readonly string[]) =>
    measured(localRun(context, url, '--repeat', String(count), ...more));
  const sequential = repeated(sets);
  const bare = measured(bareFour(context, url, sets));
  const side = repeated(sets, '--jobs', String(jobs));
  const bareSide = measured(bareFour(context, url, sets, jobs));
  const few = repeated(sets / 5);
  await inTurns(context.quick ? 2 : 5, [sequential, bare, side, bareSide, few]);
  const unit = 'requests/s';
  const sequentialRow: Row = {
    measured: `\`vp run --local --repeat ${sets}\` of the four`,
    value: rate(sets, sequential),
    unit,
    floor: { what: 'bare script', value: rate(sets, bare) },
  };
  const ofSide: Row = {
    measured: `the same with \`--jobs ${jobs}\``,
    value: rate(sets, side),
    unit,
    floor: { what: `bare script, ${jobs} at a time`, value: rate(sets, bareSide) },
    limit: { text: 'more than without', isMet: rate(sets, side) > rate(sets, sequential) },
  };
  return [
    ratioAtLeast(sequentialRow, 0.6),
    ofSide,
    ...memoryRows(sets, peak(sequential), peak(few), peak(bare)),
    ...jobRows(sets, peak(side), peak(bareSide)),
  ];
}

type Peak = number | undefined;

function jobRows(sets: number, side: Peak, bare: Peak): Row[] {
  if (side === undefined || bare === undefined) return [];
  const floor = { what: `bare script, ${jobs} at a time`, value: bare };
  return [
    under({ measured: `peak memory of \`--repeat ${sets} --jobs ${jobs}\``, value: side, unit: 'MB', floor }, 155),
  ];
}

/** Nothing where the system does not tell. */
function memoryRows(sets: number, many: Peak, few: Peak, bare: Peak): Row[] {
  if (many === undefined || few === undefined || bare === undefined) return [];
  const ofMany: Row = {
    measured: `peak memory of \`--repeat ${sets}\``,
    value: many,
    unit: 'MB',
    floor: { what: 'bare script', value: bare },
  };
  const growth: Row = {
    measured: 'the same against fewer',
    value: many,
    unit: 'MB',
    floor: { what: `\`--repeat ${sets / 5}\``, value: few },
  };
  return [under(ofMany, 155), withMaxRatio(growth, flatWithin)];
}
