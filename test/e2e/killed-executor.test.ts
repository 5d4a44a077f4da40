/** kill -9 of the executor in every state of a run: nothing is sent twice, and no result is invented. */
import { join } from 'node:path';
import { formatError } from '../../src/errors/vp-error.ts';
import { eventually } from '../eventually.ts';
import { sandboxTest } from './sandbox.ts';
import { shareEnvironment } from './shared-environment.ts';
import { assertNothingLost, instance, startTestEnvironment } from './test-environment.ts';

const environmentTest = shareEnvironment();

environmentTest('idle: the next start takes over', async (t, env) => {
  await env.startRegisteredExecutor();
  await env.killExecutor();
  await env.startRegisteredExecutor();
  await assertNothingLost(t, env, await env.requestRuns(1));
});

environmentTest('runs are queued: the next start finds them', async (t, env) => {
  await env.startRegisteredExecutor();
  await env.killExecutor();
  const runs = await env.requestRuns(3);
  env.startExecutor();
  await assertNothingLost(t, env, runs);
});

environmentTest(
  'a run is leased and the lease is on its way: the next start gets it, because no send was announced',
  async (t, env) => {
    await env.startRegisteredExecutor();
    const stop = env.gateway.stop('/executor/poll', 'answer', (body) => body.includes('"lease":{'));
    const runs = await env.requestRuns(2);
    await stop.reached;
    await env.killExecutor();
    stop.lift();
    env.startExecutor();
    await assertNothingLost(t, env, runs);
  },
);

environmentTest('a send is announced and not acknowledged: it counts as sent', async (t, env) => {
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/heartbeat', 'answer');
  const runs = await env.requestRuns(2);
  await stop.reached;
  await env.killExecutor();
  t.same(env.target.log, [], 'nothing is sent before the acknowledgement');
  stop.lift();
  env.startExecutor();
  const [lost, next] = await assertNothingLost(t, env, runs, runs.slice(0, 1));
  t.match(lost?.failure_message, /executor restarted/);
  t.same(env.target.log, [next?.correlation_id], 'the queue goes on');
});

environmentTest('a run is leased and waits for the slot, which a direct run has', async (t, env) => {
  const executor = await env.startRegisteredExecutor();
  env.target.close();
  const direct = env.runDirectly(executor);
  await env.target.arrivals(1);
  const [run, ...more] = await env.requestRuns(2);
  if (!run) throw new Error('two runs were requested');
  await env.waitForState(run, 'in_progress');
  await env.killExecutor();
  t.equal(await direct, undefined);
  env.target.open();
  env.startExecutor();
  await assertNothingLost(t, env, [run, ...more]);
  t.equal(env.target.log.length, 3, 'the direct run was not sent again');
});

environmentTest('a run has been sent: it ends as lost, and the queue goes on', async (t, env) => {
  await env.startRegisteredExecutor();
  env.target.close();
  const [first, ...more] = await env.requestRuns(3);
  if (!first) throw new Error('three runs were requested');
  await env.target.arrivals(1);
  await env.killExecutor();
  env.target.open();
  env.startExecutor();
  const [ended] = await assertNothingLost(t, env, [first, ...more], [first]);
  const { message, cure } = formatError('RUN_EXECUTOR_LOST', { instance, reason: 'executor restarted' });
  t.equal(ended?.failure_message, message);
  t.match(ended?.report?.failure, { kind: 'executor_lost', message, cure }, 'and the report says what to do');
  t.equal(env.target.log.length, 3, 'each was sent once');
});

environmentTest('a run has been sent, and its executor starts anew without its folder', async (t, env) => {
  await env.startRegisteredExecutor();
  env.target.close();
  const [first, ...more] = await env.requestRuns(2);
  if (!first) throw new Error('two runs were requested');
  await env.target.arrivals(1);
  await env.killExecutor();
  env.target.open();
  env.startExecutor(join(env.sandbox.folder, 'another-executor'));
  const [ended] = await assertNothingLost(t, env, [first, ...more], [first]);
  t.match(ended?.failure_message, /executor store replaced/);
});

environmentTest('a report is kept and has not arrived: the next start hands it in', async (t, env) => {
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/complete', 'request');
  const runs = await env.requestRuns(2);
  await stop.reached;
  await env.killExecutor();
  stop.lift();
  env.startExecutor();
  await assertNothingLost(t, env, runs);
});

environmentTest('a report has arrived and its acknowledgement, with the next lease, is lost', async (t, env) => {
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/complete', 'answer');
  const runs = await env.requestRuns(2);
  await stop.reached;
  t.match(await env.listRuns(), [{ state: 'in_progress' }, { state: 'passed' }]);
  await env.killExecutor();
  stop.lift();
  env.startExecutor();
  await assertNothingLost(t, env, runs, runs.slice(1));
});

environmentTest('both sides are killed while a report waits', async (t, env) => {
  await env.startRegisteredExecutor();
  const stop = env.gateway.stop('/executor/complete', 'request');
  const runs = await env.requestRuns(2);
  await stop.reached;
  await Promise.all([env.killExecutor(), env.killControlPlane()]);
  stop.lift();
  env.startExecutor();
  await env.restartControlPlane();
  await assertNothingLost(t, env, runs);
});

environmentTest('a direct run ends while the control plane is away: it is uploaded once', async (t, env) => {
  const executor = await env.startRegisteredExecutor();
  await env.killControlPlane();
  const report = await env.runDirectly(executor);
  t.match(report, { result: 'passed', origin: 'direct' });
  await env.killExecutor();
  await env.restartControlPlane();
  await env.startRegisteredExecutor();
  const run = await eventually(async () => (await env.listRuns())[0], { description: 'the upload' });
  t.match(run, { run_id: report?.run_id, origin: 'direct', state: 'passed', correlation_id: env.target.log[0] });
  await assertNothingLost(t, env, await env.requestRuns(1));
  t.equal((await env.listRuns()).length, 2);
});

sandboxTest(
  'it never comes back: the lease ends, and a report that comes after all is kept beside the run',
  async (t, sandbox) => {
    const env = await startTestEnvironment(t, sandbox, {
      serve: () => sandbox.serveShortLeases(join(sandbox.folder, 'plane')),
    });
    await env.startRegisteredExecutor();
    const stop = env.gateway.stop('/executor/complete', 'request');
    const [first, ...more] = await env.requestRuns(2);
    if (!first) throw new Error('two runs were requested');
    await stop.reached;
    await env.killExecutor();
    const [lost] = await env.waitForRuns([first]);
    t.match(lost, {
      state: 'failed',
      failure_kind: 'executor_lost',
      failure_message: /lease ended/,
      late_report: null,
    });
    t.match(await env.client.instances.get(instance), { running: null, queued: 1 });
    stop.lift();
    env.startExecutor();
    await assertNothingLost(t, env, [first, ...more], [first]);
    const { late_report: lateReport } = await env.client.runs.get(first.run_id);
    t.match(lateReport, { run_id: first.run_id, result: 'passed' }, 'beside the run');
  },
);
