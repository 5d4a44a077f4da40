/** A full disk: acknowledged data is kept, writes are refused with the reason, and work continues when there is space again. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Run } from '../../src/contract/api.ts';
import { VpError } from '../../src/errors/vp-error.ts';
import { eventually } from '../eventually.ts';
import type { RunningProcess } from './processes.ts';
import { fastClockVp, listeningUrl, type Sandbox, type ServedControlPlane, sandboxTest } from './sandbox.ts';
import { createLimitedFolder, createSmallDisk, type SmallDisk } from './small-disk.ts';
import { assertNothingLost, scenarioId, startTestEnvironment, type TestEnvironment } from './test-environment.ts';

const linux = process.platform === 'linux';
if (!linux) throw new Error('these tests fill disks as Linux does');

/** Requests runs until one is refused: those that were acknowledged, and the refusal. */
async function requestUntilRefused(env: TestEnvironment): Promise<{ readonly runs: Run[]; readonly refusal: VpError }> {
  const runs: Run[] = [];
  for (let count = 0; count < 5000; count += 1) {
    try {
      runs.push(...(await env.requestRuns(1)));
    } catch (error) {
      if (error instanceof VpError) return { runs, refusal: error };
      throw error;
    }
  }
  throw new Error('the disk is never full');
}

/** An environment whose control plane has its store on `disk`. */
async function startEnvironmentOn(t: Test, sandbox: Sandbox, disk: SmallDisk): Promise<TestEnvironment> {
  return startTestEnvironment(t, sandbox, { serve: () => serveOn(disk) });
}

async function serveOn(disk: SmallDisk): Promise<ServedControlPlane> {
  const running = disk.vp(['serve', '--json', '--port', '0', '--data', join(disk.folder, 'plane')]);
  return { running, data: join(disk.outside, 'plane'), url: await listeningUrl(running) };
}

async function assertSurvivesFullDisk(t: Test, sandbox: Sandbox, disk: SmallDisk): Promise<void> {
  const env = await startEnvironmentOn(t, sandbox, disk);
  const before = await env.requestRuns(3);
  disk.fill(env.controlPlane.running);
  const { runs, refusal } = await requestUntilRefused(env);
  const acknowledged = [...before, ...runs];
  t.match(refusal, { code: disk.refusal.code, row: { status: disk.refusal.status } }, 'refused with the reason');
  t.equal((await fetch(`${env.controlPlane.url}/healthz`)).status, 200, 'the process lives');
  const refused = await eventually(() => fetch(`${env.controlPlane.url}/readyz`), {
    description: 'a control plane that cannot write is not ready',
    until: ({ status }) => status === 503,
  });
  t.match(await refused.json(), { status: 'not ready', reason: disk.refusal.code });
  const listed = await env.client.runs.list({ limit: 200 });
  t.same(
    listed.items.map(({ run_id }) => run_id).toReversed(),
    acknowledged.map(({ run_id }) => run_id),
    'reading works',
  );

  const vpRun = sandbox.startSource(fastClockVp, ['run', scenarioId, '--control-plane', env.controlPlane.url]);
  t.match(await vpRun.ended, { code: disk.refusal.exit, stderr: new RegExp(disk.refusal.code) }, 'vp run says so too');
  const executor = env.startExecutor();
  await executor.waitForOutput(/trying again/, 'stderr');

  disk.free(env.controlPlane.running);
  const later = await eventually(() => env.requestRuns(1), { description: 'room on the disk' });
  await assertNothingLost(t, env, [...acknowledged, ...later]);
  t.equal((await fetch(`${env.controlPlane.url}/readyz`)).status, 200, 'ready again');
  t.equal(env.target.log.length, acknowledged.length + 1, 'what was refused was never run');
}

sandboxTest('the disk of a control plane is full', async (t, sandbox) => {
  await assertSurvivesFullDisk(t, sandbox, await createSmallDisk(t, sandbox));
});

sandboxTest('the files of a control plane may not grow', async (t, sandbox) => {
  await assertSurvivesFullDisk(t, sandbox, createLimitedFolder(sandbox));
});

sandboxTest('a control plane is killed on a full disk and started again there', async (t, sandbox) => {
  const disk = await createSmallDisk(t, sandbox);
  const env = await startEnvironmentOn(t, sandbox, disk);
  disk.fill(env.controlPlane.running);
  const { runs } = await requestUntilRefused(env);
  await env.killControlPlane();
  const restarted = disk.vp(['serve', '--port', '0', '--data', join(disk.folder, 'plane')]);
  if (disk.kind === 'limited') disk.fill(restarted);
  const outcome = await Promise.race([
    restarted.waitForOutput(/address +(http:\S+)/).then(
      ([, url = '']) => url,
      () => 'ended',
    ),
    restarted.ended.then(() => 'ended'),
  ]);
  if (outcome === 'ended') {
    const { code, exit } = disk.refusal;
    t.match(await restarted.ended, { code: exit, stderr: new RegExp(code) }, 'it cannot start, and says why');
  } else {
    await restarted.kill();
    t.pass('it starts');
  }
  disk.free(restarted);
  env.controlPlane = await serveOn(disk);
  env.gateway.forwardTo(env.controlPlane.url);
  await env.startRegisteredExecutor();
  await assertNothingLost(t, env, [...runs, ...(await env.requestRuns(1))]);
});

sandboxTest('a fresh control plane on a full disk', async (t, sandbox) => {
  const disk = await createSmallDisk(t, sandbox);
  const first = disk.vp(['serve', '--json', '--port', '0', '--data', join(disk.folder, 'other')]);
  await listeningUrl(first);
  disk.fill(first);
  const data = join(disk.folder, 'plane');
  if (disk.kind !== 'limited') {
    const { code, stderr } = await disk.vp(['serve', '--port', '0', '--data', data]).ended;
    t.equal(code, 4);
    t.match(stderr, /STORE_DISK_FULL/);
    t.match(stderr, 'free space there');
  }
  disk.free(first);
  const url = await listeningUrl(disk.vp(['serve', '--json', '--port', '0', '--data', data]));
  t.ok(url, 'with room it starts on what was left there');
});

/** Starts an executor with its store on `disk`, and executes one run. */
async function startExecutorOn(disk: SmallDisk, env: TestEnvironment): Promise<RunningProcess> {
  const args = ['executor', '--json', '--port', '0', '--data', join(disk.folder, 'executor')];
  const connectionFlags = ['--product-dir', join(env.sandbox.folder, 'product'), '--control-plane', env.gateway.url];
  const executor = disk.vp([...args, ...connectionFlags], { variables: { VP_EXECUTOR_KEY: env.executorKey } });
  await listeningUrl(executor);
  await env.waitForRuns(await env.requestRuns(1));
  return executor;
}

sandboxTest(
  'the disk of an executor is full before a run starts: nothing is sent until the start can be stored',
  async (t, sandbox) => {
    const disk = await createSmallDisk(t, sandbox);
    const env = await startTestEnvironment(t, sandbox);
    const executor = await startExecutorOn(disk, env);
    disk.fill(executor);
    const runs = await env.requestRuns(2);
    await executor.waitForOutput(/cannot be stored|cannot be written/, 'stderr');
    t.equal(env.target.log.length, 1, 'the run before');
    disk.free(executor);
    await assertNothingLost(t, env, runs);
  },
);

sandboxTest(
  'the disk of an executor fills up while the target has the request: the report is not lost',
  async (t, sandbox) => {
    const disk = await createSmallDisk(t, sandbox);
    const env = await startTestEnvironment(t, sandbox);
    const executor = await startExecutorOn(disk, env);
    env.target.close();
    const runs = await env.requestRuns(2);
    await env.target.arrivals(2);
    disk.fill(executor);
    env.target.open();
    await executor.waitForOutput(/cannot be written/, 'stderr');
    disk.free(executor);
    await assertNothingLost(t, env, runs);
  },
);

sandboxTest('a backup that does not fit leaves no file behind', async (t, sandbox) => {
  const disk = await createSmallDisk(t, sandbox);
  const { data } = await sandbox.serve();
  const holder = disk.vp(['serve', '--json', '--port', '0', '--data', join(disk.folder, 'other')]);
  await listeningUrl(holder);
  disk.fill(holder);
  const file = join(disk.folder, `${randomUUID()}.db`);
  if (disk.kind !== 'limited') {
    const { code, stderr } = await disk.vp(['backup', file, '--data', data]).ended;
    t.equal(code, 4, stderr);
    t.match(stderr, 'STORE_DISK_FULL');
    t.same(readdirSync(disk.outside).sort(), ['filler', 'other'], 'nor any part of one');
  }
  disk.free(holder);
  t.match(await disk.vp(['backup', file, '--data', data]).ended, { code: 0 }, 'the same name can be used with room');
});
