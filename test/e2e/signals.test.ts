/** SIGTERM and Ctrl-C for the roles: what has started is finished, what has not is given back, nothing is cut off. */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Run } from '../../src/contract/api.ts';
import { configText, type House, house, instance, provesNothingLost, scenarioId, scenarioText } from './house.ts';
import { eventually } from './processes.ts';
import { listeningUrl, ownerOf, scene } from './stage.ts';

/** Two signals that come closer together than this are one (src/commands/interrupts.ts). */
const apartMs = 400;

/** Two runs, of which the target holds the first. */
async function oneHeld(at: House): Promise<readonly [Run, Run]> {
  at.target.close();
  const [first, second] = await at.request(2);
  if (!first || !second) throw new Error('two runs were requested');
  await at.target.arrivals(1);
  return [first, second];
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  scene(`${signal}: an executor finishes the run that has started and takes no other`, async (t, stage) => {
    const at = await house(t, stage);
    const executor = await at.welcomeExecutor();
    const [first, second] = await oneHeld(at);
    await at.tellToStop(executor, signal);
    at.target.open();
    t.match(await executor.ended, { code: 0, signal: null });
    t.match(await at.client.runs.get(first.run_id), { state: 'passed' });
    t.match(await at.client.runs.get(second.run_id), { state: 'queued' });
    at.startExecutor();
    await provesNothingLost(t, at, [first, second]);
  });
}

scene('an executor gives back a lease that is on its way', async (t, stage) => {
  const at = await house(t, stage);
  const executor = await at.welcomeExecutor();
  let seen = 0;
  const isFirstLease = (body: string): boolean => body.includes('"lease":{') && seen++ === 0;
  const stop = at.gateway.stop('/executor/poll', 'answer', isFirstLease);
  const runs = await at.request(1);
  await stop.reached;
  executor.signal('SIGTERM');
  t.match(await executor.ended, { code: 0 });
  t.match(await at.client.runs.list(), { items: [{ state: 'queued' }] });
  t.same(at.target.log, [], 'nothing was sent');
  at.startExecutor();
  await provesNothingLost(t, at, runs);
});

scene('an executor finishes a direct run and gives back the lease that waits behind it', async (t, stage) => {
  const at = await house(t, stage);
  const executor = await at.welcomeExecutor();
  at.target.close();
  const direct = at.runDirectly(executor);
  await at.target.arrivals(1);
  const [run] = await at.request(1);
  if (!run) throw new Error('a run was requested');
  await at.inState(run, 'in_progress');
  await at.tellToStop(executor, 'SIGTERM');
  at.target.open();
  t.match(await direct, { result: 'passed' }, 'who asked for the direct run has its report');
  t.match(await executor.ended, { code: 0 });
  t.match(await at.client.runs.get(run.run_id), { state: 'queued' });
  at.startExecutor();
  await provesNothingLost(t, at, [run]);
  t.equal(at.target.log.length, 2);
});

scene('a second Ctrl-C ends an executor at once; its run is lost, not sent again', async (t, stage) => {
  const at = await house(t, stage);
  const executor = await at.welcomeExecutor();
  const [first, second] = await oneHeld(at);
  executor.signalGroup('SIGINT');
  await sleepFor(apartMs);
  t.equal(executor.over, false, 'the first one waits for the run');
  executor.signalGroup('SIGINT');
  t.match(await executor.ended, { code: 130 });
  at.target.open();
  at.startExecutor();
  await provesNothingLost(t, at, [first, second], [first]);
});

scene('an executor that never reached its control plane ends when it is told to', async (t, stage) => {
  const at = await house(t, stage);
  await at.killPlane();
  const executor = at.startExecutor();
  await executor.said(/trying again/, 'stderr');
  executor.signal('SIGTERM');
  t.match(await executor.ended, { code: 0 });
});

scene(
  'an executor that cannot hand in its report ends all the same, and hands it in after its next start',
  async (t, stage) => {
    const at = await house(t, stage);
    const executor = await at.welcomeExecutor();
    const [first, second] = await oneHeld(at);
    await at.killPlane();
    await at.tellToStop(executor, 'SIGTERM');
    at.target.open();
    t.match(await executor.ended, { code: 0 });
    at.startExecutor();
    await at.restartPlane();
    await provesNothingLost(t, at, [first, second]);
  },
);

scene('SIGTERM: a control plane answers those who wait, closes its store and ends with 0', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const [first, second] = await oneHeld(at);
  const { client, plane } = at;
  const waits = client.runs.get(first.run_id, { waitMs: 60_000 });
  const listening = new AbortController();
  const events = client.events({ sinceSeq: 0, signal: listening.signal });
  t.match(await events.next(), { done: false }, 'a stream of events is open');
  plane.running.signal('SIGTERM');
  t.match(await waits, { run_id: first.run_id, state: 'in_progress' }, 'a long poll is answered with what is known');
  t.match(await plane.running.ended, { code: 0, signal: null });
  t.notOk(existsSync(join(plane.data, 'control.db-wal')), 'everything is in the one file');
  listening.abort();
  at.target.open();
  await at.restartPlane();
  await provesNothingLost(t, at, [first, second]);
});

scene('a second Ctrl-C does not wait for a caller that never finishes', async (t, stage) => {
  const { url, running } = await stage.serve();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  socket.write('POST /api/v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n');
  await new Promise((resolve) => socket.once('connect', resolve));
  await fetch(`${url}/healthz`);
  running.signalGroup('SIGINT');
  await eventually('the listener is closed', () =>
    fetch(`${url}/healthz`).then(
      () => undefined,
      () => true,
    ),
  );
  await sleepFor(apartMs);
  running.signalGroup('SIGINT');
  t.match(await running.ended, { code: 130 });
});

scene(
  'both roles in one process: SIGTERM finishes the run, kill -9 loses it, nothing is sent twice',
  async (t, stage) => {
    const at = await house(t, stage);
    await at.killPlane();
    const scenarios = stage.write('scenarios/document.md', scenarioText());
    stage.write('product/platform-config.yaml', configText(at.target.origin));
    const data = join(stage.folder, 'embedded');
    const roles = ['--embedded', '--product-dir', 'product', '--test-dir', scenarios, '--instance', instance];
    const serve = async () => {
      const running = stage.vp(['serve', '--json', '--port', '0', '--data', data, ...roles]);
      return { running, data, url: await listeningUrl(running) };
    };
    const request = (plane: { url: string }) =>
      ownerOf({ ...plane, data }).runs.request(instance, { scenarios: [{ id: scenarioId }] });

    at.plane = await serve();
    at.target.close();
    const finished = await request(at.plane);
    await at.target.arrivals(1);
    at.plane.running.signal('SIGTERM');
    await sleepFor(apartMs);
    at.target.open();
    t.match(await at.plane.running.ended, { code: 0 });

    at.plane = await serve();
    at.target.close();
    const lost = await request(at.plane);
    await at.target.arrivals(2);
    await at.killPlane();
    at.target.open();
    at.plane = await serve();
    const after = await request(at.plane);
    await provesNothingLost(t, at, [...finished, ...lost, ...after], lost);
    t.equal(at.target.log.length, 3);
  },
);
