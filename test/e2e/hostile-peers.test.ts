/** The packed binary against everything that breaks HTTP: each is told with its reason, within a bound of memory. */
import { join } from 'node:path';
import { hubWith, ownerAt } from '../bench/hub.ts';
import { closeConnections, rawCall } from '../bench/hub-raw-call.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { measureSmallest } from '../smallest-measurement.ts';
import { startHostileUpstream } from './hostile-peers.ts';
import { chosenByRequest, lifetimeMs, maxExecutorGrowthMiB, startHostileRunner } from './hostile-runner.ts';
import { watchMemory } from './process-memory.ts';
import { listeningUrl, sandboxTest } from './sandbox.ts';

const maxPlaneGrowthMiB = 100;
/**
 * Of all of them: what the collector of garbage and malloc have not given back yet. The heap itself is after four rounds of all of
 * them, and a collection, what it was before. More would be a leak.
 */
const maxTotalGrowthMiB = 112;
const warmUpCalls = 500;

sandboxTest('an executor judges what it can, and names the reason of everything else', async (t, sandbox) => {
  const { start, run, meet } = await startHostileRunner(t, sandbox);
  const executor = await start();
  let highestMiB = 0;
  const growth = await measureSmallest(maxTotalGrowthMiB, async () => {
    const readGrowth = watchMemory(executor.pid);
    for (const index of chosenByRequest.keys()) {
      const oneGrowth = await measureSmallest(maxExecutorGrowthMiB, async () => {
        const readOneGrowth = watchMemory(executor.pid);
        await meet(index);
        return readOneGrowth();
      });
      highestMiB = Math.max(highestMiB, oneGrowth);
    }
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
