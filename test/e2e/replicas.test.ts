/** Three replicas of a control plane on a real PostgreSQL: killed, frozen, cut off and stopped. */
import type { Test } from 'tap';
import { eventually } from '../eventually.ts';
import { startPgBouncer } from '../postgres/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database.ts';
import { readReadiness, startLoadBalancer } from './load-balancer.ts';
import { findActiveReplica, type ReplicaProcess, ReplicaSet } from './replicas-rig.ts';
import { createOwnerClient, type Sandbox, sandboxTest } from './sandbox.ts';

type Fleet = {
  readonly set: ReplicaSet;
  readonly replicas: readonly ReplicaProcess[];
  readonly active: ReplicaProcess;
  readonly others: readonly ReplicaProcess[];
  readonly database: TestDatabase;
};

async function startFleet(t: Test, sandbox: Sandbox): Promise<Fleet> {
  const database = await createTestDatabase(t);
  const set = new ReplicaSet(sandbox, database.url);
  const replicas = await Promise.all([set.start(), set.start(), set.start()]);
  const active = await findActiveReplica(replicas);
  await active.running.waitForOutput(/"event":"active"/);
  return { set, replicas, active, others: replicas.filter((replica) => replica !== active), database };
}

/** Calls `url` with the owner key that the first active replica has written. */
function createClient(url: string, { data }: ReplicaProcess) {
  return createOwnerClient({ url, data });
}

/** A write whose connection to the database is lost is refused, although it may have been committed: it is sent again. */
async function createEventually(client: ReturnType<typeof createClient>, id: string): Promise<void> {
  await eventually(async () => {
    await client.instances.create({ instance_id: id }).catch(() => undefined);
    return (await client.instances.list()).some(({ instance_id: other }) => other === id);
  });
}

async function measure<T>(t: Test, what: string, work: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const result = await work();
  t.comment(`${what}: ${Math.round(performance.now() - startedMs)} ms`);
  return result;
}

sandboxTest('a killed replica is replaced, and a request that waits for the next one succeeds', async (t, sandbox) => {
  const { active, others } = await startFleet(t, sandbox);
  const clients = others.map(({ url }) => createClient(url, active));
  await clients[0]?.instances.create({ instance_id: 'shop' });
  await active.running.kill();
  const lists = await measure(t, 'first answers after the kill', () =>
    Promise.all(clients.map((client) => client.instances.list())),
  );
  for (const list of lists) t.match(list, [{ instance_id: 'shop' }]);
  const next = await findActiveReplica(others);
  t.match(await readReadiness(next), { replica: { role: 'active' } });
});

sandboxTest('a frozen replica is replaced, and neither serves nor writes when it wakes up', async (t, sandbox) => {
  const { active, others, database } = await startFleet(t, sandbox);
  const [other] = others;
  const client = createClient(other?.url ?? '', active);
  await client.instances.create({ instance_id: 'before' });
  active.running.signal('SIGSTOP');
  const created = await measure(t, 'a write after the freeze', async () => {
    // The first goes to the frozen replica, and may have been executed there.
    const lost = await client.instances.create({ instance_id: 'lost' }).catch((error: unknown) => error);
    t.match(lost, { code: 'REPLICA_LOST' });
    return client.instances.create({ instance_id: 'after' });
  });
  t.ok(created);
  const next = await findActiveReplica(others);
  const { epoch } = (await readReadiness(next)).replica;
  active.running.signal('SIGCONT');
  // Its socket has requests from before; whatever it answers now comes from the next active replica.
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => createClient(active.url, active).instances.list()),
  );
  for (const list of answers) t.ok(list.some(({ instance_id: id }) => id === 'after'));
  await eventually(async () => (await readReadiness(active)).replica.role === 'standby');
  t.match(await readReadiness(active), { replica: { epoch, active: next.id } });
  const rows = await database.query("SELECT id FROM vp_control.instances WHERE id = 'lost'");
  t.same(rows, [], 'what the frozen replica had in hand was not written later');
});

sandboxTest('the active replica goes on when only its connections to the database are lost', async (t, sandbox) => {
  const { active, others, database } = await startFleet(t, sandbox);
  const { epoch } = (await readReadiness(active)).replica;
  const client = createClient(others[0]?.url ?? '', active);
  for (let round = 0; round < 3; round += 1) {
    await database.server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`,
    );
    await createEventually(client, `round-${round}`);
  }
  const next = await findActiveReplica([active, ...others]);
  t.equal(next.id, active.id);
  t.equal((await readReadiness(next)).replica.epoch, epoch);
});

sandboxTest('PostgreSQL is restarted', async (t, sandbox) => {
  const { active, replicas, others, database } = await startFleet(t, sandbox);
  const client = createClient(others[0]?.url ?? '', active);
  await client.instances.create({ instance_id: 'before' });
  await database.server.stop('immediate');
  await database.server.start();
  await measure(t, 'first write after the restart', () => createEventually(client, 'after'));
  await findActiveReplica(replicas);
  const ids = (await client.instances.list()).map(({ instance_id: id }) => id);
  t.same(ids.sort(), ['after', 'before']);
});

sandboxTest('replicas are restarted one after another under load, and no request fails', async (t, sandbox) => {
  const { set, replicas, active, others } = await startFleet(t, sandbox);
  const balancer = await startLoadBalancer(t);
  let live = [...others, active];
  balancer.setReplicas(live);
  const client = createClient(balancer.url, active);
  const failures: unknown[] = [];
  const latenciesMs: number[] = [];
  const created: string[] = [];
  let isOver = false;
  const load = Array.from({ length: 4 }, async (_, worker) => {
    for (let count = 0; !isOver; count += 1) {
      const id = `w${worker}-${count}`;
      const startedMs = performance.now();
      try {
        await client.instances.create({ instance_id: id });
        created.push(id);
        await client.instances.list();
      } catch (error) {
        failures.push(error);
      }
      latenciesMs.push(performance.now() - startedMs);
    }
  });
  await eventually(() => created.length > 20);
  for (const old of live) {
    const next = await set.start();
    live = [...live.filter((replica) => replica !== old), next];
    await eventually(async () => (await readReadiness(next)).status === 'ready');
    balancer.setReplicas([...live, old]);
    old.running.signal('SIGTERM');
    t.match(await old.running.ended, { code: 0 });
  }
  const before = created.length;
  await eventually(() => created.length > before + 20);
  isOver = true;
  await Promise.all(load);
  t.same(failures, []);
  const stored = new Set((await client.instances.list()).map(({ instance_id: id }) => id));
  t.same(
    created.filter((id) => !stored.has(id)),
    [],
  );
  t.notOk(live.some((replica) => replicas.includes(replica)));
  t.comment(`${latenciesMs.length * 2} requests, 0 failed, slowest pair ${Math.round(Math.max(...latenciesMs))} ms`);
});

sandboxTest('a replica without the right key, or without an address, does not start', async (t, sandbox) => {
  const { url } = await createTestDatabase(t);
  const set = new ReplicaSet(sandbox, url);
  const first = await set.start();
  await findActiveReplica([first]);
  const line = ['serve', '--json', '--port', '0', '--data', `${sandbox.folder}/other`, '--database', url];
  const missing = await sandbox.run(line);
  t.match(JSON.parse(missing.stdout), { error: { code: 'REPLICA_KEY_MISSING' } });
  const variables = { VP_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
  const different = await sandbox.run(line, { variables });
  t.match(JSON.parse(different.stdout), { error: { code: 'REPLICA_KEY_DIFFERENT' } });
  const everywhere = [...line, '--host', '0.0.0.0', '--allow-insecure'];
  const unreachable = await sandbox.run(everywhere, { variables });
  t.match(JSON.parse(unreachable.stdout), { error: { code: 'REPLICA_ADDRESS_INVALID' } });
  const wrong = await sandbox.run([...line, '--replica-address', 'ftp://10.0.0.5'], { variables });
  t.match(JSON.parse(wrong.stdout), { error: { code: 'REPLICA_ADDRESS_INVALID' } });
  const embedded = await sandbox.run([...line, '--embedded'], { variables });
  t.match(JSON.parse(embedded.stdout), { error: { code: 'FLAG_INVALID' } });
});

sandboxTest(
  'through a PgBouncer that shares connections, a killed replica is replaced when its term expires',
  async (t, sandbox) => {
    const { server, name } = await createTestDatabase(t);
    const bouncer = await startPgBouncer(t, server, { poolMode: 'transaction' });
    const set = new ReplicaSet(sandbox, bouncer.getUrl(name));
    const [first, second] = [await set.start(), await set.start()];
    const active = await findActiveReplica([first, second]);
    await active.running.waitForOutput(/"event":"active"/);
    const other = active === first ? second : first;
    const client = createClient(other.url, active);
    await client.instances.create({ instance_id: 'shop' });
    await active.running.kill();
    const list = await measure(t, 'first answer after the kill', () => client.instances.list());
    t.match(list, [{ instance_id: 'shop' }]);
    t.match((await findActiveReplica([other])).id, other.id);
    const doctor = await sandbox.run(['doctor', '--database', bouncer.getUrl(name)]);
    t.match(doctor.stdout, new RegExp(`1 replica lives \\(version .*\\), ${other.id} is active in term 2`));
  },
);
