import { existsSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { restoreControl } from '../../src/control/restore.ts';
import { controlStoreFile } from '../../src/store/control/open.ts';
import { copyStore } from '../../src/store/copy.ts';
import { aReport } from './a-report.ts';
import { opened, openedWithApp } from './opened.ts';

const one = { scenarios: [{ id: 'RT-GET-document' }] };
const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };

t.test('a copy taken while the control plane is in use has everything that was acknowledged', async (t) => {
  const { control, folder, clock } = await openedWithApp(t);
  const [run] = await control.runs.request('app', one, { name: 'ana' });
  const copy = join(folder, 'copy.db');
  const shares: number[] = [];
  const bytes = await copyStore(controlStoreFile(folder), copy, (share) => shares.push(share));
  t.equal(bytes, statSync(copy).size);
  t.equal(statSync(copy).mode & 0o777, 0o600);
  await t.rejects(
    copyStore(controlStoreFile(folder), copy, () => {}),
    { code: 'BACKUP_EXISTS' },
  );
  await t.rejects(
    copyStore(join(folder, 'nothing.db'), join(folder, 'c2.db'), () => {}),
    { code: 'STORE_ABSENT' },
  );
  await control.runs.request('app', one, { name: 'ana' });
  await t.rejects(restoreControl(copy, folder, clock, 2), { code: 'STORE_IN_USE' });
  await control.close();
  t.match(await restoreControl(copy, folder, clock, 2), { ended: 0, cancelled: 1 });
  const { control: again } = await opened(t, { folder, clock });
  t.equal((await again.runs.list({}, { limit: 10 })).items.length, 1);
  t.match(await again.runs.get(run?.run_id ?? ''), { state: 'cancelled' }, 'it may have run since');
});

t.test('after a restore, executors of the time before are refused and their reports kept apart', async (t) => {
  const { control, folder, clock } = await openedWithApp(t);
  const port = control.executorOf('app');
  const { epoch } = await port.hello(hello);
  await control.runs.request('app', one, { name: 'ana' });
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  if (!lease) return t.fail('no lease');
  await copyStore(controlStoreFile(folder), join(folder, 'copy.db'), () => {});
  await port.complete({ epoch, run_id: lease.run_id, fence: lease.fence, more: false, report: aReport(lease, 'app') });
  clock.advance(1000);
  const [later] = await control.runs.request('app', one, { name: 'ana' });
  await control.close();

  t.match(await restoreControl(join(folder, 'copy.db'), folder, clock, 1), { ended: 1, cancelled: 0 });
  const { control: again } = await opened(t, { folder, clock });
  t.match(await again.runs.get(lease.run_id), { state: 'failed', failure_kind: 'executor_lost' });
  const after = again.executorOf('app');
  await t.rejects(after.poll({ epoch, in_hand: null, wait_ms: 0 }), { code: 'EXECUTOR_SUPERSEDED' });
  const welcome = await after.hello(hello);
  t.ok(welcome.epoch > epoch + 1000);
  const unknown = { run_id: later?.run_id ?? '', correlation_id: 'tr-x', scenario_id: 'RT-GET-document' };
  const report = aReport(unknown, 'app');
  await after.complete({ epoch: welcome.epoch, run_id: unknown.run_id, fence: 9, more: false, report });
  await t.rejects(again.runs.get(unknown.run_id), { code: 'RUN_UNKNOWN' });
  const [next] = await again.runs.request('app', one, { name: 'ana' });
  t.ok((next?.run_id ?? '') > unknown.run_id, 'ids go on behind what was given out since');
});

t.test('what is no backup is refused, and nothing is changed', async (t) => {
  const { control, folder, clock } = await openedWithApp(t);
  await control.close();
  const before = statSync(controlStoreFile(folder)).mtimeMs;
  const rubbish = join(folder, 'rubbish');
  writeFileSync(rubbish, 'rubbish'.repeat(1000));
  for (const file of [rubbish, join(folder, 'absent')])
    await t.rejects(restoreControl(file, folder, clock, 1), { code: 'BACKUP_UNUSABLE' });
  t.equal(statSync(controlStoreFile(folder)).mtimeMs, before);
});

t.test('a damaged copy is refused', async (t) => {
  const { control, folder, clock } = await openedWithApp(t);
  const copy = join(folder, 'copy.db');
  await copyStore(controlStoreFile(folder), copy, () => {});
  await control.close();
  const { readFileSync } = await import('node:fs');
  const bytes = readFileSync(copy);
  bytes.fill(0xff, 4096, 12_288);
  writeFileSync(copy, bytes);
  await t.rejects(restoreControl(copy, folder, clock, 1), {
    code: 'BACKUP_UNUSABLE',
    message: /damaged|cannot be read/,
  });
});

t.test('a store that became empty is not taken for a new one', async (t) => {
  const { control, folder, clock } = await opened(t);
  await control.close();
  truncateSync(controlStoreFile(folder));
  await t.rejects(opened(t, { folder, clock }), {
    code: 'STORE_CORRUPT',
    detail: 'it is empty, and master.key is not',
    cure: /vp restore/,
  });
  const fresh = join(folder, 'fresh');
  mkdirSync(fresh);
  writeFileSync(controlStoreFile(fresh), '');
  t.ok(await opened(t, { folder: fresh, clock }), 'one that a first start left behind is');
});

t.test('the store that was there is kept', async (t) => {
  const { control, folder, clock } = await openedWithApp(t);
  await copyStore(controlStoreFile(folder), join(folder, 'copy.db'), () => {});
  await control.close();
  const { stores } = await restoreControl(join(folder, 'copy.db'), folder, clock, 1);
  t.match(stores, [{ store: 'control', replaced: /^.*\.replaced-\d{8}T\d{9}$/ }]);
  t.ok(existsSync(stores[0]?.replaced ?? ''));
});
