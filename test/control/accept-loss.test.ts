/** A control plane that has lost changes refuses to start, until somebody accepts the loss. */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { acceptLoss } from '../../src/control/accept-loss.ts';
import { restoreControl } from '../../src/control/restore.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { openAudit } from '../../src/hub/audit/audit-log.ts';
import { openMemory } from '../../src/memory/memory-service.ts';
import { backUpStores } from '../../src/store/backup.ts';
import { readControlCommits } from '../../src/store/engine.ts';
import { getStoreFile } from '../../src/store/store-files.ts';
import { eventually } from '../eventually.ts';
import { createEntry, createPrincipal, masterKey, openTestAudit } from '../hub/audit/test-audit.ts';
import { openTestControl, openTestControlWithApp } from './control-fixture.ts';

const runRequest = { scenarios: [{ id: 'RT-GET-document' }] };
const principal = createPrincipal();

/** A folder whose processes were killed: one run and a memory are in the stores, others in the write-ahead logs. */
async function createKilledFolder(t: Test) {
  const { control, folder, clock } = await openTestControlWithApp(t);
  await control.runs.request('app', runRequest, { name: 'ana' });
  const memory = openMemory({ folder, clock, random: systemRandom, pid: 1 });
  await memory.remember(principal, 'user', { text: 'first' });
  await memory.close();
  await control.close();
  const { control: next } = await openTestControl(t, { folder, clock });
  const nextMemory = openMemory({ folder, clock, random: systemRandom, pid: 1 });
  await nextMemory.remember(principal, 'user', { text: 'second' });
  await next.runs.request('app', runRequest, { name: 'ana' });
  await next.runs.request('app', runRequest, { name: 'ana' });
  const killed = join(folder, 'killed');
  for (const name of readdirSync(folder).filter((entry) => !/killed|lock|pid/.test(entry)))
    cpSync(join(folder, name), join(killed, name));
  await nextMemory.close();
  await next.close();
  return { folder: killed, clock };
}

t.test('a deleted write-ahead log is refused, and accepted by a command that records it', async (t) => {
  const { folder, clock } = await createKilledFolder(t);
  for (const name of ['control.db-wal', 'control.db-shm']) rmSync(join(folder, name));
  await t.rejects(openTestControl(t, { folder, clock }), {
    code: 'STORE_WENT_BACK',
    message: /has lost the last \d+ of \d+ acknowledged changes/,
  });
  const { accepted, ...rest } = await acceptLoss({ folder, clock, pid: 1 });
  t.match(accepted, [{ store: 'control', problem: /has lost/ }]);
  t.same(rest, { earlier: [], ended: 0, cancelled: 1 }, 'what is queued may have run since');
  const { control } = await openTestControl(t, { folder, clock });
  t.match((await control.runs.list({}, { limit: 10 })).items, [{ state: 'cancelled' }]);
  const { epoch } = await control.executorPort('app').hello({
    ...{ protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' },
  });
  t.ok(epoch > 1000, 'executors start behind every epoch that was lost');
  await control.close();
  t.match(await acceptLoss({ folder, clock, pid: 1 }), { accepted: [], earlier: accepted }, 'it stays on record');
});

t.test('memories that are gone are refused and accepted in the same way, and cancel no run', async (t) => {
  const { folder, clock } = await createKilledFolder(t);
  for (const name of ['memory.db-wal', 'memory.db-shm']) rmSync(join(folder, name));
  const open = () => openMemory({ folder, clock, random: systemRandom, pid: 1 });
  t.throws(open, { code: 'STORE_WENT_BACK', message: /memory\.db/ });
  t.match(await acceptLoss({ folder, clock, pid: 1 }), { accepted: [{ store: 'memory' }], cancelled: 0 });
  const memory = open();
  t.match((await memory.list(principal, 'user', {})).memories, [{ text: 'first' }]);
  await memory.close();
  for (const name of readdirSync(folder).filter((entry) => /^memory\.db/.test(entry))) rmSync(join(folder, name));
  t.throws(open, { code: 'STORE_LOST', message: /memory\.db is missing/ });
});

t.test('a missing store of the control plane is not begun anew beside the audit of its hubs', async (t) => {
  const { folder, clock } = await createKilledFolder(t);
  const { audit } = await openTestAudit(t, {}, { folder });
  await audit.record(createEntry());
  await audit.close();
  for (const name of readdirSync(folder).filter((entry) => /^(control|memory)\./.test(entry)))
    rmSync(join(folder, name));
  await t.rejects(openTestControl(t, { folder, clock }), {
    code: 'STORE_LOST',
    message: /control\.db is missing, although audit\.db shows/,
    cure: /vp restore/,
  });
  t.notOk(existsSync(join(folder, 'control.db')));
  t.match(await acceptLoss({ folder, clock, pid: 1 }), { accepted: [{ store: 'control', problem: /is missing/ }] });
  const { control } = await openTestControl(t, { folder, clock });
  t.same((await control.runs.list({}, { limit: 10 })).items, []);
});

t.test('a store whose file is removed while it is open serves on, and the next start is refused', async (t) => {
  const { control, folder, clock } = await openTestControlWithApp(t);
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith('control.db'))) rmSync(join(folder, name));
  const [run] = await control.runs.request('app', runRequest, { name: 'ana' });
  t.match(await control.runs.get(run?.run_id ?? ''), { state: 'queued' });
  await control.close();
  await t.rejects(openTestControl(t, { folder, clock }), {
    code: 'STORE_LOST',
    message: /control\.db is missing, although control\.position shows/,
  });
});

/** A folder whose audit has noted more commits of the control plane's store than `old/`, a copy of that store with its position. */
async function createNotedFolder(t: Test) {
  const { control, folder, clock } = await openTestControlWithApp(t);
  await control.runs.request('app', runRequest, { name: 'ana' });
  const old = join(folder, 'old');
  const copyControl = (from: string, to: string): void => {
    for (const name of ['control.db', 'control.db-wal', 'control.position'])
      if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name));
      else rmSync(join(to, name), { force: true });
  };
  mkdirSync(old);
  copyControl(folder, old);
  // A change that no executor knows of.
  await control.runs.request('app', runRequest, { name: 'ana' });
  const audit = await openAudit({
    ...{ folder, masterKey, clock, random: systemRandom, settings: { minFreeBytes: 0 } },
    anchors: { database: control.database, mayBeLost: false },
    onError: (error) => t.fail(String(error)),
  });
  await audit.record(createEntry());
  await audit.close();
  return { control, folder, clock, putBack: () => copyControl(old, folder) };
}

t.test(
  'an older copy of the control plane’s store with its position is refused for what the audit knows',
  async (t) => {
    const { control, folder, clock, putBack } = await createNotedFolder(t);
    await control.close();
    await (await openTestControl(t, { folder, clock })).control.close();
    putBack();
    await t.rejects(openTestControl(t, { folder, clock }), {
      code: 'STORE_WENT_BACK',
      message: /control\.db has lost the last \d+ of \d+ acknowledged changes: .* or it is an older copy/,
    });
    t.match(await acceptLoss({ folder, clock, pid: 1 }), { accepted: [{ store: 'control' }], cancelled: 1 });
    const { control: next } = await openTestControl(t, { folder, clock });
    t.match((await next.runs.list({}, { limit: 10 })).items, [{ state: 'cancelled' }]);
    await next.close();
    t.match(await acceptLoss({ folder, clock, pid: 1 }), { accepted: [] }, 'it is accepted once');
  },
);

t.test('without calls the audit notes how far the store has come once a minute', async (t) => {
  const { control, folder, clock } = await openTestControlWithApp(t);
  const audit = await openAudit({
    ...{ folder, masterKey, clock, random: systemRandom, settings: { minFreeBytes: 0 } },
    anchors: { database: control.database, mayBeLost: false },
    onError: (error) => t.fail(String(error)),
  });
  await control.runs.request('app', runRequest, { name: 'ana' });
  const commits = control.database.countCommits() ?? 0;
  const readNoted = (): number => readControlCommits(getStoreFile(folder, 'audit'));
  clock.advance(59_000);
  await audit.state(principal.hub.id);
  t.ok(commits > readNoted(), `${readNoted()} of ${commits} commits`);
  clock.advance(1000);
  await eventually(() => readNoted() >= commits);
  await audit.close();
});

t.test(
  'a backup that the audit knows more than is restored without a word about it, and again, whatever the clock says',
  async (t) => {
    const { control, folder, clock } = await createNotedFolder(t);
    const target = join(folder, 'backup.db');
    await backUpStores(folder, target, 1, () => {});
    rmSync(target.replace('.db', '.audit.db'), { force: true });
    const yearMs = 365 * 86_400_000;
    for (const setBackMs of [0, 0, yearMs]) {
      clock.advance(60_000);
      await control.close();
      const restoreClock = { ...clock, nowMs: () => clock.nowMs() - setBackMs };
      await restoreControl({ backup: target, folder, clock: restoreClock, pid: 1 });
      const { control: next } = await openTestControl(t, { folder, clock });
      await next.runs.request('app', runRequest, { name: 'ana' });
      const audit = await openAudit({
        ...{ folder, masterKey, clock, random: systemRandom, settings: { minFreeBytes: 0 } },
        anchors: { database: next.database, mayBeLost: false },
        onError: (error) => t.fail(String(error)),
      });
      await audit.record(createEntry());
      await audit.close();
      await next.close();
    }
  },
);
