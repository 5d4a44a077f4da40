/** kill -9 of the control plane in every state of a run. Acknowledged runs end, and nothing is sent twice. */
import { join } from 'node:path';
import { shareEnvironment } from './shared-environment.ts';
import { assertNothingLost, instance, scenarioId } from './test-environment.ts';

const environmentTest = shareEnvironment();

environmentTest('idle: its executor comes back to it', async (t, env) => {
  const executor = await env.startRegisteredExecutor();
  await env.killControlPlane();
  await env.restartControlPlane();
  await env.waitForRegistration();
  await assertNothingLost(t, env, await env.requestRuns(1));
  t.equal(executor.hasEnded, false, 'the same start of the executor');
});

environmentTest('runs are queued: they keep their order', async (t, env) => {
  await env.killExecutor();
  const runs = await env.requestRuns(3);
  await env.killControlPlane();
  await env.restartControlPlane();
  await env.startRegisteredExecutor();
  const ended = await assertNothingLost(t, env, runs);
  t.same(
    env.target.log,
    ended.map(({ correlation_id }) => correlation_id),
    'in the order of their requests',
  );
});

environmentTest('a request is committed and its answer lost: the same key requests nothing new', async (t, env) => {
  await env.killExecutor();
  const requestOnce = () =>
    env.client.runs.request(instance, { scenarios: [{ id: scenarioId }] }, { idempotencyKey: 'once' });
  const runs = await requestOnce();
  await env.killControlPlane();
  await env.restartControlPlane();
  t.same(
    (await requestOnce()).map(({ run_id }) => run_id),
    runs.map(({ run_id }) => run_id),
  );
  await env.startRegisteredExecutor();
  await assertNothingLost(t, env, runs);
  t.equal(env.target.log.length, 1);
});

environmentTest('a run is leased and its executor does not know it yet', async (t, env) => {
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/poll', 'answer', (body) => body.includes(scenarioId));
  const runs = await env.requestRuns(2);
  await stop.reached;
  t.match(await env.listRuns(), [{ state: 'queued' }, { state: 'in_progress' }]);
  await env.killControlPlane();
  await env.restartControlPlane();
  stop.lift();
  await assertNothingLost(t, env, runs);
});

environmentTest('a run has been sent and the target holds the answer back', async (t, env) => {
  await env.startRegisteredExecutor();
  env.target.close();
  const runs = await env.requestRuns(2);
  await env.target.arrivals(1);
  await env.killControlPlane();
  env.target.open();
  await env.restartControlPlane();
  await assertNothingLost(t, env, runs);
});

environmentTest('the answer comes after the control plane is back', async (t, env) => {
  await env.startRegisteredExecutor();
  env.target.close();
  const runs = await env.requestRuns(2);
  await env.target.arrivals(1);
  await env.killControlPlane();
  await env.restartControlPlane();
  await env.waitForRegistration();
  env.target.open();
  await assertNothingLost(t, env, runs);
});

environmentTest('a report is on its way and has not arrived', async (t, env) => {
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/complete', 'request');
  const runs = await env.requestRuns(2);
  await stop.reached;
  await env.killControlPlane();
  await env.restartControlPlane();
  stop.lift();
  await assertNothingLost(t, env, runs);
});

environmentTest('a report is committed and its acknowledgement, with the next lease, is lost', async (t, env) => {
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/complete', 'answer');
  const runs = await env.requestRuns(2);
  await stop.reached;
  t.match(await env.listRuns(), [{ state: 'in_progress' }, { state: 'passed' }]);
  await env.killControlPlane();
  await env.restartControlPlane();
  stop.lift();
  await assertNothingLost(t, env, runs);
});

environmentTest('a cancel that was acknowledged holds', async (t, env) => {
  await env.killExecutor();
  const [first, second] = await env.requestRuns(2);
  if (!first || !second) throw new Error('two runs were requested');
  t.match(await env.client.runs.cancel(first.run_id), { state: 'cancelled' });
  await env.killControlPlane();
  await env.restartControlPlane();
  await env.startRegisteredExecutor();
  await assertNothingLost(t, env, [second]);
  t.match(await env.client.runs.get(first.run_id), { state: 'cancelled', result: null });
  t.same(env.target.log, [second.correlation_id], 'only the other run was sent');
});

environmentTest('a backup is restored: its executors greet again by themselves, and go on', async (t, env) => {
  // One that has not greeted again before.
  await env.killExecutor();
  const executor = await env.startRegisteredExecutor();
  const backup = join(env.sandbox.folder, 'monday.db');
  const { data } = env.controlPlane;
  t.match(await env.sandbox.run(['backup', backup, '--data', data]), { code: 0 });
  await assertNothingLost(t, env, await env.requestRuns(1));
  await env.killControlPlane();
  t.match(await env.sandbox.run(['restore', backup, '--data', data]), { code: 0 });
  await env.restartControlPlane();
  await executor.waitForOutput(/greeting again/, 'stderr');
  await env.waitForRegistration();
  await assertNothingLost(t, env, await env.requestRuns(2));
  t.equal(executor.hasEnded, false, 'the same process');
});
