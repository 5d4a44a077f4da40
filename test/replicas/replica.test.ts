import t from 'tap';
import { vpError } from '../../src/errors/vp-error.ts';
import type { ActiveRole } from '../../src/replicas/active-role.ts';
import { eventually } from '../eventually.ts';
import { skipWithoutPostgres as skip } from '../postgres/programs.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import { findActive, startReplica, type TestReplicaOptions } from './replica-rig.ts';

/** Says which replica executed a request, and what it knew of it. */
function describeRequests(t: { name: string }, counts: Map<string, number>) {
  return (id: string): TestReplicaOptions['handler'] =>
    async (request, env) => {
      const body = await request.text();
      counts.set(id, (counts.get(id) ?? 0) + 1);
      return Response.json({ id, body, address: env.address, method: request.method, test: t.name });
    };
}

t.test('one of three replicas is active, and each answers with what it executes', { skip }, async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const counts = new Map<string, number>();
  const handlerOf = describeRequests(t, counts);
  const replicas = await Promise.all(
    ['a', 'b', 'c'].map((id) => startReplica(t, id, { databaseUrl, handler: handlerOf(id) })),
  );
  const active = await findActive(replicas);
  for (const { url } of replicas) {
    const response = await fetch(`${url}/things`, { method: 'POST', body: 'x'.repeat(300_000) });
    t.match(await response.json(), { id: active.id, address: '127.0.0.1', method: 'POST', body: /^x{300000}$/ });
  }
  t.same([...counts], [[active.id, 3]]);
  const standby = replicas.find(({ id }) => id !== active.id);
  const probe = async () => (await (await fetch(`${standby?.url}/readyz`)).json()) as { status: string };
  t.match(await eventually(probe, { until: ({ status }) => status === 'ready' }), {
    status: 'ready',
    store: { engine: 'postgresql' },
    replica: { id: standby?.id, role: 'standby', epoch: 1, active: active.id },
  });
});

t.test('a planned stop loses no request, and the next replica is active soon', { skip }, async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const handlerOf = describeRequests(t, new Map());
  const replicas = await Promise.all(
    ['a', 'b', 'c'].map((id) => startReplica(t, id, { databaseUrl, handler: handlerOf(id) })),
  );
  const active = await findActive(replicas);
  const others = replicas.filter(({ id }) => id !== active.id);
  const results: unknown[] = [];
  let isOver = false;
  const load = others.map(async ({ url }, index) => {
    for (let count = 0; !isOver; count += 1) {
      const sentMs = performance.now();
      const response = await fetch(`${url}/things`, { method: 'POST', body: `${index}-${count}` });
      const { body } = (await response.json()) as { body: string };
      results.push({ status: response.status, isOwn: body === `${index}-${count}`, ms: performance.now() - sentMs });
    }
  });
  await eventually(() => results.length > 20);
  await active.replica.stop();
  const next = await findActive(others);
  const served = results.length;
  await eventually(() => results.length > served + 20);
  isOver = true;
  await Promise.all(load);
  t.not(next.id, active.id);
  t.same(
    results.filter((result) => !(result as { isOwn: boolean }).isOwn),
    [],
  );
  const slowest = Math.max(...results.map((result) => (result as { ms: number }).ms));
  t.comment(`${results.length} requests, slowest ${Math.round(slowest)} ms`);
});

t.test('the active replica keeps its role when only its connection is lost', { skip }, async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const handlerOf = describeRequests(t, new Map());
  // A busy machine may take longer than the default to connect again.
  const timings = { confirmMs: 3_000 };
  const replicas = await Promise.all(
    ['a', 'b'].map((id) => startReplica(t, id, { databaseUrl, handler: handlerOf(id), timings })),
  );
  const active = await findActive(replicas);
  const { epoch } = active.replica.status;
  for (let round = 0; round < 5; round += 1) {
    active.cutConnection();
    const response = await fetch(`${replicas[round % 2]?.url}/`);
    t.match(await response.json(), { id: active.id });
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
  t.match(active.replica.status, { role: 'active', epoch });
});

t.test('an active replica that cannot connect again serves nothing from then on', { skip }, async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const handlerOf = describeRequests(t, new Map());
  const replicas = await Promise.all(
    ['a', 'b'].map((id) =>
      startReplica(t, id, { databaseUrl, handler: handlerOf(id), routingLimits: { maxWaitMs: 300 } }),
    ),
  );
  const active = await findActive(replicas);
  const other = replicas.find((replica) => replica !== active);
  active.cutOff();
  await eventually(() => other?.replica.status.role === 'active');
  t.equal((await fetch(`${active.url}/things`)).status, 503, 'it would answer with what it knew before');
  t.match(await (await fetch(`${other?.url}/things`)).json(), { id: other?.id });
});

t.test('a standby is not ready while it cannot connect to the database', { skip }, async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const handlerOf = describeRequests(t, new Map());
  const replicas = await Promise.all(
    ['a', 'b'].map((id) => startReplica(t, id, { databaseUrl, handler: handlerOf(id) })),
  );
  const active = await findActive(replicas);
  const standby = replicas.find((replica) => replica !== active);
  const probe = async () => {
    const response = await fetch(`${standby?.url}/readyz`);
    return { status: response.status, document: await response.json() };
  };
  t.match(await probe(), { status: 200 });
  standby?.cutOff();
  const refused = await eventually(probe, { until: ({ status }) => status === 503 });
  t.match(refused.document, {
    status: 'not ready',
    reason: 'STORE_DATABASE_UNAVAILABLE',
    replica: { id: standby?.id },
  });
  t.match(await (await fetch(`${standby?.url}/things`)).json(), { id: active.id }, 'it forwards what still comes');
  standby?.restoreAccess();
  t.match((await eventually(probe, { until: ({ status }) => status === 200 })).document, { status: 'ready' });
});

t.test('a refused write ends the role at once, before the next renewal', { skip }, async (t) => {
  const { url: databaseUrl, query } = await createTestDatabase(t);
  const handlerOf = describeRequests(t, new Map());
  const replica = await startReplica(t, 'a', { databaseUrl, handler: handlerOf('a') });
  await findActive([replica]);
  await query("UPDATE vp.active_replica SET epoch = epoch + 1, replica_id = 'other', ended_by = 'loss'");
  replica.roles[0]?.onReplaced();
  t.equal(replica.replica.status.role, 'standby');
});

t.test('a control plane that still starts when the role is lost is given up', { skip }, async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const handlerOf = describeRequests(t, new Map());
  let starts = 0;
  const startPlane = async ({ signal }: ActiveRole): Promise<void> => {
    starts += 1;
    // As a server that does not answer.
    if (starts === 1) await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
  };
  const stuck = await startReplica(t, 'a', { databaseUrl, handler: handlerOf('a'), startPlane });
  await eventually(() => starts === 1);
  stuck.cutOff();
  const other = await startReplica(t, 'b', { databaseUrl, handler: handlerOf('b') });
  await eventually(() => other.replica.status.role === 'active');
  stuck.restoreAccess();
  await findActive([stuck, other]);
  await other.replica.stop();
  await eventually(() => stuck.roles.length === 2, { description: 'it can become active again' });
  t.same(stuck.failures, []);
});

t.test('a replica whose control plane cannot start is ended only by what stays so', { skip }, async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t);
  const handlerOf = describeRequests(t, new Map());
  const startWith = (id: string, error: Error) =>
    startReplica(t, id, { databaseUrl, handler: handlerOf(id), startPlane: () => Promise.reject(error) });
  const away = await startWith('a', vpError('STORE_DATABASE_UNAVAILABLE', { reason: 'it is away' }));
  await eventually(() => away.roles.length === 1 && away.replica.status.role === 'standby');
  t.same(away.failures, []);
  const older = await startWith('b', vpError('STORE_NEWER', { file: 'vp', found: 9, known: 8 }));
  await eventually(() => older.failures.length === 1);
  t.match(older.failures, [{ code: 'STORE_NEWER' }]);
});
