/** The packed binary against everything that breaks HTTP: each is told with its reason, within a bound of memory. */
import { join } from 'node:path';
import type { Test } from 'tap';
import { hubWith, ownerAt } from '../bench/hub.ts';
import { closeConnections, rawCall } from '../bench/hub-raw-call.ts';
import { findFailureCode } from '../executor/failure-code.ts';
import { createRawServer, createTextResult, createTool } from '../hub/fixtures/raw-server.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { measureSmallest } from '../smallest-measurement.ts';
import { hostileTargets } from '../targets/hostile/targets.ts';
import { openFreshExecutors } from './fresh-executors.ts';
import { startHostileTargets, startHostileUpstream } from './hostile-peers.ts';
import { watchMemory } from './process-memory.ts';
import type { RunningProcess } from './processes.ts';
import { listeningUrl, type Sandbox, sandboxTest } from './sandbox.ts';
import { configText, scenarioText } from './test-environment.ts';

/** Of one target over what the process had before it. */
const maxExecutorGrowthMiB = 64;
const maxPlaneGrowthMiB = 100;
/**
 * Of all of them: what the collector of garbage and malloc have not given back yet. The heap itself is after four rounds of all of
 * them, and a collection, what it was before. More would be a leak.
 */
const maxTotalGrowthMiB = 112;
/**
 * Of a run with a limit of a second, as its report says: timers may end a millisecond early, and a busy machine ends it late, but not
 * three times.
 */
const silentMs = { min: 990, max: 5000 } as const;
/** Some of the targets are silent, and a busy machine takes its time. */
const lifetimeMs = 1_200_000;
const warmUpCalls = 1500;

/** Those that begin before there is a request have no path by which to be chosen. */
const chosenByRequest = hostileTargets.filter(({ begins }) => begins === 'request');
/** Those that an executor meets which has seen no other: `VP_HOSTILE_TARGETS=all` plays all. */
const everyNth = process.env.VP_HOSTILE_TARGETS === 'all' ? 1 : 16;
const largest = /without end|100 MB|50 encodings|JSON (?:of|with|200)|a long/;

/** Executors whose runs reach all of the targets. */
async function startRunner(t: Test, sandbox: Sandbox) {
  const target = await startHostileTargets(t, chosenByRequest);
  const executors = await openFreshExecutors(t, sandbox, { configText: configText(target.url), lifetimeMs });
  const writeScenario = (id: string, path: string, timeout: string): Promise<unknown> =>
    executors.write(id, scenarioText(id).replace('/api/v2/document', path).replace('60s', timeout));
  await writeScenario('RT-good', '/good', '60s');
  // The others have so much time that a busy machine is not taken for a silent target.
  for (const [index, { isSilent }] of chosenByRequest.entries())
    await writeScenario(`RT-${index}`, `/${index}`, isSilent ? '1s' : '300s');
  /** Gives the time of the run. */
  const runAgainst = async (index: number): Promise<number> => {
    const { name = '', outcome } = chosenByRequest[index] ?? {};
    const { report, observed_status } = await executors.run(`RT-${index}`);
    t.equal(typeof outcome === 'number' ? observed_status : findFailureCode(report?.failure), outcome, name);
    return report?.timings.total_ms ?? Number.NaN;
  };
  /** Gives by how much the executor has grown. */
  const meet = async ({ pid }: RunningProcess, index: number): Promise<number> => {
    const { name, isSilent } = chosenByRequest[index] ?? {};
    const readGrowth = watchMemory(pid);
    const totalMs = isSilent ? await measureSmallest(silentMs.max, () => runAgainst(index)) : await runAgainst(index);
    const growth = readGrowth();
    if (isSilent) t.ok(totalMs >= silentMs.min && totalMs < silentMs.max, `${name}: ended after ${totalMs} ms`);
    return growth;
  };
  return { ...executors, meet };
}

sandboxTest('an executor judges what it can, and names the reason of everything else', async (t, sandbox) => {
  const { start, run, meet } = await startRunner(t, sandbox);
  const executor = await start();
  let highestMiB = 0;
  const growth = await measureSmallest(maxTotalGrowthMiB, async () => {
    const readGrowth = watchMemory(executor.pid);
    for (const index of chosenByRequest.keys())
      highestMiB = Math.max(highestMiB, await measureSmallest(maxExecutorGrowthMiB, () => meet(executor, index)));
    return readGrowth();
  });
  t.comment(`executor: at most ${highestMiB.toFixed(0)} MiB more for a target, ${growth.toFixed(0)} MiB after all`);
  t.ok(highestMiB <= maxExecutorGrowthMiB, `${highestMiB} MiB for one target`);
  t.ok(growth <= maxTotalGrowthMiB, `${growth} MiB for ${chosenByRequest.length} targets`);
  t.equal((await run('RT-good')).state, 'passed', 'it works as before');
});

sandboxTest('a target costs an executor that has seen no other at most 64 MiB over idle', async (t, sandbox) => {
  const { start, run, meet } = await startRunner(t, sandbox);
  const growths = new Map<string, number>();
  for (const [index, { name }] of chosenByRequest.entries()) {
    if (index % everyNth !== 0 && !largest.test(name)) continue;
    const growth = await measureSmallest(maxExecutorGrowthMiB, async () => meet(await start(), index));
    growths.set(name, growth);
    t.ok(growth <= maxExecutorGrowthMiB, `${name}: ${growth.toFixed(0)} MiB`);
  }
  const [[name, highestMiB] = ['', 0]] = [...growths].toSorted(([, a], [, b]) => b - a);
  t.comment(
    `${growths.size} targets, each with an executor of its own: at most ${highestMiB.toFixed(0)} MiB (${name})`,
  );
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
