/**
 * A control plane that has kept 1,000,000 runs, half of them of one instance, against one that has kept a few hundred: the
 * latest page of that instance over HTTP, request to verdict, memory, and the time to open.
 */

import type { BenchContext } from './bench-context.ts';
import { fillStore } from './fill-store.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { addInstance, idAt, manyRuns, type Plane, runScenario, startExecutor, startPlane } from './plane.ts';
import { type Row, under, withMaxRatio } from './row.ts';

const instance = 'bench';
/** What is called unchanged. */
const unchangedWithin = 1.1;
const pageLength = 50;

/** An instance with one page of runs, and the same after a restart on the same folder. */
async function prepared(context: BenchContext) {
  const plane = await startPlane(context);
  const key = await addInstance(plane, instance);
  const executorData = context.fresh('executor');
  const executor = await startExecutor(context, plane, key, executorData);
  for (let index = 0; index < pageLength; index += 1) await runScenario(plane, instance, idAt(index));
  await executor.stop();
  await plane.service.stop();
  const { data } = plane;
  const again = async () => {
    const reopened = await startPlane(context, data);
    return { plane: reopened, executor: await startExecutor(context, reopened, key, executorData) };
  };
  return { data, again };
}

/** Five rows. */
export async function storedRuns(context: BenchContext): Promise<Row[]> {
  const [few, many] = [await prepared(context), await prepared(context)];
  const stored = context.quick ? 50_000 : 1_000_000;
  fillStore(many.data, instance, stored);
  const small = await few.again();
  const large = await many.again();
  try {
    return await compared(context, stored, small.plane, large.plane);
  } finally {
    await Promise.all([small.executor.stop(), large.executor.stop()]);
    await Promise.all([small.plane.service.stop(), large.plane.service.stop()]);
  }
}

async function compared({ quick }: BenchContext, stored: number, small: Plane, large: Plane): Promise<Row[]> {
  const page = async ({ client }: Plane): Promise<void> => {
    const { items } = await client.runs.list({ instance, limit: pageLength });
    if (items.length !== pageLength) throw new Error(`a page of ${items.length} runs`);
  };
  const pages = { small: series(() => timed(() => page(small))), large: series(() => timed(() => page(large))) };
  const run = (plane: Plane) => series(() => timed(() => runScenario(plane, instance, idAt(0))));
  const runs = { small: run(small), large: run(large) };
  // Programs that have just started are slow for some hundred runs, whatever is stored.
  for (const plane of [small, large]) await manyRuns(plane, instance, quick ? 50 : 500);
  await inTurns(quick ? 20 : 200, [pages.large, pages.small], 20);
  await inTurns(quick ? 20 : 200, [runs.large, runs.small], 20);
  const floorName = 'few runs';
  const row = (measured: string, source: typeof pages): Row => {
    const floor = { what: floorName, value: median(source.small.samples) };
    return { measured, value: median(source.large.samples), unit: 'ms', floor };
  };
  return [
    under(row(`${stored.toLocaleString('en')} stored runs: latest page of an instance, p50`, pages), 10),
    withMaxRatio(row('request to verdict then, p50', runs), unchangedWithin),
    ...memoryRows(small, large),
    {
      measured: 'start of `vp serve` then',
      value: large.service.readyMs,
      unit: 'ms',
      floor: { what: floorName, value: small.service.readyMs },
    },
  ];
}

function memoryRows(small: Plane, large: Plane): Row[] {
  const [few, many] = [small.service.memoryMb(), large.service.memoryMb()];
  if (few === undefined || many === undefined) return [];
  return [{ measured: 'memory of `vp serve` then', value: many, unit: 'MB', floor: { what: 'few runs', value: few } }];
}
