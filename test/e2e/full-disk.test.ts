/** A disk without room: what was acknowledged stays, what cannot be kept is refused with its reason, and room mends it. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { Run } from '../../src/contract/api.ts';
import { VpError } from '../../src/errors/vp-error.ts';
import { type House, house, provesNothingLost, scenarioId } from './house.ts';
import { eventually, type Running } from './processes.ts';
import { limitedFiles, type SmallDisk, smallDisk } from './small-disk.ts';
import { hurriedVp, listeningUrl, type Stage, scene } from './stage.ts';

const linux = process.platform === 'linux';
if (!linux) throw new Error('these tests fill disks as Linux does');

/** Requests runs until one is refused: those that were acknowledged, and the refusal. */
async function requestUntilRefused(at: House): Promise<{ readonly runs: Run[]; readonly refusal: VpError }> {
  const runs: Run[] = [];
  for (let count = 0; count < 5000; count += 1) {
    try {
      runs.push(...(await at.request(1)));
    } catch (error) {
      if (error instanceof VpError) return { runs, refusal: error };
      throw error;
    }
  }
  throw new Error('the disk is never full');
}

/** A house whose control plane keeps its store on `disk`. */
async function houseOn(t: Test, stage: Stage, disk: SmallDisk): Promise<House> {
  const at = await house(t, stage);
  await at.killPlane();
  await servedOn(disk, at);
  await at.register();
  return at;
}

async function servedOn(disk: SmallDisk, at: House): Promise<Running> {
  const running = disk.vp(['serve', '--json', '--port', '0', '--data', join(disk.folder, 'plane')]);
  at.plane = { running, data: join(disk.outside, 'plane'), url: await listeningUrl(running) };
  at.gateway.to(at.plane.url);
  return running;
}

async function outlastsFullDisk(t: Test, stage: Stage, disk: SmallDisk): Promise<void> {
  const at = await houseOn(t, stage, disk);
  const before = await at.request(3);
  disk.fill(at.plane.running);
  const { runs, refusal } = await requestUntilRefused(at);
  const acknowledged = [...before, ...runs];
  t.match(refusal, { code: disk.refusal.code, row: { status: disk.refusal.status } }, 'refused with the reason');
  t.equal((await fetch(`${at.plane.url}/healthz`)).status, 200, 'the process lives');
  const listed = await at.client.runs.list({ limit: 200 });
  t.same(
    listed.items.map(({ run_id }) => run_id).toReversed(),
    acknowledged.map(({ run_id }) => run_id),
    'reading works',
  );

  const asked = stage.start(process.execPath, [hurriedVp, 'run', scenarioId, '--control-plane', at.plane.url]);
  t.match(await asked.ended, { code: disk.refusal.exit, stderr: new RegExp(disk.refusal.code) }, 'vp run says so too');
  const executor = at.startExecutor();
  await executor.said(/trying again/, 'stderr');

  disk.free(at.plane.running);
  const later = await eventually('room', () => at.request(1).catch(() => undefined));
  await provesNothingLost(t, at, [...acknowledged, ...later]);
  t.equal(at.target.log.length, acknowledged.length + 1, 'what was refused was never run');
}

scene('the disk of a control plane is full', async (t, stage) => {
  await outlastsFullDisk(t, stage, await smallDisk(t, stage));
});

scene('the files of a control plane may not grow', async (t, stage) => {
  await outlastsFullDisk(t, stage, limitedFiles(stage));
});

scene('a control plane is killed on a full disk and started again there', async (t, stage) => {
  const disk = await smallDisk(t, stage);
  const at = await houseOn(t, stage, disk);
  disk.fill(at.plane.running);
  const { runs } = await requestUntilRefused(at);
  await at.killPlane();
  const again = disk.vp(['serve', '--port', '0', '--data', join(disk.folder, 'plane')]);
  if (disk.kind === 'limited') disk.fill(again);
  const how = await Promise.race([
    again.said(/address +(http:\S+)/).then(
      ([, url = '']) => url,
      () => 'ended',
    ),
    again.ended.then(() => 'ended'),
  ]);
  if (how === 'ended') {
    const { code, exit } = disk.refusal;
    t.match(await again.ended, { code: exit, stderr: new RegExp(code) }, 'it cannot start, and says why');
  } else {
    await again.kill();
    t.pass('it starts');
  }
  disk.free(again);
  await servedOn(disk, at);
  await at.welcomeExecutor();
  await provesNothingLost(t, at, [...runs, ...(await at.request(1))]);
});

scene('a fresh control plane on a full disk', async (t, stage) => {
  const disk = await smallDisk(t, stage);
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

/** A house whose executor keeps its store on `disk`; it has had a run. */
async function executorOn(disk: SmallDisk, at: House): Promise<Running> {
  const args = ['executor', '--json', '--port', '0', '--data', join(disk.folder, 'executor')];
  const more = ['--product-dir', join(at.stage.folder, 'product'), '--control-plane', at.gateway.url];
  const executor = disk.vp([...args, ...more], { variables: { VP_EXECUTOR_KEY: at.executorKey } });
  await listeningUrl(executor);
  await at.ended(await at.request(1));
  return executor;
}

scene(
  'the disk of an executor is full before a run starts: nothing is sent until it can be noted',
  async (t, stage) => {
    const disk = await smallDisk(t, stage);
    const at = await house(t, stage);
    const executor = await executorOn(disk, at);
    disk.fill(executor);
    const runs = await at.request(2);
    await executor.said(/cannot be noted|cannot be written/, 'stderr');
    t.equal(at.target.log.length, 1, 'the run before');
    disk.free(executor);
    await provesNothingLost(t, at, runs);
  },
);

scene(
  'the disk of an executor fills up while the target has the request: the report is kept all the same',
  async (t, stage) => {
    const disk = await smallDisk(t, stage);
    const at = await house(t, stage);
    const executor = await executorOn(disk, at);
    at.target.close();
    const runs = await at.request(2);
    await at.target.arrivals(2);
    disk.fill(executor);
    at.target.open();
    await executor.said(/cannot be written/, 'stderr');
    disk.free(executor);
    await provesNothingLost(t, at, runs);
  },
);

scene('a backup that does not fit leaves nothing that looks like one', async (t, stage) => {
  const disk = await smallDisk(t, stage);
  const { data } = await stage.serve();
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
