/** SIGTERM and Ctrl-C for the roles: started runs are finished, others are returned to the queue. */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Run } from '../../src/contract/api.ts';
import { eventually } from '../eventually.ts';
import { findFreePort } from '../free-port.ts';
import type { RunningProcess } from './processes.ts';
import { createOwnerClient, listeningUrl, sandboxTest } from './sandbox.ts';
import { shareEnvironment } from './shared-environment.ts';
import {
  assertNothingLost,
  instance,
  scenarioId,
  scenarioText,
  startUnregisteredEnvironment,
  type TestEnvironment,
} from './test-environment.ts';

const environmentTest = shareEnvironment();

/**
 * Two signals within 300 ms count as one (src/command-line/interrupts.ts), so it is repeated until the process has ended. Returns
 * its exit status as a shell reports it: one more signal may reach the process while it exits with 130, which is 130 too.
 */
async function interruptUntilEnded(running: RunningProcess): Promise<number | null> {
  await eventually(() => {
    running.signalGroup('SIGINT');
    return running.hasEnded;
  });
  const { code, signal } = await running.ended;
  return signal === 'SIGINT' ? 130 : code;
}

/** Requests two runs, of which the first is pending at the target. */
async function requestWithFirstPending(env: TestEnvironment): Promise<readonly [Run, Run]> {
  env.target.close();
  const [first, second] = await env.requestRuns(2);
  if (!first || !second) throw new Error('two runs were requested');
  await env.target.arrivals(1);
  return [first, second];
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  environmentTest(`${signal}: an executor finishes the run that has started and takes no other`, async (t, env) => {
    const executor = await env.startRegisteredExecutor();
    const [first, second] = await requestWithFirstPending(env);
    await env.requestStop(executor, signal);
    env.target.open();
    t.match(await executor.ended, { code: 0, signal: null });
    t.match(await env.client.runs.get(first.run_id), { state: 'passed' });
    t.match(await env.client.runs.get(second.run_id), { state: 'queued' });
    env.startExecutor();
    await assertNothingLost(t, env, [first, second]);
  });
}

environmentTest('an executor gives back a lease that is on its way', async (t, env) => {
  const executor = await env.startRegisteredExecutor();
  let leaseCount = 0;
  const isFirstLease = (body: string): boolean => body.includes('"lease":{') && leaseCount++ === 0;
  const stop = env.gateway.stop('/executor/poll', 'answer', isFirstLease);
  const runs = await env.requestRuns(1);
  await stop.reached;
  executor.signal('SIGTERM');
  t.match(await executor.ended, { code: 0 });
  t.match(await env.listRuns(), [{ state: 'queued' }]);
  t.same(env.target.log, [], 'nothing was sent');
  env.startExecutor();
  await assertNothingLost(t, env, runs);
});

environmentTest('an executor finishes a direct run and gives back the lease that waits behind it', async (t, env) => {
  const executor = await env.startRegisteredExecutor();
  env.target.close();
  const direct = env.runDirectly(executor);
  await env.target.arrivals(1);
  const [run] = await env.requestRuns(1);
  if (!run) throw new Error('a run was requested');
  await env.waitForState(run, 'in_progress');
  await env.requestStop(executor, 'SIGTERM');
  env.target.open();
  t.match(await direct, { result: 'passed' }, 'the caller of the direct run gets its report');
  t.match(await executor.ended, { code: 0 });
  t.match(await env.client.runs.get(run.run_id), { state: 'queued' });
  env.startExecutor();
  await assertNothingLost(t, env, [run]);
  t.equal(env.target.log.length, 2);
});

environmentTest('a second Ctrl-C ends an executor at once; its run is lost, not sent again', async (t, env) => {
  const executor = await env.startRegisteredExecutor();
  const [first, second] = await requestWithFirstPending(env);
  executor.signalGroup('SIGINT');
  await env.waitForStopping(executor);
  t.equal(executor.hasEnded, false, 'the first one waits for the run');
  t.equal(await interruptUntilEnded(executor), 130);
  env.target.open();
  env.startExecutor();
  await assertNothingLost(t, env, [first, second], [first]);
});

environmentTest('an executor that never reached its control plane ends when it is told to', async (t, env) => {
  await env.killExecutor();
  env.gateway.forwardTo(`http://127.0.0.1:${await findFreePort()}`);
  const executor = env.startExecutor(join(env.sandbox.folder, 'never-registered'));
  await executor.waitForOutput(/trying again/, 'stderr');
  executor.signal('SIGTERM');
  t.match(await executor.ended, { code: 0 });
});

environmentTest(
  'an executor that cannot hand in its report ends all the same, and hands it in after its next start',
  async (t, env) => {
    const executor = await env.startRegisteredExecutor();
    const [first, second] = await requestWithFirstPending(env);
    await env.killControlPlane();
    await env.requestStop(executor, 'SIGTERM');
    env.target.open();
    t.match(await executor.ended, { code: 0 });
    env.startExecutor();
    await env.restartControlPlane();
    await assertNothingLost(t, env, [first, second]);
  },
);

environmentTest(
  'SIGTERM: a control plane responds to waiting callers, closes its store and exits with 0',
  async (t, env) => {
    await env.startRegisteredExecutor();
    const [first, second] = await requestWithFirstPending(env);
    const { client, controlPlane: plane } = env;
    const longPoll = client.runs.get(first.run_id, { waitMs: 60_000 });
    const controller = new AbortController();
    const events = client.events({ sinceSeq: 0, signal: controller.signal });
    t.match(await events.next(), { done: false }, 'a stream of events is open');
    plane.running.signal('SIGTERM');
    t.match(
      await longPoll,
      { run_id: first.run_id, state: 'in_progress' },
      'a long poll is answered with what is known',
    );
    t.match(await plane.running.ended, { code: 0, signal: null });
    t.notOk(existsSync(join(plane.data, 'control.db-wal')), 'everything is in the one file');
    controller.abort();
    env.target.open();
    await env.restartControlPlane();
    await assertNothingLost(t, env, [first, second]);
  },
);

sandboxTest('a second Ctrl-C does not wait for a caller that never finishes', async (t, sandbox) => {
  const { url, running } = await sandbox.serve();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  socket.write('POST /api/v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n');
  await new Promise((resolve) => socket.once('connect', resolve));
  await fetch(`${url}/healthz`);
  running.signalGroup('SIGINT');
  await eventually(
    () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true,
      ),
    { description: 'the listener is closed' },
  );
  t.equal(await interruptUntilEnded(running), 130);
});

sandboxTest(
  'both roles in one process: SIGTERM finishes the run, kill -9 loses it, nothing is sent twice',
  async (t, sandbox) => {
    const scenarios = sandbox.write('scenarios/document.md', scenarioText());
    const data = join(sandbox.folder, 'embedded');
    const roles = ['--embedded', '--product-dir', 'product', '--test-dir', scenarios, '--instance', instance];
    const serve = async () => {
      const running = sandbox.vp(['serve', '--json', '--port', '0', '--data', data, ...roles]);
      return { running, data, url: await listeningUrl(running) };
    };
    const env = await startUnregisteredEnvironment(t, sandbox, { serve });
    const request = (plane: { url: string }) =>
      createOwnerClient({ ...plane, data }).runs.request(instance, { scenarios: [{ id: scenarioId }] });

    env.target.close();
    const finished = await request(env.controlPlane);
    await env.target.arrivals(1);
    env.controlPlane.running.signal('SIGTERM');
    await env.controlPlane.running.waitForOutput(/"msg":"stopping/, 'stderr');
    env.target.open();
    t.match(await env.controlPlane.running.ended, { code: 0 });

    env.controlPlane = await serve();
    env.target.close();
    const lost = await request(env.controlPlane);
    await env.target.arrivals(2);
    await env.killControlPlane();
    env.target.open();
    env.controlPlane = await serve();
    const after = await request(env.controlPlane);
    await assertNothingLost(t, env, [...finished, ...lost, ...after], lost);
    t.equal(env.target.log.length, 3);
  },
);
