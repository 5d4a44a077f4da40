/**
 * Runs a second on PostgreSQL, of one instance and of 16, the latter with one replica and with two. All executors are processes of
 * their own, and V8 optimizes what each executes only while it does: the first runs take two to three times as long, and become
 * faster until some 1,000 of each. Both are measured.
 */
import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { manyRuns, type Plane } from './plane.ts';
import { measureCommits } from './postgres-commits.ts';
import { atLeast, type Row } from './row.ts';

/** Callers of the instance with this index ask this plane. */
export type Callers = (index: number) => Plane;

export type ThroughputSubjects = {
  readonly instances: readonly string[];
  readonly oneReplica: Callers;
  readonly files: Callers;
  /** Transactions that the stores of one replica have begun. */
  countCommits(): Promise<number>;
  /** A database for the bare client. */
  readonly bareUrl: string;
};

const toRate = (count: number, ms: number): number => (count * 1000) / ms;

/** One instance, back to back: 800 runs in each turn, after 1,600. */
export async function measureOneInstance({ quick }: BenchContext, subjects: ThroughputSubjects): Promise<Row[]> {
  const [instance = ''] = subjects.instances;
  const count = quick ? 160 : 800;
  let commits = 0;
  const onPostgres = series(async () => {
    const before = await subjects.countCommits();
    const ms = await timed(() => manyRuns(subjects.oneReplica(0), instance, count));
    commits = (await subjects.countCommits()) - before;
    return ms;
  });
  const inFiles = series(() => timed(() => manyRuns(subjects.files(0), instance, count)));
  const bare = series(() => timed(() => measureCommits(subjects.bareUrl, commits)));
  await inTurns(quick ? 2 : 5, [onPostgres, inFiles, bare], 2);
  const rate = ({ samples }: { readonly samples: readonly number[] }): number => toRate(count, median(samples));
  const measured = `one instance on PostgreSQL, runs back to back (${(commits / count).toFixed(1)} commits each)`;
  const value = rate(onPostgres);
  return [
    atLeast({ measured, value, unit: 'runs/s', floor: { what: 'stores in files', value: rate(inFiles) } }, 250),
    {
      measured: 'the same',
      value,
      unit: 'runs/s',
      floor: { what: 'a bare client with as many commits', value: rate(bare) },
    },
  ];
}

/** Of each instance: the first runs; those that follow until nothing becomes faster any more; those of each turn. */
const runsOfEach = { first: 50, warmUp: 1000, turn: 100 };
const fewRunsOfEach = { first: 10, warmUp: 10, turn: 10 };

/** All instances side by side. */
export async function measureAllInstances(
  { quick }: BenchContext,
  subjects: ThroughputSubjects & { readonly twoReplicas: Callers },
): Promise<Row[]> {
  const { instances } = subjects;
  const counts = quick ? fewRunsOfEach : runsOfEach;
  const measure = async (count: number, rounds: number) => {
    const take = (callers: Callers) =>
      series(() => timed(() => Promise.all(instances.map((id, index) => manyRuns(callers(index), id, count)))));
    const all = [take(subjects.twoReplicas), take(subjects.oneReplica), take(subjects.files)];
    await inTurns(rounds, all);
    const [two = 0, one = 0, files = 0] = all.map(({ samples }) => toRate(count * instances.length, median(samples)));
    return { two, one, files };
  };
  const first = await measure(counts.first, 1);
  await measure(counts.warmUp, 1);
  const warm = await measure(counts.turn, quick ? 2 : 7);
  const name = `${instances.length} instances on PostgreSQL, runs back to back`;
  const row = (measured: string, value: number, files: number): Row => ({
    ...{ measured, value, unit: 'runs/s' },
    floor: { what: 'stores in files', value: files },
  });
  return [
    atLeast(row(`${name}, callers and executors at two replicas`, warm.two, warm.files), 500),
    row('the same with one replica', warm.one, warm.files),
    row(`the first ${counts.first} runs of each executor, two replicas`, first.two, first.files),
    row('the same with one replica', first.one, first.files),
  ];
}
