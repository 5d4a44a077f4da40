import t from 'tap';
import { proposeFreeInstanceId } from '../../../src/contract/instance-id.ts';
import { getControlStoreFile, openControlDatabase } from '../../../src/store/control/control-store.ts';
import { loadCounters } from '../../../src/store/control/counters.ts';
import { revokeInstanceKeys } from '../../../src/store/control/instances/instance-removal.ts';
import { listActiveSchedules } from '../../../src/store/control/schedules/schedules.ts';
import { eventually } from '../../eventually.ts';
import { isOnPostgres, skipOnPostgres } from '../../store/engine-under-test.ts';
import { openTestControl, openTestControlWithApp } from '../control-fixture.ts';

const owner = { name: 'owner' };

t.test('a taken id is refused with the next free one as a proposal', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const expectedError = { code: 'INSTANCE_ID_TAKEN', values: { proposal: 'app-v1' }, cure: /app-v1/ };
  await t.rejects(control.instances.create({ instance_id: 'app' }, owner), expectedError);
  await control.instances.create({ instance_id: 'app-v1' }, owner);
  await t.rejects(control.instances.create({ instance_id: 'app' }, owner), {
    message: /taken/,
    values: { proposal: 'app-v2' },
  });
});

t.test('proposals stay within 22 characters', (t) => {
  const none = (): boolean => false;
  t.equal(proposeFreeInstanceId('a'.repeat(22), none), `${'a'.repeat(19)}-v1`);
  t.equal(proposeFreeInstanceId('abcdefghijklmnopqr-stu', none), 'abcdefghijklmnopqr-v1', 'no doubled hyphen');
  const takenIds = new Set(Array.from({ length: 11 }, (_, index) => `app-v${index + 1}`));
  t.equal(
    proposeFreeInstanceId('app', (id) => takenIds.has(id)),
    'app-v12',
  );
  t.end();
});

t.test('invalid ids are refused', async (t) => {
  const { control } = await openTestControl(t);
  for (const instance_id of ['', 'App', 'a_b', '-a', 'a-', 'a'.repeat(23), 'ä'])
    await t.rejects(control.instances.create({ instance_id }, owner), { code: 'INSTANCE_ID_INVALID' }, instance_id);
});

t.test('an executor key works until it is rotated or the instance is removed', async (t) => {
  const { control } = await openTestControl(t);
  const { executor_key: first } = await control.instances.create({ instance_id: 'app' }, owner);
  for (let count = 0; count < 2; count += 1)
    t.match(
      await control.authenticate(first),
      { kind: 'executor', instance: 'app' },
      'also where its hash is remembered',
    );
  const { executor_key: second } = await control.instances.rotateKey('app');
  t.equal(await control.authenticate(first), undefined);
  t.match(await control.authenticate(second), { kind: 'executor', instance: 'app' });
  await control.instances.remove('app');
  t.equal(await control.authenticate(second), undefined);
  await t.rejects(control.instances.rotateKey('app'), { code: 'INSTANCE_UNKNOWN' });
});

t.test('a removal leaves no run behind, whatever is requested meanwhile', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const scenarios = [{ id: 'RT-GET-document' }];
  await control.runs.request('app', { scenarios }, owner);
  await control.schedules.create('app', { schedule_id: 'often', every: '1m', skip_if_running: false }, owner);
  const requests: Promise<unknown>[] = [];
  control.database.onCommit(() => {
    if (requests.length >= 10) return;
    clock.advance(60_000);
    requests.push(control.runs.request('app', { scenarios }, owner).catch((error: unknown) => error));
  });
  await control.instances.remove('app');
  t.ok(requests.length > 0);
  await Promise.all(requests);
  const left = await control.database.read((sql) =>
    ['runs', 'schedules', 'schedule_ticks'].map((table) => sql.get(`SELECT count(*) AS count FROM ${table}`)),
  );
  t.match(left, [{ count: 0 }, { count: 0 }, { count: 0 }]);
});

t.test('nothing runs by itself from the first step of a removal', async (t) => {
  const { control } = await openTestControlWithApp(t);
  await control.schedules.create('app', { schedule_id: 'often', every: '1m' }, owner);
  await control.database.write((sql) => revokeInstanceKeys(sql, loadCounters(sql), 'app'));
  t.same(await control.database.read(listActiveSchedules), []);
});

t.test('a key is refused from the moment its replacement is reported, also when it was just looked up', async (t) => {
  const { control } = await openTestControl(t);
  let { executor_key: key } = await control.instances.create({ instance_id: 'app' }, owner);
  for (let turn = 0; turn < 20; turn += 1) {
    const looking = [control.authenticate(key), control.authenticate(key)];
    const rotating = control.instances.rotateKey('app');
    looking.push(control.authenticate(key));
    const { executor_key: next } = await rotating;
    t.equal(await control.authenticate(key), undefined);
    await Promise.all(looking);
    t.equal(await control.authenticate(key), undefined, 'an answer from before is not cached');
    key = next;
  }
});

t.test('a key that another process ends is refused soon', { skip: skipOnPostgres }, async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  const { executor_key: key } = await control.instances.create({ instance_id: 'app' }, owner);
  t.match(await control.authenticate(key), { kind: 'executor', instance: 'app' });
  const other = openControlDatabase(getControlStoreFile(folder));
  t.teardown(() => other.close());
  await other.write((sql) => sql.execute("UPDATE instances SET key_hash = 'another'"));
  clock.advance(50);
  t.equal(await control.authenticate(key), undefined);
});

t.test('removing an instance deletes its scenarios and runs, and run ids are not reused', async (t) => {
  const { control } = await openTestControlWithApp(t);
  const [run] = await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, owner);
  await control.instances.remove('app');
  await t.rejects(control.instances.get('app'), { code: 'INSTANCE_UNKNOWN', message: /none is registered/ });
  await t.rejects(control.runs.get(run?.run_id ?? ''), { code: 'RUN_UNKNOWN' });
  await control.instances.create({ instance_id: 'app' }, owner);
  t.same((await control.catalogue.list('app', { limit: 10 })).items, []);
  t.same((await control.runs.list({ instance: 'app' }, { limit: 10 })).items, []);
});

t.test('the status says whether the executor is present', async (t) => {
  const { control, clock } = await openTestControlWithApp(t);
  const status = async (): Promise<string> => (await control.instances.get('app')).executor_status;
  t.equal(await status(), 'NEVER_SEEN');
  const port = control.executorPort('app');
  const hello = {
    protocol: 1,
    executor_version: '0.4.0',
    store_id: 'store-one',
    started: [],
    finished: [],
    target: 'http://app:1',
  };
  const { epoch } = await port.hello(hello);
  t.equal(await status(), 'REGISTERED');
  const abort = new AbortController();
  const poll = port.poll({ epoch, in_hand: null, wait_ms: 60_000 }, abort.signal);
  clock.advance(50_000);
  t.equal(await status(), 'REGISTERED', 'an executor that waits is there');
  abort.abort();
  await poll;
  clock.advance(9_999);
  t.equal(await status(), 'REGISTERED');
  const before = await control.changes.head();
  clock.advance(2);
  t.equal(await status(), 'AWAY');
  const streamed = await eventually(() => control.changes.list(before, 'app', 10), {
    until: ({ events }) => events.length > 0,
  });
  t.match(streamed, { events: [{ type: 'instance' }] }, 'streams are told');
  t.match(await control.instances.get('app'), { executor_version: '0.4.0', target: 'http://app:1' });
});

t.test('the owner key is stable, and replaced when its file is missing', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  const key = await control.serviceKey('owner');
  t.same(await control.authenticate(key), { kind: 'owner' });
  t.equal(await control.serviceKey('owner'), key);
  const { rmSync } = await import('node:fs');
  rmSync(`${folder}/owner.key`);
  const next = await control.serviceKey('owner');
  // Replicas share a store on PostgreSQL and no folder: there the key is derived.
  if (isOnPostgres) t.equal(next, key);
  else {
    t.not(next, key);
    t.equal(await control.authenticate(key), undefined);
  }
  await control.close();
  const { control: reopened } = await openTestControl(t, { folder, clock });
  t.same(await reopened.authenticate(next), { kind: 'owner' });
  t.equal(await reopened.authenticate('vpo_rubbish'), undefined);
});

t.test('a store with data but without its master key refuses to start', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  await control.close();
  const { renameSync, writeFileSync } = await import('node:fs');
  renameSync(`${folder}/master.key`, `${folder}/elsewhere.key`);
  await t.rejects(openTestControl(t, { folder, clock }), { code: 'STORE_KEY_MISSING' });
  writeFileSync(`${folder}/master.key`, Buffer.alloc(32, 1).toString('base64'), { mode: 0o600 });
  await t.rejects(openTestControl(t, { folder, clock }), { code: 'STORE_KEY_WRONG' });
  renameSync(`${folder}/elsewhere.key`, `${folder}/master.key`);
  await t.resolves(openTestControl(t, { folder, clock }));
});

t.test(
  'an executor reachable on its machine reports its port, one in a container keeps the registered port',
  async (t) => {
    const { control } = await openTestControl(t);
    await control.instances.create({ instance_id: 'app', executor_port: 8770 }, owner);
    const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };
    await control.executorPort('app').hello(hello);
    t.equal((await control.instances.get('app')).executor_port, 8770);
    await control.executorPort('app').hello({ ...hello, executor_port: 8765 });
    t.equal((await control.instances.get('app')).executor_port, 8765);
  },
);
