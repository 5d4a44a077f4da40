/** The real executor with the real control plane, when a folder of either goes back, or an old message arrives again. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { ControlPort, HeartbeatRequest, HelloRequest } from '../../src/contract/executor-api.ts';
import { type OpenControl, openControl } from '../../src/control/open-control.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { VpError, vpError } from '../../src/errors/vp-error.ts';
import { eventually } from '../eventually.ts';
import { getHeader, respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { neverRespond } from './executor-setup.ts';
import { startTestExecutor, type TestExecutor } from './test-executor.ts';
import { scenarioText } from './test-project.ts';

const text = scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has count'], 2);

/** Executors reach whichever control plane is open; folders are below `root`. */
async function openWorld(t: Test) {
  const root = t.testdir();
  const world: { control: OpenControl; executors: TestExecutor[] } = {
    control: await openOn(t, join(root, 'control')),
    executors: [],
  };
  await world.control.instances.create({ instance_id: 'shop' }, { name: 'test' });
  const target = await startHttpTarget(respondWithJson({ count: 1 }));
  const hellos: HelloRequest[] = [];
  const heartbeats: HeartbeatRequest[] = [];
  const silence = { heartbeats: false };
  const port = (): ControlPort => world.control.executorPort('shop');
  const control: ControlPort = {
    challenge: (message) => port().challenge(message),
    hello(message) {
      hellos.push(message);
      return port().hello(message);
    },
    poll: (message, signal) => port().poll(message, signal),
    heartbeat(message) {
      heartbeats.push(message);
      return silence.heartbeats ? new Promise(() => {}) : port().heartbeat(message);
    },
    complete: (message) => port().complete(message),
    giveBack: (message) => port().giveBack(message),
    directRun: (message) => port().directRun(message),
  };
  const start = async (name: string): Promise<TestExecutor> => {
    mkdirSync(join(root, name), { recursive: true });
    const executor = await startTestExecutor({ folder: join(root, name), control, origin: target.origin });
    world.executors.push(executor);
    await executor.waitForWelcome();
    return executor;
  };
  const request = async (sentText = text): Promise<string> => {
    const [run] = await world.control.runs.request('shop', { scenarios: [{ text: sentText }] }, { name: 'test' });
    return run?.run_id ?? '';
  };
  const end = async (runId: string) => world.control.runs.wait(runId, 10_000);
  t.teardown(async () => {
    await world.executors.at(-1)?.stop();
    await target.close();
    await world.control.close();
  });
  const copy = (from: string, to: string): void => cpSync(join(root, from), join(root, to), { recursive: true });
  return { world, root, target, hellos, heartbeats, silence, start, request, end, copy, port };
}

function openOn(t: Test, folder: string): Promise<OpenControl> {
  const onError = (error: unknown): void => void t.fail(String(error));
  return openControl({ folder, clock: systemClock, random: systemRandom, pid: 1, onError });
}

t.test('the folder of an executor goes back to a copy made before a run was sent: it is not sent again', async (t) => {
  const { start, request, end, copy, target, world, heartbeats } = await openWorld(t);
  const first = await start('executor');
  t.match(await end(await request()), { state: 'passed' });
  copy('executor', 'older');
  neverRespond(target);
  const runId = await request();
  await eventually(() => target.arrived.length === 2 && heartbeats.length > 0);
  await first.kill();
  target.handler = respondWithJson({ count: 1 });
  const second = await start('older');
  t.match(await end(runId), { state: 'failed', failure_kind: 'executor_lost', failure_message: /older copy/ });
  t.match(await end(await request()), { state: 'passed' }, 'the queue goes on');
  t.equal(target.arrived.length, 3, 'each was sent once');
  t.match(second.logMessages.join('\n'), /the folder of this executor is an older copy/);
  t.match(await world.control.instances.get('shop'), { stale_store: { store: 'executor' } });
});

t.test('the folder goes back to a copy made just before a request of the cleanup: it is not sent again', async (t) => {
  const { start, request, copy, target, world, silence } = await openWorld(t);
  const respond = respondWithJson({ count: 1 });
  const release = Promise.withResolvers<void>();
  target.handler = (incoming, response, arrived) => {
    if (arrived.method === 'DELETE') return;
    void release.promise.then(() => respond(incoming, response, arrived));
  };
  const first = await start('executor');
  const runId = await request(`${text}\n## CLEANUP\n\n### remove\n\nDELETE \${INGESTION_URL}/a\n\n- status=200\n`);
  await eventually(() => target.arrived.length === 1);
  // From here on only what the executor tells for the cleanup shows that its journal has come further than the copy.
  silence.heartbeats = true;
  copy('executor', 'older');
  release.resolve();
  await eventually(() => target.arrived.length === 2);
  await first.kill();
  copy('older', 'executor');
  silence.heartbeats = false;
  await start('executor');
  const { late_report } = await eventually(() => world.control.runs.get(runId), {
    until: (run) => run.late_report !== null,
    description: 'the report of the copy',
  });
  t.match(late_report, { cleanup: [{ outcome: 'not_sent', problem: /copy of its folder/ }] });
  t.match(await world.control.instances.get('shop'), { stale_store: { store: 'executor' } });
  t.equal(target.arrived.length, 2, 'the cleanup arrived once');
});

t.test('a copy of the folder of an executor that runs does not clean up beside it', async (t) => {
  const { start, request, copy, target, world } = await openWorld(t);
  const respond = respondWithJson({ count: 1 });
  const release = Promise.withResolvers<void>();
  const isFirstCleanup = (url: string): boolean => url.startsWith('/first');
  target.handler = (incoming, response, arrived) =>
    void (isFirstCleanup(arrived.url) ? release.promise : Promise.resolve()).then(() =>
      respond(incoming, response, arrived),
    );
  await start('executor');
  const cleanup = ['first', 'second'].map(
    (path) => `### remove ${path}\n\nDELETE \${INGESTION_URL}/${path}\n\n- status=200\n`,
  );
  const runId = await request(`${text}\n## CLEANUP\n\n${cleanup.join('\n')}`);
  await eventually(() => target.arrived.some(({ url }) => isFirstCleanup(url)));
  copy('executor', 'clone');
  const clone = await start('clone');
  const { late_report } = await eventually(() => world.control.runs.get(runId), {
    until: (run) => run.late_report !== null,
    description: 'the report of the copy',
  });
  t.match(late_report, { cleanup: [{ outcome: 'not_known' }, { outcome: 'not_sent', problem: /copy of its folder/ }] });
  t.match(clone.logMessages.join('\n'), /not cleaning up from a copy of the folder/);
  release.resolve();
  await eventually(() => target.arrived.some(({ url }) => url.startsWith('/second')));
  await clone.kill();
  const again = await start('clone');
  t.notMatch(again.logMessages.join('\n'), /copy of the folder/, 'from then on it is a folder of its own');
  const paths = target.arrived.map(({ url }) => url);
  t.same(new Set(paths).size, paths.length, `each request arrived once: ${paths.join(' ')}`);
});

t.test('a greeting delivered again does not disturb the executor that took over', async (t) => {
  const { start, request, end, hellos, port } = await openWorld(t);
  const first = await start('executor');
  await first.stop();
  const second = await start('executor');
  const [old] = hellos;
  if (!old) throw new Error('the first start has greeted');
  await t.rejects(port().hello(old), { code: 'EXECUTOR_CHALLENGE_EXPIRED' });
  t.match(await end(await request()), { state: 'passed' });
  t.match(await second.executor.status(), { state: 'idle' });
});

t.test('a greeting whose challenge expires on the way is made again', async (t) => {
  const { start, request, end, world } = await openWorld(t);
  const { executorPort } = world.control;
  let expired = 0;
  world.control = {
    ...world.control,
    executorPort: (instance) => ({
      ...executorPort(instance),
      hello(message) {
        expired += 1;
        if (expired > 2) return executorPort(instance).hello(message);
        return Promise.reject(vpError('EXECUTOR_CHALLENGE_EXPIRED', { instance }));
      },
    }),
  };
  await start('executor');
  t.match(await end(await request()), { state: 'passed' });
  t.equal(expired, 3);
});

t.test('a control plane without challenges, as 0.4.0, is greeted without one', async (t) => {
  const { start, request, end, world, hellos } = await openWorld(t);
  const { executorPort } = world.control;
  world.control = {
    ...world.control,
    executorPort: (instance) => ({
      ...executorPort(instance),
      challenge: () => Promise.reject(vpError('ROUTE_UNKNOWN', { method: 'POST', path: '/api/v1/executor/challenge' })),
    }),
  };
  await start('executor');
  t.match(await end(await request()), { state: 'passed' });
  t.equal(hellos[0]?.start, undefined);
});

t.test(
  'the store of the control plane goes back: the executor greets again by itself, and nothing is sent twice',
  async (t) => {
    const { start, request, end, copy, root, target, world } = await openWorld(t);
    const executor = await start('executor');
    t.match(await end(await request()), { state: 'passed' });
    await world.control.close();
    copy('control', 'control-before');
    world.control = await openOn(t, join(root, 'control'));
    const lost = await request();
    t.match(await end(lost), { state: 'passed' });
    await eventually(async () => (await executor.executor.status()).waiting === 0);
    await world.control.close();
    world.control = await openOn(t, join(root, 'control-before'));
    await eventually(() =>
      executor.logMessages.some((message) => /store of the control plane is an older copy/.test(message)),
    );
    t.match(await world.control.instances.get('shop'), { stale_store: { store: 'control plane' } });
    const next = await eventually(async () => {
      const run = await end(await request());
      return run.state === 'passed' && run;
    });
    t.ok(next);
    t.match(await executor.executor.status(), { state: 'idle' }, 'the same process goes on');
    const ids = target.arrived.map((arrived) => getHeader(arrived, 'x-correlation-id'));
    t.equal(new Set(ids).size, ids.length, 'every request was sent once');
    const known = await world.control.runs.get(lost).catch((error: unknown) => error);
    t.ok(known instanceof VpError && known.code === 'RUN_UNKNOWN', 'what the copy lacks is not invented');
  },
);
