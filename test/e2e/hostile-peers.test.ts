/** The packed binary against everything that breaks HTTP: each is told with its reason, within a bound of memory. */
import { join } from 'node:path';
import { hubWith, ownerAt } from '../bench/hub.ts';
import { closeConnections, rawCall } from '../bench/hub-raw-call.ts';
import { findFailureCode } from '../executor/failure-code.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { measureSmallest } from '../smallest-measurement.ts';
import type { HostileTarget } from '../targets/hostile/behaviour.ts';
import { hostileTargets } from '../targets/hostile/targets.ts';
import { startHostileTargets, startHostileUpstream } from './hostile-peers.ts';
import { watchMemory } from './process-memory.ts';
import { createOwnerClient, listeningUrl, sandboxTest } from './sandbox.ts';
import { configText, scenarioText } from './test-environment.ts';

const instance = 'shop';
/** Of one target over what the process had before it. */
const maxExecutorGrowthMiB = 64;
const maxPlaneGrowthMiB = 100;
/**
 * Of all of them: what the collector of garbage and malloc have not given back yet. The heap itself is after four rounds of all of
 * them, and a collection, what it was before. More would be a leak.
 */
const maxTotalGrowthMiB = 112;
/** As in the image: with more arenas, malloc keeps up to 50 MiB more of what all of the targets together have used. */
const executorVariables = { MALLOC_ARENA_MAX: '1' };
/** Of a run with a limit of a second, as its report says: timers may end a millisecond early, and a busy machine ends it late. */
const silentMs = { min: 990, max: 5000 } as const;
/** Some of the targets are silent, and a busy machine takes its time. */
const lifetimeMs = 1_200_000;
const warmUpRuns = 20;
const warmUpCalls = 1500;

/** Those that begin before there is a request have no path by which to be chosen. */
const chosenByRequest = hostileTargets.filter(({ begins }) => begins === 'request');

sandboxTest('an executor judges what it can, and names the reason of everything else', async (t, sandbox) => {
  const target = await startHostileTargets(t, chosenByRequest);
  sandbox.write('product/platform-config.yaml', configText(target.url));
  const data = join(sandbox.folder, 'plane');
  const plane = sandbox.vp(['serve', '--json', '--port', '0', '--data', data], { lifetimeMs });
  const controlPlane = { running: plane, data, url: await listeningUrl(plane) };
  const client = createOwnerClient(controlPlane);
  const { executor_key } = await client.instances.create({ instance_id: instance });
  const writeScenario = (id: string, path: string, timeout: string): Promise<unknown> =>
    client.scenarios.write(instance, id, {
      text: scenarioText(id).replace('/api/v2/document', path).replace('60s', timeout),
    });
  await writeScenario('RT-good', '/good', '60s');
  // The others have so much time that a busy machine is not taken for a silent target.
  for (const [index, { isSilent }] of chosenByRequest.entries())
    await writeScenario(`RT-${index}`, `/${index}`, isSilent ? '1s' : '300s');
  const product = ['--data', join(sandbox.folder, 'executor'), '--product-dir', join(sandbox.folder, 'product')];
  const args = ['executor', '--json', '--port', '0', '--control-plane', controlPlane.url, ...product];
  const executor = sandbox.vp(args, { variables: { ...executorVariables, VP_EXECUTOR_KEY: executor_key }, lifetimeMs });
  await listeningUrl(executor);
  const run = async (id: string) => {
    const [requested] = await client.runs.request(instance, { scenarios: [{ id }] });
    for (;;) {
      const ended = await client.runs.get(String(requested?.run_id), { waitMs: 5000 });
      if (ended.finished_at !== null) return ended;
    }
  };
  for (let turn = 0; turn < warmUpRuns; turn += 1) t.equal((await run('RT-good')).state, 'passed');
  const meet = async ({ name, outcome, isSilent }: HostileTarget, index: number): Promise<number> => {
    const readGrowth = watchMemory(executor.pid);
    const { report, observed_status } = await run(`RT-${index}`);
    const growth = readGrowth();
    const isResponse = typeof outcome === 'number';
    t.equal(isResponse ? observed_status : findFailureCode(report?.failure), outcome, name);
    const totalMs = report?.timings.total_ms ?? Number.NaN;
    if (isSilent) t.ok(totalMs >= silentMs.min && totalMs < silentMs.max, `${name}: ended after ${totalMs} ms`);
    return growth;
  };
  let highestMiB = 0;
  const growth = await measureSmallest(maxTotalGrowthMiB, async () => {
    const readGrowth = watchMemory(executor.pid);
    for (const [index, hostile] of chosenByRequest.entries())
      highestMiB = Math.max(highestMiB, await measureSmallest(maxExecutorGrowthMiB, () => meet(hostile, index)));
    return readGrowth();
  });
  t.comment(`executor: at most ${highestMiB.toFixed(0)} MiB more for a target, ${growth.toFixed(0)} MiB after all`);
  t.ok(highestMiB <= maxExecutorGrowthMiB, `${highestMiB} MiB for one target`);
  t.ok(growth <= maxTotalGrowthMiB, `${growth} MiB for ${chosenByRequest.length} targets`);
  t.equal((await run('RT-good')).state, 'passed', 'it works as before');
});

sandboxTest('a hub refuses what is not a response, and answers other calls', async (t, sandbox) => {
  // A silent server is waited for as long as the policy says (test/hub/gateway/slow-servers.test.ts).
  const targets = chosenByRequest.filter(({ isSilent }) => !isSilent);
  const hostile = await startHostileUpstream(t, targets);
  const handle = createRawServer({ tools: () => [createTool('echo')], call: () => createTextResult('hello') });
  const goodServer = await startTestServer(t, handle);
  const data = join(sandbox.folder, 'plane');
  const plane = sandbox.vp(['serve', '--json', '--port', '0', '--data', data, '--allow-private-upstreams'], {
    lifetimeMs,
  });
  const url = await listeningUrl(plane);
  const line = plane.stdout.split('\n').find((it) => it.includes('"setup_link_file"')) ?? '{}';
  const startInfo: { setup_link_file: string } = JSON.parse(line);
  const service = { startInfo: { ...startInfo, url }, readyMs: 0, memoryMb: () => undefined, stop: async () => {} };
  const owner = await ownerAt(service);
  t.teardown(closeConnections);
  const token = await hubWith(owner, 'mixed', [hostile.url, goodServer.url]);
  const callTool = (name: string) => rawCall({ url: `${url}/agent/mcp`, name, token })();
  for (let turn = 0; turn < warmUpCalls; turn += 1)
    if (!(await callTool('c1__echo')).includes('"hello"')) throw new Error('a call failed');
  const growth = await measureSmallest(maxPlaneGrowthMiB, async () => {
    const readGrowth = watchMemory(plane.pid);
    for (const [index, { name }] of targets.entries()) {
      const message: { error?: { data?: { code?: string } } } = JSON.parse(await callTool(`c0__hostile${index}`));
      t.match(message.error?.data?.code, /^UPSTREAM_/, name);
    }
    return readGrowth();
  });
  t.comment(`control plane: ${growth.toFixed(0)} MiB more after ${targets.length} servers`);
  t.ok(growth <= maxPlaneGrowthMiB, `${growth} MiB`);
  t.match(await callTool('c1__echo'), '"hello"', 'other servers are called as before');
});
