/**
 * The packed binary receives streams of targets that break their protocols: each run names the reason, within a bound of memory over a
 * new executor. Every fourth of them, and those that take most; `VP_HOSTILE_STREAMS=all` plays all.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import { embedFiles } from '../../src/scenario/embedded-files.ts';
import { findFailureCode } from '../executor/failure-code.ts';
import { scenarioText } from '../executor/test-project.ts';
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
import { openFreshExecutors } from './fresh-executors.ts';
import type { Sandbox } from './sandbox.ts';
import { shareBetweenTests } from './shared-environment.ts';

/** Of one target over an executor that was started for it. */
const maxGrowthMiB = 64;
const everyNth = process.env.VP_HOSTILE_STREAMS === 'all' ? 1 : 4;
const largest = /190,000|1.5 million|not closed|1 MB|large events|refusal|files of 9 MB/;
/** Some of the targets are silent, and a busy machine takes its time. */
const lifetimeMs = 1_200_000;
const limitS = { silent: 1, other: 300 } as const;
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

/** Executors whose runs reach that target. */
async function startRunner(t: Test, sandbox: Sandbox) {
  const target = await startChangingTarget(t);
  const configText = `project: {name: shop}\ntargets:\n  http: {base_url: "${target.url}"}\n`;
  const { write, run, measureGrowth } = await openFreshExecutors(sandbox, { configText, lifetimeMs });
  return {
    target,
    run,
    measureGrowth,
    write: (id: string, trigger: string, checks: readonly string[], seconds: number): Promise<unknown> => {
      const text = scenarioText(trigger, checks, seconds).replace('RT-document', id);
      return write(id, embedFiles(text, readProtoFile));
    },
  };
}

const runnerTest = shareBetweenTests(startRunner);

for (const kind of Object.keys(hostileStreams) as HostileStreamKind[])
  runnerTest(`${kind}: an executor names the reason of each, and goes on`, async (t, runner) => {
    const { target, measureGrowth, write, run } = runner;
    await write('RT-good', 'GET ${INGESTION_URL}/good\nX-Request-Id: ${correlation_id}', ['status=200'], 60);
    for (const [time, seconds] of Object.entries(limitS))
      await write(`RT-${time}`, formatTrigger(kind), listReceiveChecks(kind, seconds), seconds);
    let highestMiB = 0;
    const chosen = hostileStreams[kind].filter(({ name }, index) => index % everyNth === 0 || largest.test(name));
    for (const hostile of chosen) {
      const meet = async (): Promise<void> => {
        target.become(hostile);
        const { report, state } = await run(hostile.isSilent ? 'RT-silent' : 'RT-other');
        const outcome = findFailureCode(report?.failure) ?? report?.checks.map(({ actual }) => actual).join('; ');
        t.equal(state, 'failed', hostile.name);
        t.match(outcome ?? '', hostile.outcome, hostile.name);
        target.become(undefined);
      };
      const growth = await measureGrowth(maxGrowthMiB, meet);
      highestMiB = Math.max(highestMiB, growth);
      t.ok(growth <= maxGrowthMiB, `${hostile.name}: ${growth.toFixed(0)} MiB`);
    }
    t.comment(`${kind}: at most ${highestMiB.toFixed(0)} MiB more for a target`);
    t.equal((await run('RT-good')).state, 'passed', 'it works as before');
  });
