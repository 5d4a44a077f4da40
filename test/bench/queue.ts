/**
 * One instance through the control plane: `vp serve`, `vp executor` and the target are a process each; then `vp serve
 * --embedded` and the target. Back to back: all runs are asked for at once, until the last verdict is there; the floor makes
 * the same calls to the target, one after another. Request to verdict: one run at a time, from asking for it to having
 * its report; the floor is one call to the target.
 */

import type { BenchContext } from './bench-context.ts';
import { inTurns, median, quantile, series, timed } from './measure.ts';
import {
  addInstance,
  idAt,
  manyRuns,
  type Plane,
  rawCall,
  runScenario,
  startEmbeddedPlane,
  startExecutor,
  startPlane,
} from './plane.ts';
import { atLeast, type Row, withMaxOverFloor } from './row.ts';

const instance = 'bench';

/** Both shapes of a control plane with an executor. */
async function started(context: BenchContext) {
  const plane = await startPlane(context);
  const key = await addInstance(plane, instance);
  const executor = await startExecutor(context, plane, key, context.fresh('executor'));
  const embedded = await startEmbeddedPlane(context, instance);
  const stop = async (): Promise<void> => {
    await executor.stop();
    await Promise.all([plane.service.stop(), embedded.service.stop()]);
  };
  return { plane, embedded, stop };
}

/** Runs a second and milliseconds to a verdict, of both shapes. */
export async function queue(context: BenchContext): Promise<Row[]> {
  const { url } = await context.target();
  const { plane, embedded, stop } = await started(context);
  try {
    return [...(await throughput(context, plane, embedded, url)), ...(await latency(context, plane, embedded, url))];
  } finally {
    await stop();
  }
}

async function throughput(context: BenchContext, plane: Plane, embedded: Plane, url: string): Promise<Row[]> {
  const count = context.quick ? 100 : 600;
  const calls = async (): Promise<void> => {
    for (let index = 0; index < count; index += 1) await rawCall(url, idAt(index));
  };
  const apart = series(() => timed(() => manyRuns(plane, instance, count)));
  const together = series(() => timed(() => manyRuns(embedded, instance, count)));
  const raw = series(() => timed(calls));
  await inTurns(context.quick ? 2 : 5, [apart, together, raw], 1);
  const rate = (samples: readonly number[]): number => (count * 1000) / median(samples);
  const floor = { what: 'raw HTTP', value: rate(raw.samples), unit: 'calls/s' } as const;
  const row = (measured: string, samples: readonly number[]): Row =>
    atLeast({ measured, value: rate(samples), unit: 'runs/s', floor }, 300);
  return [
    row('one instance, runs back to back: `vp serve` and `vp executor`', apart.samples),
    row('the same: `vp serve --embedded`', together.samples),
  ];
}

async function latency(context: BenchContext, plane: Plane, embedded: Plane, url: string): Promise<Row[]> {
  let turn = 0;
  const apart = series(() => timed(() => runScenario(plane, instance, idAt(turn))));
  const together = series(() => timed(() => runScenario(embedded, instance, idAt(turn))));
  const raw = series(() => timed(() => rawCall(url, idAt(turn++))));
  await inTurns(context.quick ? 30 : 300, [apart, together, raw], 20);
  const row = (measured: string, samples: readonly number[], share: number): Row => {
    const floor = { what: 'raw HTTP', value: quantile(raw.samples, share) };
    return { measured, value: quantile(samples, share), unit: 'ms', floor };
  };
  return [
    withMaxOverFloor(row('request to verdict, p50: `vp serve` and `vp executor`', apart.samples, 0.5), 6),
    row('the same, p99', apart.samples, 0.99),
    withMaxOverFloor(row('request to verdict, p50: `vp serve --embedded`', together.samples, 0.5), 6),
    row('the same, p99', together.samples, 0.99),
  ];
}
