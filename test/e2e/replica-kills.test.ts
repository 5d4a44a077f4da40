/**
 * Clients that repeat a failed request once, at once, while the active one of three replicas is killed behind a load balancer.
 * `VP_REPLICA_KILLS` is the number of kills.
 */
import { join } from 'node:path';
import type { Test } from 'tap';
import { Agent } from 'undici';
import { hubWith, ownerAt } from '../bench/hub.ts';
import { eventually } from '../eventually.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { packedFile } from '../packed/packed.ts';
import { skipWithoutPostgres as skip } from '../postgres/programs.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import { createApiKey } from '../server/test-browser.ts';
import { CountedLoad, type LoadKind, sendOnce } from './counted-load.ts';
import { startGatedTarget } from './gated-target.ts';
import { type LoadBalancer, readReadiness, startLoadBalancer } from './load-balancer.ts';
import { findActiveReplica, type ReplicaProcess, ReplicaSet } from './replicas-rig.ts';
import { createOwnerClient, type Sandbox, sandboxTest } from './sandbox.ts';
import { configText, instance, scenarioId, scenarioText } from './test-environment.ts';

const kills = Number(process.env.VP_REPLICA_KILLS ?? 2);
const lifetimeMs = 240_000 + kills * 20_000;

/** Its tool answers with its argument. */
function startUpstream(t: Test) {
  return startTestServer(
    t,
    createRawServer({
      tools: () => [createTool('echo')],
      call: ({ arguments: args }) => createTextResult(String(Object(args).text)),
    }),
  );
}

function callBody(text: string): string {
  const params = { name: 'c0__echo', arguments: { text } };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

type Access = { readonly url: string; readonly key: string; readonly hubToken: string };

/** Requests of the API, runs with a key each, and calls of a hub, whose tool changes nothing. */
function createKinds(t: Test, { url, key, hubToken }: Access): LoadKind[] {
  const dispatcher = new Agent();
  t.teardown(() => dispatcher.destroy());
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const bearer = { ...json, authorization: `Bearer ${key}` };
  return [
    {
      name: 'read',
      clients: 2,
      async send() {
        const text = await sendOnce(`${url}/api/v1/instances`, { headers: bearer, dispatcher });
        if (!text.includes(instance)) throw new Error(text);
      },
    },
    {
      name: 'run',
      clients: 1,
      async send(id) {
        const options = { method: 'POST', headers: { ...bearer, 'idempotency-key': id }, dispatcher } as const;
        const body = JSON.stringify({ scenarios: [{ id: scenarioId }] });
        const text = await sendOnce(`${url}/api/v1/instances/${instance}/runs`, { ...options, body });
        const [run] = (JSON.parse(text) as { runs: { run_id: string }[] }).runs;
        if (!run) throw new Error(text);
      },
    },
    {
      name: 'call',
      clients: 2,
      async send(text) {
        const headers = { ...json, 'mcp-protocol-version': '2025-11-25', authorization: `Bearer ${hubToken}` };
        const options = { method: 'POST', headers, body: callBody(text), dispatcher } as const;
        const answer = await sendOnce(`${url}/agent/mcp`, options);
        if (!answer.includes(`"${text}"`)) throw new Error(answer.slice(0, 300));
      },
    },
  ];
}

/** An executor behind the balancer; gives the function that counts the requests that its target got. */
async function startExecutor(t: Test, sandbox: Sandbox, url: string, key: string): Promise<() => number> {
  const target = await startGatedTarget(t);
  sandbox.write('product/platform-config.yaml', configText(target.origin));
  const folders = ['--data', join(sandbox.folder, 'executor'), '--product-dir', join(sandbox.folder, 'product')];
  const args = ['executor', '--json', '--port', '0', ...folders, '--control-plane', url];
  sandbox.vp(args, { variables: { VP_EXECUTOR_KEY: key }, lifetimeMs });
  await eventually(() => target.log.length > 0);
  return () => target.log.length;
}

type Setting = {
  readonly live: readonly ReplicaProcess[];
  readonly balancer: LoadBalancer;
  readonly load: CountedLoad;
  readonly start: () => Promise<ReplicaProcess>;
  /** Requests that the target of the executor got. */
  readonly countArrivals: () => number;
};

async function startSetting(t: Test, sandbox: Sandbox): Promise<Setting> {
  const database = await createTestDatabase(t);
  const set = new ReplicaSet(sandbox, database.url);
  const start = () => set.start({}, packedFile, ['--allow-private-upstreams']);
  const first = await start();
  const [, setupLinkFile = ''] = await first.running.waitForOutput(/"event":"active".*"setup_link_file":"([^"]+)"/);
  const live = [first, await start(), await start()];
  await findActiveReplica(live);
  const balancer = await startLoadBalancer(t);
  balancer.setReplicas(live);
  const client = createOwnerClient({ url: balancer.url, data: first.data });
  const { executor_key: executorKey } = await client.instances.create({ instance_id: instance });
  await client.scenarios.write(instance, scenarioId, { text: scenarioText() });
  await client.runs.request(instance, { scenarios: [{ id: scenarioId }] });
  const countArrivals = await startExecutor(t, sandbox, balancer.url, executorKey);
  const service = { readyMs: 0, memoryMb: () => undefined, stop: async () => {} };
  const owner = await ownerAt({ ...service, startInfo: { url: first.url, setup_link_file: setupLinkFile } });
  const hubToken = await hubWith(owner, 'acme', [(await startUpstream(t)).url]);
  const key = await createApiKey(owner, 'owner');
  const load = new CountedLoad(createKinds(t, { url: balancer.url, key, hubToken }));
  t.teardown(() => load.end());
  await eventually(() => load.sent > 200);
  return { live, balancer, load, start, countArrivals };
}

/** Replaces the active replica of `setting` by a new one after its death; gives how many terms began. */
async function killActive(
  t: Test,
  setting: Setting,
): Promise<{ readonly live: ReplicaProcess[]; readonly terms: number }> {
  const { live, balancer, load, start, countArrivals } = setting;
  const active = await findActiveReplica(live);
  const { epoch } = (await readReadiness(active)).replica;
  const others = live.filter((replica) => replica !== active);
  const startMs = performance.now();
  const sinceKill = (): string => `${Math.round(performance.now() - startMs)} ms`;
  await active.running.kill();
  await eventually(() => others.some(({ running }) => running.stderr.includes('this replica is active')));
  const takenOver = sinceKill();
  const next = await findActiveReplica(others);
  const ready = sinceKill();
  const arrived = countArrivals();
  await eventually(() => countArrivals() > arrived, { timeoutMs: 60_000 });
  t.comment(`taken over after ${takenOver}, ready after ${ready}, next run of the executor after ${sinceKill()}`);
  const sent = load.sent;
  const all = [...others, await start()];
  balancer.setReplicas(all);
  await eventually(() => load.sent > sent + 200);
  return { live: all, terms: (await readReadiness(next)).replica.epoch - epoch };
}

if (skip === false) {
  sandboxTest(
    'no read and no keyed request that is repeated once fails while active replicas are killed',
    async (t, sandbox) => {
      let setting = await startSetting(t, sandbox);
      const { load } = setting;
      for (let kill = 0; kill < kills; ) {
        const failed = load.failures.length;
        const { live, terms } = await killActive(t, setting);
        setting = { ...setting, live };
        if (terms === 1) kill += 1;
        // The replica that took over lost its role, too: the machine gave it no time to renew it, and that is not what is tried.
        else t.comment(`${terms} terms: played again, without ${load.failures.splice(failed).length} failures`);
      }
      await load.end();
      for (const line of load.format()) t.comment(line);
      for (const [error, count] of load.firstErrors) t.comment(`first attempt, ${count}: ${error}`);
      // Whether a call of a hub may be repeated is known to its client alone: it can be lost twice, at two standbys.
      const isCall = (failure: string): boolean => failure.startsWith('call-');
      for (const failure of load.failures.filter(isCall)) t.comment(failure);
      t.same(
        load.failures.filter((failure) => !isCall(failure)),
        [],
      );
    },
  );
}
