/** kill -9 of the control plane in every state of a run. Acknowledged runs end, and nothing is sent twice. */
import { join } from 'node:path';
import { sandboxTest } from './sandbox.ts';
import { assertNothingLost, instance, scenarioId, startTestEnvironment } from './test-environment.ts';

sandboxTest('idle: its executor comes back to it', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
  const executor = await env.startRegisteredExecutor();
  await env.killControlPlane();
  await env.restartControlPlane();
  await env.waitForRegistration();
  await assertNothingLost(t, env, await env.requestRuns(1));
  t.equal(executor.hasEnded, false, 'the same start of the executor');
});

sandboxTest('runs are queued: they keep their order', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
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

sandboxTest('a request is committed and its answer lost: the same key requests nothing new', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
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

sandboxTest('a run is leased and its executor does not know it yet', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/poll', 'answer', (body) => body.includes(scenarioId));
  const runs = await env.requestRuns(2);
  await stop.reached;
  t.match(await env.client.runs.list(), { items: [{ state: 'queued' }, { state: 'in_progress' }] });
  await env.killControlPlane();
  await env.restartControlPlane();
  stop.lift();
  await assertNothingLost(t, env, runs);
});

sandboxTest('a run has been sent and the target holds the answer back', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
  await env.startRegisteredExecutor();
  env.target.close();
  const runs = await env.requestRuns(2);
  await env.target.arrivals(1);
  await env.killControlPlane();
  env.target.open();
  await env.restartControlPlane();
  await assertNothingLost(t, env, runs);
});

sandboxTest('the answer comes after the control plane is back', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
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

sandboxTest('a report is on its way and has not arrived', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/complete', 'request');
  const runs = await env.requestRuns(2);
  await stop.reached;
  await env.killControlPlane();
  await env.restartControlPlane();
  stop.lift();
  await assertNothingLost(t, env, runs);
});

sandboxTest('a report is committed and its acknowledgement, with the next lease, is lost', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/complete', 'answer');
  const runs = await env.requestRuns(2);
  await stop.reached;
  t.match(await env.client.runs.list(), { items: [{ state: 'in_progress' }, { state: 'passed' }] });
  await env.killControlPlane();
  await env.restartControlPlane();
  stop.lift();
  await assertNothingLost(t, env, runs);
});

sandboxTest('a cancel that was acknowledged holds', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
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

sandboxTest('a backup is restored: its executors greet again by themselves, and go on', async (t, sandbox) => {
  const env = await startTestEnvironment(t, sandbox);
  const executor = await env.startRegisteredExecutor();
  const backup = join(sandbox.folder, 'monday.db');
  const { data } = env.controlPlane;
  t.match(await sandbox.run(['backup', backup, '--data', data]), { code: 0 });
  await assertNothingLost(t, env, await env.requestRuns(1));
  await env.killControlPlane();
  t.match(await sandbox.run(['restore', backup, '--data', data]), { code: 0 });
  await env.restartControlPlane();
  await executor.waitForOutput(/greeting again/, 'stderr');
  await env.waitForRegistration();
  await assertNothingLost(t, env, await env.requestRuns(2));
  t.equal(executor.hasEnded, false, 'the same process');
});
