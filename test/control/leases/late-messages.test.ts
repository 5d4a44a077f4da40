/** A network may deliver every message again, or late: none of them ends a healthy start or takes a lease for nobody. */
import t from 'tap';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createTestReport } from '../report-fixture.ts';
import { greet, journalOf, requestTestRun } from './lease-fixture.ts';

t.test('a hello delivered again, after a later start was accepted, is refused', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const older = await greet(control, 'start-one');
  const { welcome } = await greet(control, 'start-two');
  const runId = await requestTestRun(control);
  const { lease } = await port.poll({ epoch: welcome.epoch, in_hand: null, wait_ms: 0, call: 1 });
  await t.rejects(port.hello(older.message), { code: 'EXECUTOR_CHALLENGE_EXPIRED' });
  if (lease?.run_id !== runId) throw new Error('the run was leased');
  const report = createTestReport(lease, 'app');
  await port.complete({ epoch: welcome.epoch, run_id: runId, fence: lease.fence, more: false, report });
  t.match(await control.runs.get(runId), { state: 'passed' }, 'the healthy executor was not disturbed');
});

t.test('a hello that arrives for the first time after a later start was accepted is refused', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const { challenge } = await port.challenge({ start_id: 'start-one' });
  const { message, welcome } = await greet(control, 'start-two');
  const late = { ...message, start: { id: 'start-one', challenge } };
  await t.rejects(port.hello(late), { code: 'EXECUTOR_CHALLENGE_EXPIRED' });
  await t.resolves(port.poll({ epoch: welcome.epoch, in_hand: null, wait_ms: 0 }));
});

t.test('a hello delivered twice, also at the same time, is one start', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const { challenge } = await port.challenge({ start_id: 'start-one' });
  const { message } = await greet(control, 'start-two');
  const { challenge: open } = await port.challenge({ start_id: 'start-one' });
  t.not(open, challenge);
  const copy = { ...message, start: { id: 'start-one', challenge: open } };
  const [first, second] = await Promise.all([port.hello(copy), port.hello(copy)]);
  const third = await port.hello(copy);
  t.same([second, third], [first, first]);
  t.equal((await port.poll({ epoch: first.epoch, in_hand: null, wait_ms: 0 })).lease, null, 'its epoch is valid');
});

t.test('a hello whose challenge the control plane forgot is refused, and the next one is accepted', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const { message } = await greet(control, 'start-one');
  const start = { id: 'start-one', challenge: 'never-given-by-anybody' };
  await t.rejects(port.hello({ ...message, start }), { code: 'EXECUTOR_CHALLENGE_EXPIRED' });
  t.match(await greet(control, 'start-one'), { welcome: { epoch: 2 } });
});

t.test('more than eight greetings at once: the newest are kept', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const { challenge } = await port.challenge({ start_id: 'start-first' });
  for (let count = 0; count < 8; count += 1) await port.challenge({ start_id: `start-${count}-later` });
  const { message } = await greet(control, 'start-last');
  await t.rejects(port.hello({ ...message, start: { id: 'start-first', challenge } }), {
    code: 'EXECUTOR_CHALLENGE_EXPIRED',
  });
});

t.test('a poll that arrives late, or twice, takes no run', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const { epoch } = welcome;
  await port.poll({ epoch, in_hand: null, wait_ms: 0, call: 2 });
  const runId = await requestTestRun(control);
  t.same(await port.poll({ epoch, in_hand: null, wait_ms: 0, call: 2 }), { lease: null }, 'twice');
  t.same(await port.poll({ epoch, in_hand: null, wait_ms: 0, call: 1 }), { lease: null }, 'late');
  t.match(await control.runs.get(runId), { state: 'queued' });
  t.match(await port.poll({ epoch, in_hand: null, wait_ms: 0, call: 3 }), { lease: { run_id: runId } });
});

t.test('a waiting poll that the executor has given up takes no run', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const { epoch } = welcome;
  const abandoned = port.poll({ epoch, in_hand: null, wait_ms: 60_000, call: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  await port.poll({ epoch, in_hand: null, wait_ms: 0, call: 2 });
  const runId = await requestTestRun(control);
  t.same(await abandoned, { lease: null });
  t.match(await control.runs.get(runId), { state: 'queued' });
});

t.test('a waiting poll with a call number ends when another start takes over', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const waiting = port.poll({ epoch: welcome.epoch, in_hand: null, wait_ms: 60_000, call: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  const refused = t.rejects(waiting, { code: 'EXECUTOR_SUPERSEDED' });
  await greet(control, 'start-two');
  await refused;
});

t.test('a report delivered again after the executor stopped takes no run', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const { welcome } = await greet(control, 'start-one');
  const { epoch } = welcome;
  await requestTestRun(control);
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0, call: 1 });
  if (!lease) throw new Error('a run was leased');
  const report = createTestReport(lease, 'app');
  const message = { epoch, run_id: lease.run_id, fence: lease.fence, more: true, report, call: 2 };
  t.match(await port.complete(message), { lease: null });
  const next = await requestTestRun(control);
  t.match(await port.complete(message), { lease: null });
  t.match(await control.runs.get(next), { state: 'queued' });
  t.match(await control.runs.get(lease.run_id), { state: 'passed' });
});

t.test('a call numbered by an earlier start says nothing about this one', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const port = control.executorPort('app');
  const first = await greet(control, 'start-one');
  await port.poll({ epoch: first.welcome.epoch, in_hand: null, wait_ms: 0, call: 700 });
  const { welcome } = await greet(control, 'start-two', { journal: journalOf(first.welcome) });
  const runId = await requestTestRun(control);
  const late = port.poll({ epoch: first.welcome.epoch, in_hand: null, wait_ms: 0, call: 701 });
  await t.rejects(late, { code: 'EXECUTOR_SUPERSEDED' });
  t.match(await port.poll({ epoch: welcome.epoch, in_hand: null, wait_ms: 0, call: 1 }), { lease: { run_id: runId } });
});
