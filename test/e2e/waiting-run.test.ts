/** `vp run` waits while the control plane becomes unreachable. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningProcess } from './processes.ts';
import { fastClockVp } from './sandbox.ts';
import { shareEnvironment } from './shared-environment.ts';
import type { TestEnvironment } from './test-environment.ts';
import { assertNothingLost, scenarioId } from './test-environment.ts';

const environmentTest = shareEnvironment();

function runArgs(env: TestEnvironment, more: readonly string[] = []): string[] {
  return ['run', scenarioId, '--control-plane', env.controlPlane.url, ...more];
}

/** The runs that are known to the control plane, oldest first. */
async function listRuns(env: TestEnvironment) {
  return (await env.listRuns()).toReversed();
}

/** Starts a `vp run` that waits for a run pending at the target. */
async function startWaitingRun(env: TestEnvironment, more?: readonly string[]): Promise<RunningProcess> {
  env.target.close();
  const vp = env.sandbox.vp(runArgs(env, more));
  await env.target.arrivals(1);
  return vp;
}

environmentTest('the control plane is killed and comes back: reported, awaited, and passed', async (t, env) => {
  await env.startRegisteredExecutor();
  const vp = await startWaitingRun(env);
  const [run] = await listRuns(env);
  await env.killControlPlane();
  await vp.waitForOutput(new RegExp(`retrying[^]*${run?.run_id}`), 'stderr');
  await env.restartControlPlaneInPlace();
  env.target.open();
  const { code, stdout, stderr } = await vp.ended;
  t.equal(code, 0, stdout);
  t.match(stdout, /RT-GET-document/);
  t.match(stderr, /responds again/);
  await assertNothingLost(t, env, await listRuns(env));
});

environmentTest('the control plane is stopped in order and comes back', async (t, env) => {
  await env.startRegisteredExecutor();
  const vp = await startWaitingRun(env);
  env.controlPlane.running.signal('SIGTERM');
  t.match(await env.controlPlane.running.ended, { code: 0, signal: null });
  await vp.waitForOutput(/retrying/, 'stderr');
  await env.restartControlPlaneInPlace();
  env.target.open();
  t.match(await vp.ended, { code: 0, stderr: /responds again/ });
  await assertNothingLost(t, env, await listRuns(env));
});

environmentTest(
  'the control plane is killed before its answer to the request has left: nothing is requested twice',
  async (t, env) => {
    await env.killExecutor();
    const token = readFileSync(join(env.controlPlane.data, 'owner.key'), 'utf8').trim();
    const stop = env.gateway.stop('/runs', 'answer');
    const vp = env.sandbox.vp(['run', scenarioId, '--control-plane', env.gateway.url], {
      variables: { VP_TOKEN: token },
    });
    await stop.reached;
    await env.killControlPlane();
    await env.restartControlPlane();
    stop.lift();
    await env.startRegisteredExecutor();
    t.match(await vp.ended, { code: 0 });
    const runs = await listRuns(env);
    t.equal(runs.length, 1);
    await assertNothingLost(t, env, runs);
  },
);

environmentTest(
  'the control plane does not come back: 4, the ids of the runs, and reports of what is known',
  async (t, env) => {
    await env.startRegisteredExecutor();
    env.target.close();
    const vp = env.sandbox.startSource(fastClockVp, runArgs(env, ['--repeat', '2', '--report', 'json=out.json']));
    await env.target.arrivals(1);
    const runs = await listRuns(env);
    await env.killControlPlane();
    const { code, stdout, stderr } = await vp.ended;
    t.equal(code, 4, stderr);
    t.match(stderr, 'RUN_WAIT_LOST');
    t.match(stderr, `vp runs --control-plane ${env.controlPlane.url}`);
    const file = readFileSync(join(env.sandbox.folder, 'out.json'), 'utf8');
    for (const { run_id: id } of runs) {
      t.match(stdout + stderr, id);
      t.match(file, id);
    }
    env.target.open();
    await env.restartControlPlane();
    await assertNothingLost(t, env, runs);
  },
);

environmentTest(
  'Ctrl-C stops the waiting and not the run: 130, reports of what is known, and how to see the rest',
  async (t, env) => {
    await env.startRegisteredExecutor();
    const formats = ['text', 'json', 'junit', 'html'];
    const vp = await startWaitingRun(
      env,
      formats.flatMap((format) => ['--report', `${format}=out/report.${format}`]),
    );
    const [run] = await listRuns(env);
    const id = run?.run_id ?? 'none';
    vp.signalGroup('SIGINT');
    const { code, stdout } = await vp.ended;
    t.equal(code, 130);
    t.match(stdout, `vp runs show ${id}`);
    for (const format of formats)
      t.match(readFileSync(join(env.sandbox.folder, 'out', `report.${format}`), 'utf8'), id, format);
    env.target.open();
    await assertNothingLost(t, env, await listRuns(env));
  },
);

environmentTest('unreachable from the beginning: 4 at once', async (t, env) => {
  await env.killControlPlane();
  const { code, stderr } = await env.sandbox.run(runArgs(env));
  t.equal(code, 4);
  t.match(stderr, 'CONTROL_PLANE_UNREACHABLE');
  t.match(stderr, '`vp serve --port ', 'with the fix');
});
