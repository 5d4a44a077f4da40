/** kill -9 of the executor in every state that a run can be in: nothing is sent twice, and no outcome is made up. */
import { join } from 'node:path';
import { wordsOf } from '../../src/errors/vp-error.ts';
import { house, instance, provesNothingLost } from './house.ts';
import { eventually } from './processes.ts';
import { scene } from './stage.ts';

scene('idle: the next start takes over', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  await at.killExecutor();
  await at.welcomeExecutor();
  await provesNothingLost(t, at, await at.request(1));
});

scene('runs are queued: the next start finds them', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  await at.killExecutor();
  const runs = await at.request(3);
  at.startExecutor();
  await provesNothingLost(t, at, runs);
});

scene('a run is leased and the lease is on its way: it goes back to its place in the queue', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const stop = at.gateway.stop('/executor/poll', 'answer', (body) => body.includes('"lease":{'));
  const runs = await at.request(2);
  await stop.reached;
  await at.killExecutor();
  stop.lift();
  at.startExecutor();
  const ended = await provesNothingLost(t, at, runs);
  t.same(
    at.target.log,
    ended.map(({ correlation_id }) => correlation_id),
    'in the order of their requests',
  );
});

scene('a run is leased and waits for the slot, which a direct run has', async (t, stage) => {
  const at = await house(t, stage);
  const executor = await at.welcomeExecutor();
  at.target.close();
  const direct = at.runDirectly(executor);
  await at.target.arrivals(1);
  const [run, ...more] = await at.request(2);
  if (!run) throw new Error('two runs were requested');
  await at.inState(run, 'in_progress');
  await at.killExecutor();
  t.equal(await direct, undefined);
  at.target.open();
  at.startExecutor();
  await provesNothingLost(t, at, [run, ...more]);
  t.equal(at.target.log.length, 3, 'the direct run was not sent again');
});

scene('a run has been sent: it ends as lost, and the queue goes on', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  at.target.close();
  const [first, ...more] = await at.request(3);
  if (!first) throw new Error('three runs were requested');
  await at.target.arrivals(1);
  await at.killExecutor();
  at.target.open();
  at.startExecutor();
  const [ended] = await provesNothingLost(t, at, [first, ...more], [first]);
  const { message, cure } = wordsOf('RUN_EXECUTOR_LOST', { instance, reason: 'executor restarted' });
  t.equal(ended?.failure_message, message);
  t.match(ended?.report?.failure, { kind: 'executor_lost', message, cure }, 'and the report says what to do');
  t.equal(at.target.log.length, 3, 'each was sent once');
});

scene('a run has been sent, and its executor starts anew without its folder', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  at.target.close();
  const [first, ...more] = await at.request(2);
  if (!first) throw new Error('two runs were requested');
  await at.target.arrivals(1);
  await at.killExecutor();
  at.target.open();
  at.startExecutor(join(stage.folder, 'another-executor'));
  const [ended] = await provesNothingLost(t, at, [first, ...more], [first]);
  t.match(ended?.failure_message, /executor store replaced/);
});

scene('a report is kept and has not arrived: the next start hands it in', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const stop = at.gateway.stop('/executor/complete', 'request');
  const runs = await at.request(2);
  await stop.reached;
  await at.killExecutor();
  stop.lift();
  at.startExecutor();
  await provesNothingLost(t, at, runs);
});

scene('a report has arrived and its acknowledgement, with the next lease, is lost', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const stop = at.gateway.stop('/executor/complete', 'answer');
  const runs = await at.request(2);
  await stop.reached;
  t.match(await at.client.runs.list(), { items: [{ state: 'in_progress' }, { state: 'passed' }] });
  await at.killExecutor();
  stop.lift();
  at.startExecutor();
  await provesNothingLost(t, at, runs);
});

scene('both sides are killed while a report waits', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const stop = at.gateway.stop('/executor/complete', 'request');
  const runs = await at.request(2);
  await stop.reached;
  await Promise.all([at.killExecutor(), at.killPlane()]);
  stop.lift();
  at.startExecutor();
  await at.restartPlane();
  await provesNothingLost(t, at, runs);
});

scene('a direct run ends while the control plane is away: it is uploaded once', async (t, stage) => {
  const at = await house(t, stage);
  const executor = await at.welcomeExecutor();
  await at.killPlane();
  const report = await at.runDirectly(executor);
  t.match(report, { result: 'passed', origin: 'direct' });
  await at.killExecutor();
  await at.restartPlane();
  await at.welcomeExecutor();
  const run = await eventually('the upload', async () => (await at.client.runs.list()).items[0]);
  t.match(run, { run_id: report?.run_id, origin: 'direct', state: 'passed', correlation_id: at.target.log[0] });
  await provesNothingLost(t, at, await at.request(1));
  t.equal((await at.client.runs.list()).items.length, 2);
});

scene(
  'it never comes back: the lease ends, and a report that comes after all is kept beside the run',
  async (t, stage) => {
    const at = await house(t, stage);
    await at.killPlane();
    await at.restartPlane('short');
    await at.welcomeExecutor();
    const stop = at.gateway.stop('/executor/complete', 'request');
    const [first, ...more] = await at.request(2);
    if (!first) throw new Error('two runs were requested');
    await stop.reached;
    await at.killExecutor();
    const [lost] = await at.ended([first]);
    t.match(lost, {
      state: 'failed',
      failure_kind: 'executor_lost',
      failure_message: /lease ended/,
      late_report: null,
    });
    t.match(await at.client.instances.get(instance), { running: null, queued: 1 });
    stop.lift();
    at.startExecutor();
    await provesNothingLost(t, at, [first, ...more], [first]);
    const { late_report: late } = await at.client.runs.get(first.run_id);
    t.match(late, { run_id: first.run_id, result: 'passed' }, 'beside the run');
  },
);
