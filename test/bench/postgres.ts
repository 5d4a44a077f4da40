/**
 * `vp serve --database`, as one replica and as two, beside `vp serve` with its stores in files, with an executor process for each instance. The
 * server runs on this machine, on a disk, and syncs every commit. Callers and executors are spread over the two replicas as by a load balancer:
 * every other executor waits at the standby, and who asks for its runs is at the other replica.
 */
import { startPostgres } from '../postgres/postgres-server.ts';
import type { BenchContext } from './bench-context.ts';
import { inTurns, quantile, series, timed } from './measure.ts';
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
  startStandby,
} from './plane.ts';
import { measureAudit } from './postgres-audit.ts';
import { countCommits } from './postgres-commits.ts';
import { measureNotices } from './postgres-notices.ts';
import { measureNewestPage } from './postgres-page.ts';
import { type Callers, listSystemRows, measureOneInstance, measureSystem } from './postgres-throughput.ts';
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

/** What is to be ended, the last first. */
type Ends = (() => unknown)[];
type SinglePlanes = { readonly oneReplica: Plane; readonly files: Plane };
type ReplicaPlanes = { readonly active: Plane; readonly standby: Plane };
type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

async function withEnds<T>(measure: (ends: Ends) => Promise<T>): Promise<T> {
  const ends: Ends = [];
  try {
    return await measure(ends);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

export function postgres(context: BenchContext): Promise<Row[]> {
  return withEnds(async (ends) => {
    const server = await startPostgres(
      { teardown: (end) => ends.push(end) },
      { isOnDisk: true, settings: serverSettings },
    );
    const allInstances = await measureAllInstances(context, server);
    const { oneInstance, others } = await withEnds((runningEnds) => measureFewInstances(context, server, runningEnds));
    return [
      ...oneInstance,
      ...allInstances,
      ...others,
      ...(await measureAudit(context, server)),
      ...(await measureNotices(context, server)),
    ];
  });
}

async function createDatabase(server: PostgresServer, name: string): Promise<string> {
  await server.query(`CREATE DATABASE ${name}`);
  return server.getUrl(name);
}

async function measureAllInstances(context: BenchContext, server: PostgresServer): Promise<Row[]> {
  const measure = (start: (ends: Ends) => Promise<Callers>) =>
    withEnds(async (ends) => measureSystem(context, instances, await start(ends)));
  const twoReplicas = await measure(async (ends) => {
    const planes = await startReplicas(context, await createDatabase(server, 'replicas'), instances, ends);
    return (index) => getOther(planes, index);
  });
  const oneReplica = await measure(async (ends) => {
    const plane = await startPostgresPlane(context, await createDatabase(server, 'replica'));
    await startExecutors(context, plane, instances, ends);
    return () => plane;
  });
  const files = await measure(async (ends) => {
    const plane = await startPlane(context);
    await startExecutors(context, plane, instances, ends);
    return () => plane;
  });
  return listSystemRows(instances.length, { twoReplicas, oneReplica, files });
}

async function measureFewInstances(
  context: BenchContext,
  server: PostgresServer,
  ends: Ends,
): Promise<{ readonly oneInstance: readonly Row[]; readonly others: readonly Row[] }> {
  const { url } = await context.target();
  const oneReplica = await startPostgresPlane(context, await createDatabase(server, 'bench'));
  const files = await startPlane(context);
  for (const plane of [oneReplica, files]) await startExecutors(context, plane, [firstInstance], ends);
  const oneInstance = await measureOneInstance(context, {
    ...{ instance: firstInstance, oneReplica, files },
    countCommits: () => countCommits(server, 'bench'),
    bareUrl: server.getUrl('postgres'),
  });
  const replicas = await startReplicas(
    context,
    await createDatabase(server, 'pair'),
    [firstInstance, secondInstance],
    ends,
  );
  // As many as the executors of the other systems had before.
  for (let turn = context.quick ? 6 : 0; turn < 7; turn += 1) await manyRuns(replicas.active, secondInstance, 800);
  const others = [
    ...(await measureLatency(context, { oneReplica, files, ...replicas }, url)),
    await measureNewestPage(context, server, oneReplica, firstInstance),
  ];
  return { oneInstance, others };
}

async function startExecutors(context: BenchContext, plane: Plane, ids: readonly string[], ends: Ends): Promise<void> {
  ends.push(() => plane.service.stop());
  for (const id of ids) await startExecutorOf(context, { registry: plane, address: plane, id }, ends);
}

/** Callers ask the replica at which the executor of their instance does not wait. */
function getOther({ active, standby }: ReplicaPlanes, index: number): Plane {
  return index % 2 === 0 ? standby : active;
}

async function startReplicas(
  context: BenchContext,
  databaseUrl: string,
  ids: readonly string[],
  ends: Ends,
): Promise<ReplicaPlanes> {
  const active = await startPostgresPlane(context, databaseUrl);
  const standby = await startStandby(context, active, databaseUrl);
  for (const plane of [active, standby]) ends.push(() => plane.service.stop());
  for (const [index, id] of ids.entries()) {
    const address = index % 2 === 0 ? active : standby;
    await startExecutorOf(context, { registry: active, address, id }, ends);
  }
  return { active, standby };
}

/** Registers an instance at one plane; its executor asks the other. */
async function startExecutorOf(
  context: BenchContext,
  { registry, address, id }: { readonly registry: Plane; readonly address: Plane; readonly id: string },
  ends: Ends,
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
