/** The active one of three replicas is killed under load, with an executor at work behind the load balancer. */
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Client } from '../../src/client/client.ts';
import { eventually } from '../eventually.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import { stormScenarioId, stormScenarioText } from '../storm/target.ts';
import { startGatedTarget } from './gated-target.ts';
import { startLoadBalancer } from './load-balancer.ts';
import { ReplicaLoad } from './replica-load.ts';
import { findActiveReplica, ReplicaSet } from './replicas-rig.ts';
import { createOwnerClient, listeningUrl, type Sandbox, sandboxTest } from './sandbox.ts';
import { configText, scenarioId, scenarioText } from './test-environment.ts';

const kills = 3;

/** Registers an instance and starts its executor behind the balancer. */
async function startExecutor(sandbox: Sandbox, client: Client, url: string, origin: string): Promise<void> {
  const { executor_key: key } = await client.instances.create({ instance_id: 'work' });
  await client.scenarios.write('work', scenarioId, { text: scenarioText() });
  sandbox.write('product/platform-config.yaml', configText(origin));
  const folders = ['--data', join(sandbox.folder, 'executor'), '--product-dir', join(sandbox.folder, 'product')];
  const line = ['executor', '--json', '--port', '0', ...folders, '--control-plane', url];
  await listeningUrl(sandbox.vp(line, { variables: { VP_EXECUTOR_KEY: key }, lifetimeMs: 240_000 }));
}

/** Requests runs of `work` one after another; each is followed to its end. */
function followRuns(client: Client) {
  const correlationIds: string[] = [];
  const states: string[] = [];
  let isOver = false;
  const follow = async (): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const input = { scenarios: [{ id: scenarioId }] };
      const request = () => client.runs.request('work', input, { idempotencyKey: `run-${count}` });
      const [run] = await request().catch(request);
      if (!run) throw new Error('no run was requested');
      correlationIds.push(run.correlation_id);
      const ended = await eventually(() => client.runs.get(run.run_id).catch(() => undefined), {
        until: (document) => document !== undefined && !['queued', 'in_progress'].includes(document.state),
      });
      states.push(ended?.state ?? '');
    }
  };
  const ended = follow();
  return {
    correlationIds,
    states,
    async end() {
      isOver = true;
      await ended;
    },
  };
}

async function killActive(t: Test, sandbox: Sandbox): Promise<void> {
  const database = await createTestDatabase(t);
  const set = new ReplicaSet(sandbox, database.url);
  let live = [await set.start(), await set.start(), await set.start()];
  const first = await findActiveReplica(live);
  await first.running.waitForOutput(/"event":"active"/);
  const balancer = await startLoadBalancer(t);
  balancer.setReplicas(live);
  const client = createOwnerClient({ url: balancer.url, data: first.data });
  const target = await startGatedTarget(t);
  await startExecutor(sandbox, client, balancer.url, target.origin);
  await client.instances.create({ instance_id: 'shop' });
  await client.scenarios.write('shop', stormScenarioId, { text: stormScenarioText });
  const load = new ReplicaLoad(client, 'shop');
  const runs = followRuns(client);
  for (let kill = 0; kill < kills; kill += 1) {
    const requested = load.requested.size;
    const finished = runs.states.length;
    await eventually(() => load.requested.size > requested + 10 && runs.states.length > finished + 3);
    const active = await findActiveReplica(live);
    await active.running.kill();
    const [startMs, before] = [performance.now(), runs.states.length];
    await eventually(() => runs.states.length > before, { description: 'a run ends after the kill' });
    t.comment(`a run of the executor ended ${Math.round(performance.now() - startMs)} ms after the kill`);
    live = [...live.filter((replica) => replica !== active), await set.start()];
    balancer.setReplicas(live);
  }
  await load.end();
  await runs.end();
  t.same(load.failures, [], 'no request fails that is repeated once');
  t.same(
    runs.states.filter((state) => state !== 'passed'),
    [],
    'no run is lost',
  );
  t.same(target.log, runs.correlationIds, 'each is sent once');
  t.comment(
    `${kills} kills, ${load.requests} requests, ${load.repeated} repeated once, slowest ${Math.round(load.slowestMs)} ms, ${runs.states.length} runs of the executor`,
  );
}

sandboxTest('a killed active replica fails no request that is repeated once, and no run', killActive);
