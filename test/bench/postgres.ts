/**
 * `vp serve --database`, as one replica and as two, beside `vp serve` with its stores in files, in turns, each with an executor process for
 * each instance. The server runs on this machine, on a disk, and syncs every commit. Callers and executors are spread over the two replicas as
 * by a load balancer: every other executor waits at the standby, and who asks for its runs is at the other replica.
 */
import { startPostgres } from '../postgres/postgres-server.ts';
import type { BenchContext } from './bench-context.ts';
import { inTurns, quantile, series, timed } from './measure.ts';
import {
  addInstance,
  idAt,
  type Plane,
  rawCall,
  runScenario,
  startExecutor,
  startPlane,
  startPostgresPlane,
  startStandby,
} from './plane.ts';
import { measureAudit } from './postgres-audit.ts';
import { countCommits } from './postgres-commits.ts';
import { measureNotices } from './postgres-notices.ts';
import { measureNewestPage } from './postgres-page.ts';
import { measureAllInstances, measureOneInstance } from './postgres-throughput.ts';
import { type Row, under, withMaxOverFloor } from './row.ts';

const instances = Array.from({ length: 16 }, (_, index) => `bench-${index}`);
const [firstInstance = '', secondInstance = ''] = instances;

const serverSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  max_connections: 50,
};

type Planes = { readonly oneReplica: Plane; readonly active: Plane; readonly standby: Plane; readonly files: Plane };

export async function postgres(context: BenchContext): Promise<Row[]> {
  const ends: (() => unknown)[] = [];
  try {
    const server = await startPostgres(
      { teardown: (end) => ends.push(end) },
      { isOnDisk: true, settings: serverSettings },
    );
    for (const database of ['bench', 'replicas']) await server.query(`CREATE DATABASE ${database}`);
    const { url } = await context.target();
    const planes = await startPlanes(context, { one: server.getUrl('bench'), two: server.getUrl('replicas') }, ends);
    const subjects = {
      instances,
      oneReplica: () => planes.oneReplica,
      twoReplicas: (index: number) => (index % 2 === 0 ? planes.standby : planes.active),
      files: () => planes.files,
      countCommits: () => countCommits(server, 'bench'),
      bareUrl: server.getUrl('postgres'),
    };
    return [
      ...(await measureOneInstance(context, subjects)),
      ...(await measureAllInstances(context, subjects)),
      ...(await measureLatency(context, planes, url)),
      await measureNewestPage(context, server, planes.oneReplica, firstInstance),
      ...(await measureAudit(context, server)),
      ...(await measureNotices(context, server)),
    ];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function startPlanes(
  context: BenchContext,
  databases: { readonly one: string; readonly two: string },
  ends: (() => unknown)[],
): Promise<Planes> {
  const oneReplica = await startPostgresPlane(context, databases.one);
  const active = await startPostgresPlane(context, databases.two);
  const standby = await startStandby(context, active, databases.two);
  const planes = { oneReplica, active, standby, files: await startPlane(context) };
  for (const plane of Object.values(planes)) ends.push(() => plane.service.stop());
  for (const [index, id] of instances.entries()) {
    const second = index % 2 === 0 ? active : standby;
    for (const [owner, plane] of [
      [oneReplica, oneReplica],
      [active, second],
      [planes.files, planes.files],
    ] as const) {
      const executor = await startExecutor(context, plane, await addInstance(owner, id), context.fresh('executor'));
      ends.push(() => executor.stop());
    }
  }
  return planes;
}

async function measureLatency({ quick }: BenchContext, planes: Planes, url: string): Promise<Row[]> {
  let turn = 0;
  const take = (plane: Plane, instance: string) => series(() => timed(() => runScenario(plane, instance, idAt(turn))));
  const onPostgres = take(planes.oneReplica, firstInstance);
  const acrossReplicas = take(planes.active, secondInstance);
  const inFiles = take(planes.files, firstInstance);
  const raw = series(() => timed(() => rawCall(url, idAt(turn++))));
  await inTurns(quick ? 50 : 300, [onPostgres, acrossReplicas, inFiles, raw], 20);
  const row = (measured: string, share: number, what: string, floor: readonly number[]): Row => ({
    ...{ measured, value: quantile(onPostgres.samples, share), unit: 'ms' },
    floor: { what, value: quantile(floor, share) },
  });
  return [
    withMaxOverFloor(row('request to verdict on PostgreSQL, p50', 0.5, 'raw HTTP', raw.samples), 8),
    row('the same, p50', 0.5, 'stores in files', inFiles.samples),
    row('the same, p99', 0.99, 'stores in files', inFiles.samples),
    // What is asked of the wake alone: the executor, its run and the report come with it.
    under(
      {
        measured: 'request at a replica to verdict, the executor waiting at the other, p50',
        value: quantile(acrossReplicas.samples, 0.5),
        unit: 'ms',
        floor: { what: 'one replica', value: quantile(onPostgres.samples, 0.5) },
      },
      20,
    ),
  ];
}
