/** A key that was replaced: what was authenticated with it before gets nothing afterwards. */
import t, { type Test } from 'tap';
import { executorFeatures } from '../../../src/contract/executor-api.ts';
import { openTestControlWithApp } from '../control-fixture.ts';
import { greet, journalOf, newJournal, requestTestRun } from './lease-fixture.ts';

const longPoll = { in_hand: null, wait_ms: 60_000, announces_send: true, features: executorFeatures };

async function startExecutor(t: Test) {
  const testControl = await openTestControlWithApp(t);
  const { control } = testControl;
  const { executor_key: key } = await control.instances.rotateKey('app');
  const credential = await control.authenticate(key);
  if (credential?.kind !== 'executor') throw new Error('the key is unknown');
  const port = control.executorPort('app', credential.keyHash);
  const { welcome } = await greet(control, 'start-one');
  return { ...testControl, port, caller: { epoch: welcome.epoch, journal: journalOf(welcome) } };
}

/** Until a poll that was sent before waits. */
async function passLooks({ control }: Awaited<ReturnType<typeof startExecutor>>): Promise<void> {
  await control.database.write(() => undefined);
  for (let look = 0; look < 20; look += 1) await control.instances.get('app');
}

t.test('a poll that waits with the key before ends at once, and is not given the next run', async (t) => {
  const executor = await startExecutor(t);
  const { control, port, caller } = executor;
  const answer = t.rejects(port.poll({ ...caller, ...longPoll, call: 1 }), { code: 'CREDENTIAL_INVALID' });
  await passLooks(executor);
  await control.instances.rotateKey('app');
  await answer;
  const runId = await requestTestRun(control);
  t.match(await control.runs.get(runId), { state: 'queued' });
});

t.test('a run that is requested while the key is replaced is not leased to it', async (t) => {
  const executor = await startExecutor(t);
  const { control, port, caller } = executor;
  const answer = t.rejects(port.poll({ ...caller, ...longPoll, call: 1 }), { code: 'CREDENTIAL_INVALID' });
  await passLooks(executor);
  const [, runId] = await Promise.all([control.instances.rotateKey('app'), requestTestRun(control)]);
  await answer;
  t.match(await control.runs.get(runId), { state: 'queued' });
});

t.test('a message that was authenticated before the key was replaced is refused', async (t) => {
  const { control, port, caller } = await startExecutor(t);
  const runId = await requestTestRun(control);
  const { lease } = await port.poll({ ...caller, ...longPoll, call: 1 });
  const held = { ...caller, run_id: runId, fence: lease?.fence ?? 0 };
  const { challenge } = await port.challenge({ start_id: 'start-two' });
  await control.instances.rotateKey('app');
  const executor = { protocol: 1, executor_version: '0.5.0', store_id: 'store-one', target: 'http://app:3100' };
  const start = { id: 'start-two', challenge };
  const refused = { code: 'CREDENTIAL_INVALID' };
  await t.rejects(port.poll({ ...caller, ...longPoll, call: 2 }), refused);
  await t.rejects(port.heartbeat({ ...held, before_send: true }), refused);
  await t.rejects(port.giveBack(held), refused);
  await t.rejects(port.hello({ ...executor, started: [], finished: [], start, journal: newJournal }), refused);
  await t.rejects(port.challenge({ start_id: 'start-three' }), refused);
  t.match(await control.runs.get(runId), { state: 'in_progress' });
});

t.test('a hello that is repeated with the key before learns nothing, and ends no other start', async (t) => {
  const { control, port } = await startExecutor(t);
  const { message } = await greet(control, 'start-two');
  t.match(await port.hello(message), { epoch: 2 });
  const { executor_key: key } = await control.instances.rotateKey('app');
  const refused = { code: 'CREDENTIAL_INVALID' };
  await t.rejects(port.hello(message), refused);
  const credential = await control.authenticate(key);
  if (credential?.kind !== 'executor') throw new Error('the key is unknown');
  const current = control.executorPort('app', credential.keyHash);
  const { challenge } = await current.challenge({ start_id: 'start-three' });
  const start = { id: 'start-three', challenge };
  for (let count = 0; count < 8; count += 1)
    await t.rejects(port.challenge({ start_id: `start-${count}-old` }), refused);
  await t.rejects(port.hello({ ...message, start }), refused);
  t.match(await current.hello({ ...message, start }), { epoch: 3 });
});

t.test('calls with the key before are not counted as calls of the executor', async (t) => {
  const { control, port, caller } = await startExecutor(t);
  await control.instances.rotateKey('app');
  const journal = { ...caller.journal, seq: 1_000_000 };
  const refused = { code: 'CREDENTIAL_INVALID' };
  await t.rejects(port.poll({ ...caller, ...longPoll, call: 1_000_000, journal }), refused);
  const runId = await requestTestRun(control);
  const current = control.executorPort('app');
  t.match(await current.poll({ ...caller, ...longPoll, call: 1 }), { lease: { run_id: runId } });
  const { welcome } = await greet(control, 'start-two', { journal: { ...caller.journal, seq: 2 } });
  t.equal(welcome.stale_store, undefined, 'the position of the journal is that of the executor');
});

t.test(
  'a message that was sent slowly ends with INSTANCE_REMOVED when the instance is removed meanwhile',
  async (t) => {
    const { control, port, caller } = await startExecutor(t);
    await control.instances.remove('app');
    await t.rejects(port.poll({ ...caller, ...longPoll, call: 1 }), { code: 'INSTANCE_REMOVED' });
    await t.rejects(port.challenge({ start_id: 'start-two' }), { code: 'INSTANCE_REMOVED' });
  },
);
