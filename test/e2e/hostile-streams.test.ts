/**
 * The packed binary receives streams of targets that break their protocols: each is told with its reason, within a bound of memory over an
 * executor that has seen no other of them, because what those left behind would hide its own. Every fourth of them, and those that take
 * most; `VP_HOSTILE_STREAMS=all` plays all.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { RunDocument } from '../../src/contract/api.ts';
import { embedFiles } from '../../src/scenario/embedded-files.ts';
import { findFailureCode } from '../executor/failure-code.ts';
import { scenarioText } from '../executor/test-project.ts';
import { measureSmallest } from '../smallest-measurement.ts';
import { readProtoFile } from '../targets/grpc-target.ts';
import type { HostileTarget } from '../targets/hostile/behaviour.ts';
import {
  formatTrigger,
  type HostileStreamKind,
  hostileStreams,
  listReceiveChecks,
} from '../targets/hostile/streams.ts';
import { behaveAs } from '../targets/hostile/targets.ts';
import { getPort } from '../targets/raw-target.ts';
import { watchMemory } from './process-memory.ts';
import type { RunningProcess } from './processes.ts';
import { createOwnerClient, listeningUrl, type Sandbox, sandboxTest } from './sandbox.ts';

const instance = 'shop';
/** Of one target over an executor that was started for it. */
const maxGrowthMiB = 64;
const everyNth = process.env.VP_HOSTILE_STREAMS === 'all' ? 1 : 4;
const largest = /190,000|1.5 million|not closed|1 MB|large events|refusal|files of 9 MB/;
const executorVariables = { MALLOC_ARENA_MAX: '1' };
/** Some of the targets are silent, and a busy machine takes its time. */
const lifetimeMs = 1_200_000;
const limitS = { silent: 1, other: 300 } as const;
const warmUpRuns = 20;
const good = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"count":3}';

/** One address that behaves as the target of the moment; without one it responds properly. */
async function startChangingTarget(t: Test) {
  const sockets = new Set<Socket>();
  let target: HostileTarget | undefined;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    if (target) behaveAs(target, () => {})(socket, 0);
    else socket.on('data', () => socket.write(good));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const become = (next: HostileTarget | undefined): void => {
    for (const socket of sockets) socket.destroy();
    target = next;
  };
  return { url: `http://127.0.0.1:${getPort(server)}`, become };
}

/** An executor whose runs reach that target, and a control plane. */
async function startRunner(t: Test, sandbox: Sandbox) {
  const target = await startChangingTarget(t);
  const config = `project: {name: shop}\ntargets:\n  http: {base_url: "${target.url}"}\n`;
  sandbox.write('product/platform-config.yaml', config);
  const data = join(sandbox.folder, 'plane');
  const plane = sandbox.vp(['serve', '--json', '--port', '0', '--data', data], { lifetimeMs });
  const controlPlane = { running: plane, data, url: await listeningUrl(plane) };
  const client = createOwnerClient(controlPlane);
  const { executor_key } = await client.instances.create({ instance_id: instance });
  const product = ['--data', join(sandbox.folder, 'executor'), '--product-dir', join(sandbox.folder, 'product')];
  const args = ['executor', '--json', '--port', '0', '--control-plane', controlPlane.url, ...product];
  const variables = { ...executorVariables, VP_EXECUTOR_KEY: executor_key };
  let executor: RunningProcess | undefined;
  const startExecutor = async (): Promise<RunningProcess> => {
    executor?.signal('SIGKILL');
    await executor?.ended;
    target.become(undefined);
    executor = sandbox.vp(args, { variables, lifetimeMs });
    await listeningUrl(executor);
    for (const { state } of await runAll(Array.from({ length: warmUpRuns }, () => 'RT-good'))) t.equal(state, 'passed');
    return executor;
  };
  const write = (id: string, trigger: string, checks: readonly string[], seconds: number): Promise<unknown> => {
    const text = scenarioText(trigger, checks, seconds).replace('RT-document', id);
    return client.scenarios.write(instance, id, { text: embedFiles(text, readProtoFile) });
  };
  const waitForEnd = async (id: string): Promise<RunDocument> => {
    for (;;) {
      const run = await client.runs.get(id, { waitMs: 5000 });
      if (run.finished_at !== null) return run;
    }
  };
  const runAll = async (ids: readonly string[]): Promise<RunDocument[]> => {
    const requested = await client.runs.request(instance, { scenarios: ids.map((id) => ({ id })) });
    const runs: RunDocument[] = [];
    for (const { run_id } of requested) runs.push(await waitForEnd(run_id));
    return runs;
  };
  const run = async (id: string): Promise<RunDocument> => {
    const [ended] = await runAll([id]);
    if (!ended) throw new Error(`no run of ${id} was requested`);
    return ended;
  };
  return { target, startExecutor, write, run };
}

for (const kind of Object.keys(hostileStreams) as HostileStreamKind[])
  sandboxTest(`${kind}: an executor names the reason of each, and goes on`, async (t, sandbox) => {
    const { target, startExecutor, write, run } = await startRunner(t, sandbox);
    await write('RT-good', 'GET ${INGESTION_URL}/good\nX-Request-Id: ${correlation_id}', ['status=200'], 60);
    for (const [time, seconds] of Object.entries(limitS))
      await write(`RT-${time}`, formatTrigger(kind), listReceiveChecks(kind, seconds), seconds);
    let highestMiB = 0;
    const chosen = hostileStreams[kind].filter(({ name }, index) => index % everyNth === 0 || largest.test(name));
    for (const hostile of chosen) {
      const growth = await measureSmallest(maxGrowthMiB, async () => {
        const executor = await startExecutor();
        target.become(hostile);
        const readGrowth = watchMemory(executor.pid);
        const { report, state } = await run(hostile.isSilent ? 'RT-silent' : 'RT-other');
        const outcome = findFailureCode(report?.failure) ?? report?.checks.map(({ actual }) => actual).join('; ');
        t.equal(state, 'failed', hostile.name);
        t.match(outcome ?? '', hostile.outcome, hostile.name);
        return readGrowth();
      });
      highestMiB = Math.max(highestMiB, growth);
      t.ok(growth <= maxGrowthMiB, `${hostile.name}: ${growth.toFixed(0)} MiB`);
    }
    t.comment(`${kind}: at most ${highestMiB.toFixed(0)} MiB more for a target`);
    target.become(undefined);
    t.equal((await run('RT-good')).state, 'passed', 'it works as before');
  });
