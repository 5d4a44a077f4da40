/**
 * Runs a second on PostgreSQL, of one instance and of 16, the latter with one replica and with two. All executors are processes of
 * their own, and V8 optimizes what each executes only while it does: the first runs take two to three times as long, and become
 * faster until some 1,000 of each. Both are measured. 16 instances are measured alone, one system after another, as users have
 * them: two replicas made 395 to 420 runs/s a few minutes after the bench with all systems at once had 364.
 */
import type { BenchContext } from './bench-context.ts';
import { inTurns, median, series, timed } from './measure.ts';
import { manyRuns, type Plane } from './plane.ts';
import { measureCommits } from './postgres-commits.ts';
import { atLeast, type Row } from './row.ts';

/** Callers of the instance with this index ask this plane. */
export type Callers = (index: number) => Plane;

export type OneInstance = {
  readonly instance: string;
  readonly oneReplica: Plane;
  readonly files: Plane;
  /** Transactions that the stores of one replica have begun. */
  countCommits(): Promise<number>;
  /** A database for the bare client. */
  readonly bareUrl: string;
};

const toRate = (count: number, ms: number): number => (count * 1000) / ms;

/** One instance, back to back: 800 runs in each turn, after 1,600. */
export async function measureOneInstance({ quick }: BenchContext, subjects: OneInstance): Promise<Row[]> {
  const { instance } = subjects;
  const count = quick ? 160 : 800;
  let commits = 0;
  const onPostgres = series(async () => {
    const before = await subjects.countCommits();
    const ms = await timed(() => manyRuns(subjects.oneReplica, instance, count));
    commits = (await subjects.countCommits()) - before;
    return ms;
  });
  const inFiles = series(() => timed(() => manyRuns(subjects.files, instance, count)));
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

type Rates = { readonly first: number; readonly warm: number };

/** Runs a second of all instances side by side, the first of each executor and later ones. */
export async function measureSystem(
  { quick }: BenchContext,
  instances: readonly string[],
  callers: Callers,
): Promise<Rates> {
  const counts = quick ? fewRunsOfEach : runsOfEach;
  const measure = async (count: number, turns: number): Promise<number> => {
    const all = series(() =>
      timed(() => Promise.all(instances.map((id, index) => manyRuns(callers(index), id, count)))),
    );
    await inTurns(turns, [all]);
    return toRate(count * instances.length, median(all.samples));
  };
  const first = await measure(counts.first, 1);
  await measure(counts.warmUp, 1);
  return { first, warm: await measure(counts.turn, quick ? 2 : 7) };
}

export type SystemRates = { readonly twoReplicas: Rates; readonly oneReplica: Rates; readonly files: Rates };

export function listSystemRows(count: number, { twoReplicas, oneReplica, files }: SystemRates): Row[] {
  const name = `${count} instances on PostgreSQL, runs back to back`;
  const row = (measured: string, value: number, floor: number): Row => ({
    ...{ measured, value, unit: 'runs/s' },
    floor: { what: 'stores in files', value: floor },
  });
  return [
    atLeast(row(`${name}, callers and executors at two replicas`, twoReplicas.warm, files.warm), 500),
    row('the same with one replica', oneReplica.warm, files.warm),
    row(`the first ${runsOfEach.first} runs of each executor, two replicas`, twoReplicas.first, files.first),
    row('the same with one replica', oneReplica.first, files.first),
  ];
}
