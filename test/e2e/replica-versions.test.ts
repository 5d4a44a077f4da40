/**
 * Replicas of two versions on one store. `VP_OLDER_BINARY` names the binary of an earlier version (docs/contributing/tests.md); without it, the
 * upgrade is from this version to itself.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Client } from '../../src/client/client.ts';
import { eventually } from '../eventually.ts';
import { packedFile } from '../packed/packed.ts';
import { skipWithoutPostgres } from '../postgres/programs.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import { stormScenarioId, stormScenarioText } from '../storm/target.ts';
import { readReadiness, startLoadBalancer } from './load-balancer.ts';
import { findActiveReplica, type ReplicaProcess, ReplicaSet } from './replicas-rig.ts';
import { createOwnerClient, type Sandbox, sandboxTest } from './sandbox.ts';

const workers = 4;
const instance = 'shop';

/** Requests that may be repeated, and are repeated once. */
class Load {
  readonly failures: unknown[] = [];
  readonly requested = new Set<string>();
  requests = 0;
  repeated = 0;
  slowestMs = 0;
  readonly #client: Client;
  #isOver = false;
  readonly #ended: Promise<unknown>;

  constructor(client: Client) {
    this.#client = client;
    this.#ended = Promise.all(Array.from({ length: workers }, (_, worker) => this.#work(worker)));
  }

  async #send<T>(call: () => Promise<T>): Promise<T | undefined> {
    const startMs = performance.now();
    this.requests += 1;
    try {
      return await call().catch(() => {
        this.repeated += 1;
        return call();
      });
    } catch (error) {
      this.failures.push(error);
      return undefined;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startMs);
    }
  }

  async #work(worker: number): Promise<void> {
    for (let count = 0; !this.#isOver; count += 1) {
      const idempotencyKey = `${worker}-${count}`;
      const scenarios = [{ id: stormScenarioId }];
      const runs = await this.#send(() => this.#client.runs.request(instance, { scenarios }, { idempotencyKey }));
      for (const { run_id } of runs ?? []) {
        this.requested.add(run_id);
        // The queue stays short.
        await this.#send(() => this.#client.runs.get(run_id));
        await this.#client.runs.cancel(run_id).catch(() => undefined);
      }
      await this.#send(() => this.#client.instances.list());
    }
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }
}

async function replaceOne(set: ReplicaSet, live: readonly ReplicaProcess[], old: ReplicaProcess, program: string) {
  const next = await set.start({}, program);
  await eventually(async () => (await readReadiness(next)).status === 'ready');
  return { next, live: [...live.filter((replica) => replica !== old), next] };
}

async function upgrade(t: Test, sandbox: Sandbox, older: string): Promise<void> {
  const database = await createTestDatabase(t);
  const set = new ReplicaSet(sandbox, database.url);
  const first = [await set.start({}, older), await set.start({}, older), await set.start({}, older)];
  const active = await findActiveReplica(first);
  await active.running.waitForOutput(/"event":"active"/);
  const balancer = await startLoadBalancer(t);
  // The active one last: the versions are side by side for longest.
  let live: readonly ReplicaProcess[] = [...first.filter((replica) => replica !== active), active];
  balancer.setReplicas(live);
  const client = createOwnerClient({ url: balancer.url, data: active.data });
  await client.instances.create({ instance_id: instance });
  await client.scenarios.write(instance, stormScenarioId, { text: stormScenarioText });
  const load = new Load(client);
  await eventually(() => load.requested.size > 20);
  for (const old of live) {
    const before = load.requested.size;
    const step = await replaceOne(set, live, old, packedFile);
    balancer.setReplicas([...step.live, old]);
    await eventually(() => load.requested.size > before + 20);
    old.running.signal('SIGTERM');
    t.match(await old.running.ended, { code: 0 });
    live = step.live;
  }
  const before = load.requested.size;
  await eventually(() => load.requested.size > before + 20);
  await load.end();
  t.same(load.failures, []);
  const known: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.runs.list({ instance, limit: 200, cursor });
    known.push(...page.items.map(({ run_id }) => run_id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  t.same([...load.requested].sort(), known.sort(), 'every acknowledged run is there, and none twice');
  t.comment(
    `${load.requests} requests, ${load.repeated} repeated once, ${load.failures.length} failed, slowest ${Math.round(load.slowestMs)} ms`,
  );
}

if (skipWithoutPostgres === false) {
  sandboxTest('an upgrade of three replicas under load fails no request that is repeated once', async (t, sandbox) => {
    const { VP_OLDER_BINARY: given } = process.env;
    const older = join(sandbox.folder, 'vp-older');
    copyFileSync(given ?? packedFile, older);
    t.comment(given === undefined ? 'from this version to itself' : `from ${given}`);
    await upgrade(t, sandbox, older);
  });

  sandboxTest(
    'a replica of an earlier version does not start on stores that a newer one has migrated',
    async (t, sandbox) => {
      const database = await createTestDatabase(t);
      const set = new ReplicaSet(sandbox, database.url);
      const running = await set.start();
      await findActiveReplica([running]);
      await running.running.waitForOutput(/"event":"active"/);
      await database.query("UPDATE vp.stores SET version = version + 1 WHERE name = 'control'");
      const line = [
        'serve',
        '--json',
        '--port',
        '0',
        '--data',
        join(sandbox.folder, 'older'),
        '--database',
        database.url,
      ];
      const older = await sandbox.run(line, { variables: set.variables });
      t.match(JSON.parse(older.stdout), { error: { code: 'STORE_NEWER' } });
      t.match(await createOwnerClient(running).instances.list(), [], 'the one that runs goes on');
    },
  );
}
