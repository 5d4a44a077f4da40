/**
 * 1, 4 and 16 instances on one `vp serve`, each with a `vp executor` of its own, one target for all. Throughput: each instance gets
 * its share of the runs at once, until the last verdict of all. Latency: for each instance somebody asks for a run, waits for the
 * verdict, and asks for the next. The floors make the same calls to the target, as many at the same time.
 */

import type { BenchContext } from './bench-context.ts';
import { inTurns, median, quantile, type Series, series, timed } from './measure.ts';
import { addInstance, idAt, manyRuns, type Plane, rawCall, runScenario, startExecutor, startPlane } from './plane.ts';
import type { Service } from './processes.ts';
import type { Row } from './row.ts';

const sizes = [1, 4, 16] as const;

/** Throughput and latency for each number of instances. */
export async function sideBySide(context: BenchContext): Promise<Row[]> {
  const { url } = await context.target();
  const plane = await startPlane(context);
  const instances = Array.from({ length: Math.max(...sizes) }, (_, index) => `bench-${index}`);
  const executors: Service[] = [];
  for (const id of instances) {
    const key = await addInstance(plane, id);
    executors.push(await startExecutor(context, plane, key, context.fresh('executor')));
  }
  try {
    const groups = sizes.map((size) => createGroup(plane, instances.slice(0, size), url, context.quick));
    await inTurns(
      context.quick ? 1 : 3,
      groups.flatMap(({ all }) => all),
      1,
    );
    return groups.flatMap(({ rows }) => rows());
  } finally {
    await Promise.all(executors.map((executor) => executor.stop()));
    await plane.service.stop();
  }
}

/** Several callers, each one call after another; gives the milliseconds of every call. */
async function callers(many: number, calls: number, call: (caller: number, turn: number) => Promise<void>) {
  const samples: number[] = [];
  const work = async (caller: number): Promise<void> => {
    for (let turn = 0; turn < calls; turn += 1) samples.push(await timed(() => call(caller, turn)));
  };
  await Promise.all(Array.from({ length: many }, (_, caller) => work(caller)));
  return samples;
}

function createGroup(plane: Plane, instances: readonly string[], url: string, quick: boolean) {
  const size = instances.length;
  const share = (quick ? 96 : 480) / size;
  const turns = (quick ? 48 : 192) / size;
  const all = {
    runs: series(() => timed(() => Promise.all(instances.map((id) => manyRuns(plane, id, share))))),
    calls: series(() => timed(() => callers(size, share, (_, turn) => rawCall(url, idAt(turn))))),
    verdicts: series(() =>
      callers(size, turns, (index, turn) => runScenario(plane, instances[index] ?? '', idAt(turn))),
    ),
    answers: series(() => callers(size, turns, (_, turn) => rawCall(url, idAt(turn)))),
  };
  return { all: Object.values(all), rows: () => toRows(size, share * size, all) };
}

type Group = {
  readonly runs: Series<number>;
  readonly calls: Series<number>;
  readonly verdicts: Series<number[]>;
  readonly answers: Series<number[]>;
};

function toRows(size: number, count: number, { runs, calls, verdicts, answers }: Group): Row[] {
  const name = size === 1 ? '1 instance' : `${size} instances side by side`;
  const rate = ({ samples }: Series<number>): number => (count * 1000) / median(samples);
  const getQuantile = ({ samples }: Series<number[]>, share: number): number => quantile(samples.flat(), share);
  const many = size === 1 ? 'one at a time' : `${size} at a time`;
  const latency = (measured: string, share: number): Row => {
    const floor = { what: `raw HTTP, ${many}`, value: getQuantile(answers, share) };
    return { measured, value: getQuantile(verdicts, share), unit: 'ms', floor };
  };
  return [
    {
      measured: `${name}: throughput`,
      value: rate(runs),
      unit: 'runs/s',
      floor: { what: `raw HTTP, ${many}`, value: rate(calls), unit: 'calls/s' },
    },
    latency(`${name}: request to verdict, p50`, 0.5),
    latency(`${name}: request to verdict, p99`, 0.99),
  ];
}
