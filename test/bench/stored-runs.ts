/**
 * A control plane that has kept 1,000,000 runs, half of them of one instance, against one that has kept a few hundred: the
 * latest page of that instance over HTTP, request to verdict, memory, and the time to open.
 */

import { fillStore } from './fill-store.ts';
import { inTurns, median, series, timed } from './measure.ts';
import type { Place } from './place.ts';
import { addInstance, idAt, manyRuns, oneRun, type Plane, startExecutor, startPlane } from './plane.ts';
import { type Row, ratioAtMost, under } from './row.ts';

const instance = 'bench';
/** What is called unchanged. */
const unchangedWithin = 1.1;
const pageLength = 50;

/** An instance with one page of runs, and the same after a restart on the same folder. */
async function prepared(place: Place) {
  const plane = await startPlane(place);
  const key = await addInstance(plane, instance);
  const executorData = place.fresh('executor');
  const executor = await startExecutor(place, plane, key, executorData);
  for (let at = 0; at < pageLength; at += 1) await oneRun(plane, instance, idAt(at));
  await executor.stop();
  await plane.service.stop();
  const { data } = plane;
  const again = async () => {
    const reopened = await startPlane(place, data);
    return { plane: reopened, executor: await startExecutor(place, reopened, key, executorData) };
  };
  return { data, again };
}

/** Five rows. */
export async function storedRuns(place: Place): Promise<Row[]> {
  const [few, many] = [await prepared(place), await prepared(place)];
  const stored = place.quick ? 50_000 : 1_000_000;
  fillStore(many.data, instance, stored);
  const small = await few.again();
  const large = await many.again();
  try {
    return await compared(place, stored, small.plane, large.plane);
  } finally {
    await Promise.all([small.executor.stop(), large.executor.stop()]);
    await Promise.all([small.plane.service.stop(), large.plane.service.stop()]);
  }
}

async function compared({ quick }: Place, stored: number, small: Plane, large: Plane): Promise<Row[]> {
  const page = async ({ client }: Plane): Promise<void> => {
    const { items } = await client.runs.list({ instance, limit: pageLength });
    if (items.length !== pageLength) throw new Error(`a page of ${items.length} runs`);
  };
  const pages = { small: series(() => timed(() => page(small))), large: series(() => timed(() => page(large))) };
  const run = (plane: Plane) => series(() => timed(() => oneRun(plane, instance, idAt(0))));
  const runs = { small: run(small), large: run(large) };
  // Programs that have just started are slow for some hundred runs, whatever is stored.
  for (const plane of [small, large]) await manyRuns(plane, instance, quick ? 50 : 500);
  await inTurns(quick ? 20 : 200, [pages.large, pages.small], 20);
  await inTurns(quick ? 20 : 200, [runs.large, runs.small], 20);
  const what = 'few runs';
  const row = (measured: string, of: typeof pages): Row => {
    const floor = { what, value: median(of.small.samples) };
    return { measured, value: median(of.large.samples), unit: 'ms', floor };
  };
  return [
    under(row(`${stored.toLocaleString('en')} stored runs: latest page of an instance, p50`, pages), 10),
    ratioAtMost(row('request to verdict then, p50', runs), unchangedWithin),
    ...memoryRows(small, large),
    {
      measured: 'start of `vp serve` then',
      value: large.service.readyMs,
      unit: 'ms',
      floor: { what, value: small.service.readyMs },
    },
  ];
}

function memoryRows(small: Plane, large: Plane): Row[] {
  const [few, many] = [small.service.memoryMb(), large.service.memoryMb()];
  if (few === undefined || many === undefined) return [];
  return [{ measured: 'memory of `vp serve` then', value: many, unit: 'MB', floor: { what: 'few runs', value: few } }];
}
