import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { restoreControl } from '../../src/control/restore.ts';
import { getControlStoreFile } from '../../src/store/control/control-store.ts';
import { copyStore } from '../store/copy-store.ts';
import { openTestControl, openTestControlWithApp } from './control-fixture.ts';
import { createTestReport } from './report-fixture.ts';

const runRequest = { scenarios: [{ id: 'RT-GET-document' }] };
const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };

t.test('a copy taken while the control plane runs has everything that was acknowledged', async (t) => {
  const { control, folder, clock } = await openTestControlWithApp(t);
  const [run] = await control.runs.request('app', runRequest, { name: 'ana' });
  const copy = join(folder, 'copy.db');
  const shares: number[] = [];
  const bytes = await copyStore(getControlStoreFile(folder), copy, (share) => shares.push(share));
  t.equal(bytes, statSync(copy).size);
  t.equal(statSync(copy).mode & 0o777, 0o600);
  await t.rejects(copyStore(join(folder, 'nothing.db'), join(folder, 'c2.db')), { code: 'STORE_ABSENT' });
  await control.runs.request('app', runRequest, { name: 'ana' });
  await t.rejects(restoreControl({ backup: copy, folder, clock, pid: 2 }), { code: 'STORE_IN_USE' });
  await control.close();
  t.match(await restoreControl({ backup: copy, folder, clock, pid: 2 }), { ended: 0, cancelled: 1 });
  const { control: reopened } = await openTestControl(t, { folder, clock });
  t.equal((await reopened.runs.list({}, { limit: 10 })).items.length, 1);
  t.match(await reopened.runs.get(run?.run_id ?? ''), { state: 'cancelled' }, 'it may have run since');
});

t.test(
  'after a restore, earlier epochs of executors are refused and their reports stored as late reports',
  async (t) => {
    const { control, folder, clock } = await openTestControlWithApp(t);
    const port = control.executorPort('app');
    const { epoch } = await port.hello(hello);
    await control.runs.request('app', runRequest, { name: 'ana' });
    const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    if (!lease) return t.fail('no lease');
    await copyStore(getControlStoreFile(folder), join(folder, 'copy.db'));
    await port.complete({
      epoch,
      run_id: lease.run_id,
      fence: lease.fence,
      more: false,
      report: createTestReport(lease, 'app'),
    });
    clock.advance(1000);
    const [laterRun] = await control.runs.request('app', runRequest, { name: 'ana' });
    await control.close();

    t.match(await restoreControl({ backup: join(folder, 'copy.db'), folder, clock, pid: 1 }), {
      ended: 1,
      cancelled: 0,
    });
    const { control: reopened } = await openTestControl(t, { folder, clock });
    t.match(await reopened.runs.get(lease.run_id), { state: 'failed', failure_kind: 'executor_lost' });
    const after = reopened.executorPort('app');
    const poll = { epoch, in_hand: null, wait_ms: 0 };
    const journal = { seq: 2, registered_at_ms: 0, epoch, fence: lease.fence, finished_runs: 0 };
    await t.rejects(after.poll({ ...poll, journal }), { code: 'CONTROL_STORE_STALE', message: /before a restore/ });
    await t.rejects(after.poll(poll), { code: 'EXECUTOR_SUPERSEDED' }, '0.4.0 does not know how to greet again');
    const welcome = await after.hello(hello);
    await t.rejects(after.poll({ ...poll, journal }), { code: 'EXECUTOR_SUPERSEDED' }, 'another start has taken over');
    t.ok(welcome.epoch > epoch + 1000);
    const unknownRun = { run_id: laterRun?.run_id ?? '', correlation_id: 'tr-x', scenario_id: 'RT-GET-document' };
    const report = createTestReport(unknownRun, 'app');
    await after.complete({ epoch: welcome.epoch, run_id: unknownRun.run_id, fence: 9, more: false, report });
    await t.rejects(reopened.runs.get(unknownRun.run_id), { code: 'RUN_UNKNOWN' });
    const stored = await reopened.database.read((sql) =>
      sql.all('SELECT instance_id, correlation_id FROM late_reports'),
    );
    t.same(stored, [{ instance_id: 'app', correlation_id: 'tr-x' }], 'its report is stored beside the runs');
    const [next] = await reopened.runs.request('app', runRequest, { name: 'ana' });
    t.ok((next?.run_id ?? '') > unknownRun.run_id, 'ids go on behind what was given out since');
  },
);

t.test('a second restore of the same copy gives other epochs than the first', async (t) => {
  const { control, folder, clock } = await openTestControlWithApp(t);
  await control.executorPort('app').hello(hello);
  const copy = join(folder, 'copy.db');
  await copyStore(getControlStoreFile(folder), copy);
  await control.close();
  const poll = { in_hand: null, wait_ms: 0 };
  await restoreControl({ backup: copy, folder, clock, pid: 1 });
  const { control: first } = await openTestControl(t, { folder, clock });
  const { epoch } = await first.executorPort('app').hello(hello);
  const journal = { seq: 2, registered_at_ms: clock.nowMs(), epoch, fence: 0, finished_runs: 0 };
  await first.close();
  clock.advance(5000);
  await restoreControl({ backup: copy, folder, clock, pid: 1 });
  const { control: second } = await openTestControl(t, { folder, clock });
  const port = second.executorPort('app');
  await t.rejects(port.poll({ ...poll, epoch, journal }), { code: 'CONTROL_STORE_STALE', message: /before a restore/ });
  const rival = await port.hello({ ...hello, store_id: 'store-two' });
  t.ok(rival.epoch > epoch);
  await t.rejects(port.poll({ ...poll, epoch, journal }), { code: 'EXECUTOR_SUPERSEDED' });
  t.same((await port.poll({ ...poll, epoch: rival.epoch })).lease, null);
});

t.test('a file that is not a backup is refused, and nothing changes', async (t) => {
  const { control, folder, clock } = await openTestControlWithApp(t);
  await control.close();
  const before = statSync(getControlStoreFile(folder)).mtimeMs;
  const garbageFile = join(folder, 'rubbish');
  writeFileSync(garbageFile, 'rubbish'.repeat(1000));
  for (const file of [garbageFile, join(folder, 'absent')])
    await t.rejects(restoreControl({ backup: file, folder, clock, pid: 1 }), { code: 'BACKUP_UNUSABLE' });
  t.equal(statSync(getControlStoreFile(folder)).mtimeMs, before);
});

t.test('a damaged backup is refused as such, with what is damaged', async (t) => {
  const { control, folder, clock } = await openTestControlWithApp(t);
  const copy = join(folder, 'copy.db');
  await copyStore(getControlStoreFile(folder), copy);
  await control.close();
  const bytes = readFileSync(copy);
  writeFileSync(copy, bytes.fill(0xff, 4096, 12_288));
  await t.rejects(restoreControl({ backup: copy, folder, clock, pid: 1 }), {
    code: 'BACKUP_DAMAGED',
    message: /malformed|page \d+|ptrmap/,
    cure: /earlier backup/,
  });
  t.notOk(existsSync(`${getControlStoreFile(folder)}.part`));
});

t.test('a backup without its master key is refused before anything changes', async (t) => {
  const { control, folder, clock } = await openTestControlWithApp(t);
  const copy = join(folder, 'copy.db');
  await copyStore(getControlStoreFile(folder), copy);
  await control.close();
  const key = readFileSync(join(folder, 'master.key'), 'utf8').trim();
  const other = Buffer.alloc(32, 7).toString('base64');
  const target = join(folder, 'elsewhere');
  const restore = (masterKey?: string) => restoreControl({ backup: copy, folder: target, clock, pid: 1, masterKey });
  await t.rejects(restore(), { code: 'BACKUP_KEY_MISSING', cure: /master\.key.*VP_MASTER_KEY/ });
  await t.rejects(restore(other), { code: 'BACKUP_KEY_WRONG', message: /^VP_MASTER_KEY/ });
  t.same(
    readdirSync(target).filter((name) => /\.db|restore/.test(name)),
    [],
  );
  await restore(key);
  t.ok(existsSync(getControlStoreFile(target)));
});

t.test('an emptied store is not treated as a new one', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  await control.close();
  truncateSync(getControlStoreFile(folder));
  await t.rejects(openTestControl(t, { folder, clock }), {
    code: 'STORE_LOST',
    message: /control\.db is empty, although control\.position shows/,
    cure: /vp restore.*vp accept-loss/,
  });
  const fresh = join(folder, 'fresh');
  mkdirSync(fresh);
  writeFileSync(getControlStoreFile(fresh), '');
  t.ok(await openTestControl(t, { folder: fresh, clock }), 'one that a first start left behind is');
});

t.test('the replaced store is kept', async (t) => {
  const { control, folder, clock } = await openTestControlWithApp(t);
  await copyStore(getControlStoreFile(folder), join(folder, 'copy.db'));
  await control.close();
  const { stores } = await restoreControl({ backup: join(folder, 'copy.db'), folder, clock, pid: 1 });
  t.match(stores, [{ store: 'control', replaced: /^.*\.replaced-\d{8}T\d{9}$/ }]);
  t.ok(existsSync(stores[0]?.replaced ?? ''));
});
