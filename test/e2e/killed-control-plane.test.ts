/** kill -9 of the control plane in every state that a run can be in. What it acknowledged ends, and nothing is sent twice. */
import { house, instance, provesNothingLost, scenarioId } from './house.ts';
import { scene } from './stage.ts';

scene('idle: its executor comes back to it', async (t, stage) => {
  const at = await house(t, stage);
  const executor = await at.welcomeExecutor();
  await at.killPlane();
  await at.restartPlane();
  await at.registered();
  await provesNothingLost(t, at, await at.request(1));
  t.equal(executor.over, false, 'the same start of the executor');
});

scene('runs are queued: they keep their order', async (t, stage) => {
  const at = await house(t, stage);
  const runs = await at.request(3);
  await at.killPlane();
  await at.restartPlane();
  await at.welcomeExecutor();
  const ended = await provesNothingLost(t, at, runs);
  t.same(
    at.target.log,
    ended.map(({ correlation_id }) => correlation_id),
    'in the order of their requests',
  );
});

scene('a request is committed and its answer lost: the same key requests nothing new', async (t, stage) => {
  const at = await house(t, stage);
  const ask = () => at.client.runs.request(instance, { scenarios: [{ id: scenarioId }] }, { idempotencyKey: 'once' });
  const runs = await ask();
  await at.killPlane();
  await at.restartPlane();
  t.same(
    (await ask()).map(({ run_id }) => run_id),
    runs.map(({ run_id }) => run_id),
  );
  await at.welcomeExecutor();
  await provesNothingLost(t, at, runs);
  t.equal(at.target.log.length, 1);
});

scene('a run is leased and its executor has not heard of it', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const stop = at.gateway.stop('/executor/poll', 'answer', (body) => body.includes(scenarioId));
  const runs = await at.request(2);
  await stop.reached;
  t.match(await at.client.runs.list(), { items: [{ state: 'queued' }, { state: 'in_progress' }] });
  await at.killPlane();
  await at.restartPlane();
  stop.lift();
  await provesNothingLost(t, at, runs);
});

scene('a run has been sent and the target holds the answer back', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  at.target.close();
  const runs = await at.request(2);
  await at.target.arrivals(1);
  await at.killPlane();
  at.target.open();
  await at.restartPlane();
  await provesNothingLost(t, at, runs);
});

scene('the answer comes after the control plane is back', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  at.target.close();
  const runs = await at.request(2);
  await at.target.arrivals(1);
  await at.killPlane();
  await at.restartPlane();
  await at.registered();
  at.target.open();
  await provesNothingLost(t, at, runs);
});

scene('a report is on its way and has not arrived', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const stop = at.gateway.stop('/executor/complete', 'request');
  const runs = await at.request(2);
  await stop.reached;
  await at.killPlane();
  await at.restartPlane();
  stop.lift();
  await provesNothingLost(t, at, runs);
});

scene('a report is committed and its acknowledgement, with the next lease, is lost', async (t, stage) => {
  const at = await house(t, stage);
  await at.welcomeExecutor();
  const stop = at.gateway.stop('/executor/complete', 'answer');
  const runs = await at.request(2);
  await stop.reached;
  t.match(await at.client.runs.list(), { items: [{ state: 'in_progress' }, { state: 'passed' }] });
  await at.killPlane();
  await at.restartPlane();
  stop.lift();
  await provesNothingLost(t, at, runs);
});

scene('a cancel that was acknowledged holds', async (t, stage) => {
  const at = await house(t, stage);
  const [first, second] = await at.request(2);
  if (!first || !second) throw new Error('two runs were requested');
  t.match(await at.client.runs.cancel(first.run_id), { state: 'cancelled' });
  await at.killPlane();
  await at.restartPlane();
  await at.welcomeExecutor();
  await provesNothingLost(t, at, [second]);
  t.match(await at.client.runs.get(first.run_id), { state: 'cancelled', result: null });
  t.same(at.target.log, [second.correlation_id], 'only the other run was sent');
});
