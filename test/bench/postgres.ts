/**
 * `vp serve --database` beside `vp serve` with its stores in files, in turns, each with an executor process for each instance.
 * The server runs on this machine, on a disk, and syncs every commit.
 */
import { startPostgres } from '../postgres/postgres-server.ts';
import type { BenchContext } from './bench-context.ts';
import { inTurns, median, quantile, series, timed } from './measure.ts';
import {
  addInstance,
  idAt,
  manyRuns,
  type Plane,
  rawCall,
  runScenario,
  startExecutor,
  startPlane,
  startPostgresPlane,
} from './plane.ts';
import { measureAudit } from './postgres-audit.ts';
import { countCommits, measureCommits } from './postgres-commits.ts';
import { measureNotices } from './postgres-notices.ts';
import { measureNewestPage } from './postgres-page.ts';
import { atLeast, type Row, withMaxOverFloor } from './row.ts';

const instances = Array.from({ length: 16 }, (_, index) => `bench-${index}`);
const [firstInstance = ''] = instances;

const serverSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  max_connections: 50,
};

export async function postgres(context: BenchContext): Promise<Row[]> {
  const ends: (() => unknown)[] = [];
  try {
    const server = await startPostgres(
      { teardown: (end) => ends.push(end) },
      { isOnDisk: true, settings: serverSettings },
    );
    await server.query('CREATE DATABASE bench');
    const databaseUrl = server.getUrl('bench');
    const { url } = await context.target();
    const planes = { postgres: await startPostgresPlane(context, databaseUrl), files: await startPlane(context) };
    for (const plane of Object.values(planes)) {
      ends.push(() => plane.service.stop());
      for (const id of instances) {
        const executor = await startExecutor(context, plane, await addInstance(plane, id), context.fresh('executor'));
        ends.push(() => executor.stop());
      }
    }
    const commits = async (): Promise<number> => await countCommits(server, 'bench');
    return [
      ...(await measureThroughput(context, planes, commits, server.getUrl('postgres'))),
      ...(await measureLatency(context, planes, url)),
      await measureNewestPage(context, server, planes.postgres, firstInstance),
      ...(await measureAudit(context, server)),
      ...(await measureNotices(context, server)),
    ];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

type Planes = { readonly postgres: Plane; readonly files: Plane };

async function measureThroughput(
  { quick }: BenchContext,
  planes: Planes,
  commits: () => Promise<number>,
  bareUrl: string,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [size, goal] of [
    [1, 250],
    [16, 500],
  ] as const) {
    const share = (quick ? 160 : 800) / size;
    const count = share * size;
    let commitsOfAll = 0;
    const take = (plane: Plane) =>
      timed(() => Promise.all(instances.slice(0, size).map((id) => manyRuns(plane, id, share))));
    const onPostgres = series(async () => {
      const before = await commits();
      const ms = await take(planes.postgres);
      commitsOfAll = (await commits()) - before;
      return ms;
    });
    const inFiles = series(() => take(planes.files));
    const bare = series(() => timed(() => measureCommits(bareUrl, commitsOfAll)));
    await inTurns(quick ? 2 : 5, [onPostgres, inFiles, bare], 2);
    const rate = ({ samples }: { readonly samples: readonly number[] }): number => (count * 1000) / median(samples);
    const name = size === 1 ? 'one instance' : `${size} instances`;
    const measured = `${name} on PostgreSQL, runs back to back (${(commitsOfAll / count).toFixed(1)} commits each)`;
    const value = rate(onPostgres);
    rows.push(
      atLeast({ measured, value, unit: 'runs/s', floor: { what: 'stores in files', value: rate(inFiles) } }, goal),
      {
        measured: 'the same',
        value,
        unit: 'runs/s',
        floor: { what: 'a bare client with as many commits', value: rate(bare) },
      },
    );
  }
  return rows;
}

async function measureLatency({ quick }: BenchContext, planes: Planes, url: string): Promise<Row[]> {
  let turn = 0;
  const onPostgres = series(() => timed(() => runScenario(planes.postgres, firstInstance, idAt(turn))));
  const inFiles = series(() => timed(() => runScenario(planes.files, firstInstance, idAt(turn))));
  const raw = series(() => timed(() => rawCall(url, idAt(turn++))));
  await inTurns(quick ? 50 : 300, [onPostgres, inFiles, raw], 20);
  const row = (measured: string, share: number, what: string, floor: readonly number[]): Row => ({
    ...{ measured, value: quantile(onPostgres.samples, share), unit: 'ms' },
    floor: { what, value: quantile(floor, share) },
  });
  return [
    withMaxOverFloor(row('request to verdict on PostgreSQL, p50', 0.5, 'raw HTTP', raw.samples), 8),
    row('the same, p50', 0.5, 'stores in files', inFiles.samples),
    row('the same, p99', 0.99, 'stores in files', inFiles.samples),
  ];
}
