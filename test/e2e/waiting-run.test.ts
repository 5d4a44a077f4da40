/** `vp run` waits, and what it waits for goes away. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { House } from './house.ts';
import { house, provesNothingLost, scenarioId } from './house.ts';
import type { Running } from './processes.ts';
import { hurriedVp, scene } from './stage.ts';

function lineOf(at: House, more: readonly string[] = []): string[] {
  return ['run', scenarioId, '--control-plane', at.plane.url, ...more];
}

/** The runs that are known to the control plane, oldest first. */
async function runsAt(at: House) {
  return (await at.client.runs.list()).items.toReversed();
}

/** A run that the target holds, and somebody who waits for it. */
async function waiting(at: House, more?: readonly string[]): Promise<Running> {
  at.target.close();
  const vp = at.stage.vp(lineOf(at, more));
  await at.target.arrivals(1);
  return vp;
}

scene('the control plane is killed and comes back: told, waited out, and passed', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const vp = await waiting(at);
  const [run] = await runsAt(at);
  await at.killPlane();
  await vp.said(new RegExp(`asking again[^]*${run?.run_id}`), 'stderr');
  await at.restartPlaneInPlace();
  at.target.open();
  const { code, stdout, stderr } = await vp.ended;
  t.equal(code, 0, stdout);
  t.match(stdout, /RT-GET-document/);
  t.match(stderr, /answers again/);
  await provesNothingLost(t, at, await runsAt(at));
});

scene('the control plane is stopped in order and comes back', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const vp = await waiting(at);
  at.plane.running.signal('SIGTERM');
  t.match(await at.plane.running.ended, { code: 0, signal: null });
  await vp.said(/asking again/, 'stderr');
  await at.restartPlaneInPlace();
  at.target.open();
  t.match(await vp.ended, { code: 0, stderr: /answers again/ });
  await provesNothingLost(t, at, await runsAt(at));
});

scene(
  'the control plane is killed before its answer to the request has left: nothing is requested twice',
  async (t, stage) => {
    const at = await house(t, stage);
    const token = readFileSync(join(at.plane.data, 'owner.key'), 'utf8').trim();
    const stop = at.gateway.stop('/runs', 'answer');
    const vp = stage.vp(['run', scenarioId, '--control-plane', at.gateway.url], { variables: { VP_TOKEN: token } });
    await stop.reached;
    await at.killPlane();
    await at.restartPlane();
    stop.lift();
    await at.welcomeExecutor();
    t.match(await vp.ended, { code: 0 });
    const runs = await runsAt(at);
    t.equal(runs.length, 1);
    await provesNothingLost(t, at, runs);
  },
);

scene(
  'the control plane does not come back: 4, the ids of the runs, and reports of what is known',
  async (t, stage) => {
    const at = await house(t, stage);
    await at.welcomeExecutor();
    at.target.close();
    const vp = stage.start(process.execPath, [
      hurriedVp,
      ...lineOf(at, ['--repeat', '2', '--report', 'json=out.json']),
    ]);
    await at.target.arrivals(1);
    const runs = await runsAt(at);
    await at.killPlane();
    const { code, stdout, stderr } = await vp.ended;
    t.equal(code, 4, stderr);
    t.match(stderr, 'RUN_WAIT_LOST');
    t.match(stderr, `vp runs --control-plane ${at.plane.url}`);
    const file = readFileSync(join(stage.folder, 'out.json'), 'utf8');
    for (const { run_id: id } of runs) {
      t.match(stdout + stderr, id);
      t.match(file, id);
    }
    at.target.open();
    await at.restartPlane();
    await provesNothingLost(t, at, runs);
  },
);

scene('nobody is there from the beginning: 4 at once', async (t, stage) => {
  const at = await house(t, stage);
  await at.killPlane();
  const { code, stderr } = await stage.run(lineOf(at));
  t.equal(code, 4);
  t.match(stderr, 'CONTROL_PLANE_UNREACHABLE');
  t.match(stderr, '`vp serve`', 'with the cure');
});

scene(
  'Ctrl-C stops the waiting and not the run: 130, reports of what is known, and how to see the rest',
  async (t, stage) => {
    const at = await house(t, stage);
    await at.welcomeExecutor();
    const formats = ['text', 'json', 'junit', 'html'];
    const vp = await waiting(
      at,
      formats.flatMap((format) => ['--report', `${format}=out/report.${format}`]),
    );
    const [run] = await runsAt(at);
    const id = run?.run_id ?? 'none';
    vp.signalGroup('SIGINT');
    const { code, stdout } = await vp.ended;
    t.equal(code, 130);
    t.match(stdout, `vp runs show ${id}`);
    for (const format of formats)
      t.match(readFileSync(join(stage.folder, 'out', `report.${format}`), 'utf8'), id, format);
    at.target.open();
    await provesNothingLost(t, at, await runsAt(at));
  },
);
