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

type SinglePlanes = { readonly oneReplica: Plane; readonly files: Plane };
type ReplicaPlanes = { readonly active: Plane; readonly standby: Plane };

export async function postgres(context: BenchContext): Promise<Row[]> {
  const ends: (() => unknown)[] = [];
  try {
    const server = await startPostgres(
      { teardown: (end) => ends.push(end) },
      { isOnDisk: true, settings: serverSettings },
    );
    for (const database of ['bench', 'replicas']) await server.query(`CREATE DATABASE ${database}`);
    const { url } = await context.target();
    const single = await startSinglePlanes(context, server.getUrl('bench'), ends);
    const subjects = {
      instances,
      oneReplica: () => single.oneReplica,
      files: () => single.files,
      countCommits: () => countCommits(server, 'bench'),
      bareUrl: server.getUrl('postgres'),
    };
    const oneInstance = await measureOneInstance(context, subjects);
    // Not before: 16 executors more would start while one instance is measured.
    const replicas = await startReplicaPlanes(context, server.getUrl('replicas'), ends);
    const twoReplicas = (index: number): Plane => (index % 2 === 0 ? replicas.standby : replicas.active);
    return [
      ...oneInstance,
      ...(await measureAllInstances(context, { ...subjects, twoReplicas })),
      ...(await measureLatency(context, { ...single, ...replicas }, url)),
      await measureNewestPage(context, server, single.oneReplica, firstInstance),
      ...(await measureAudit(context, server)),
      ...(await measureNotices(context, server)),
    ];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function startSinglePlanes(
  context: BenchContext,
  databaseUrl: string,
  ends: (() => unknown)[],
): Promise<SinglePlanes> {
  const planes = { oneReplica: await startPostgresPlane(context, databaseUrl), files: await startPlane(context) };
  for (const plane of Object.values(planes)) {
    ends.push(() => plane.service.stop());
    for (const id of instances) await startExecutorOf(context, { registry: plane, address: plane, id }, ends);
  }
  return planes;
}

async function startReplicaPlanes(
  context: BenchContext,
  databaseUrl: string,
  ends: (() => unknown)[],
): Promise<ReplicaPlanes> {
  const active = await startPostgresPlane(context, databaseUrl);
  const standby = await startStandby(context, active, databaseUrl);
  for (const plane of [active, standby]) ends.push(() => plane.service.stop());
  for (const [index, id] of instances.entries()) {
    const address = index % 2 === 0 ? active : standby;
    await startExecutorOf(context, { registry: active, address, id }, ends);
  }
  return { active, standby };
}

/** Registers an instance at one plane; its executor asks the other. */
async function startExecutorOf(
  context: BenchContext,
  { registry, address, id }: { readonly registry: Plane; readonly address: Plane; readonly id: string },
  ends: (() => unknown)[],
): Promise<void> {
  const executor = await startExecutor(context, address, await addInstance(registry, id), context.fresh('executor'));
  ends.push(() => executor.stop());
}

async function measureLatency(
  { quick }: BenchContext,
  planes: SinglePlanes & ReplicaPlanes,
  url: string,
): Promise<Row[]> {
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
    // The goal is one of the wake alone; this has the run and its report too.
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
