/** A backup holds all stores of a control plane at one moment, and restores all of them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t from 'tap';
import { restoreControl } from '../../src/control/restore.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { openMemory } from '../../src/memory/memory-service.ts';
import { backUpStores } from '../../src/store/backup.ts';
import { getStoreFile } from '../../src/store/store-files.ts';
import { createEntry, createPrincipal, openTestAudit, verifyAudit } from '../hub/audit/test-audit.ts';
import { sourceOptions } from '../source-program.ts';
import { openTestControl, openTestControlWithApp } from './control-fixture.ts';

const ignoreProgress = (): void => undefined;
const auditedCalls = 15_000;

t.test('a backup completes under constant audit writes, and its chain is valid', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  const { audit, file } = await openTestAudit(t, {}, { folder });
  for (let count = 0; count < auditedCalls; count += 500)
    await Promise.all(Array.from({ length: 500 }, () => audit.record(createEntry())));
  await audit.syncToDisk();
  let isDone = false;
  const writing = (async () => {
    for (; !isDone; await new Promise((resolve) => setImmediate(resolve))) await audit.record(createEntry());
  })();
  const target = join(folder, 'copy.db');
  const copies = await backUpStores(folder, target, 1, ignoreProgress);
  isDone = true;
  await writing;
  t.match(copies, [
    { store: 'audit', file: target.replace('.db', '.audit.db') },
    { store: 'control', file: target },
  ]);
  for (const copy of copies) {
    const { size, mode } = statSync(copy.file);
    t.equal(size, copy.bytes);
    t.equal(mode & 0o777, 0o600);
  }
  await audit.close();
  await control.close();

  const [before] = await verifyAudit({ file, folder });
  t.match(await restoreControl({ backup: target, folder, clock, pid: 1 }), {
    stores: [
      { store: 'audit', replaced: /audit\.db\.replaced-/ },
      { store: 'control', replaced: /control\.db\.replaced-/ },
    ],
  });
  const [after] = await verifyAudit({ file, folder });
  t.match(after, { firstSeq: 1, faults: [] });
  t.ok((after?.lastSeq ?? 0) >= auditedCalls, 'what was written before is in it');
  t.ok((after?.lastSeq ?? 0) < (before?.lastSeq ?? 0), 'what was written during it came later');
  const reopened = await openTestAudit(t, {}, { folder, clock });
  await reopened.audit.record(createEntry());
  t.match(await verifyAudit(reopened), [{ lastSeq: (after?.lastSeq ?? 0) + 1, faults: [] }], 'and the chain goes on');
});

t.test('memories are restored, and the replaced memory store is kept', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  const options = { folder, clock, random: systemRandom };
  const principal = createPrincipal();
  const memory = openMemory(options);
  await memory.remember(principal, 'user', { text: 'the tea is in the left cupboard' });
  const target = join(folder, 'copy');
  await backUpStores(folder, target, 1, ignoreProgress);
  t.ok(existsSync(`${target}.memory.db`));
  await memory.remember(principal, 'user', { text: 'the tea is gone' });
  await memory.close();
  await control.close();
  const { stores } = await restoreControl({ backup: target, folder, clock, pid: 1 });
  t.match(stores, [{ store: 'memory', replaced: /memory\.db\.replaced-/ }, { store: 'control' }]);
  t.ok(existsSync(stores[0]?.replaced ?? ''));
  const restored = openMemory(options);
  t.teardown(() => restored.close());
  t.match((await restored.list(principal, 'user', {})).memories, [{ text: 'the tea is in the left cupboard' }]);
});

t.test('a backup overwrites nothing, and a failed one leaves no files', async (t) => {
  const { folder } = await openTestControl(t);
  const { audit } = await openTestAudit(t, {}, { folder });
  await audit.record(createEntry());
  const targetFolder = join(folder, 'away');
  mkdirSync(targetFolder);
  const target = join(targetFolder, 'copy.db');
  writeFileSync(join(targetFolder, 'copy.audit.db'), 'mine');
  await t.rejects(backUpStores(folder, target, 1, ignoreProgress), {
    code: 'BACKUP_EXISTS',
    message: /copy\.audit\.db/,
  });
  t.strictSame(readdirSync(targetFolder), ['copy.audit.db']);
  await t.rejects(backUpStores(targetFolder, join(targetFolder, 'other.db'), 1, ignoreProgress), {
    code: 'STORE_ABSENT',
  });
  t.strictSame(readdirSync(targetFolder), ['copy.audit.db']);
});

t.test('a backup with a damaged file changes nothing', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  const { audit, file } = await openTestAudit(t, {}, { folder });
  await audit.record(createEntry());
  const target = join(folder, 'copy.db');
  await backUpStores(folder, target, 1, ignoreProgress);
  await audit.close();
  await control.close();
  writeFileSync(target.replace('.db', '.audit.db'), 'rubbish'.repeat(1000));
  const before = statSync(file).mtimeMs;
  await t.rejects(restoreControl({ backup: target, folder, clock, pid: 1 }), {
    code: 'BACKUP_UNUSABLE',
    message: /copy\.audit\.db/,
  });
  t.equal(statSync(file).mtimeMs, before);
  t.notOk(readdirSync(folder).some((name) => /part|replaced/.test(name)));
});

t.test('a backup that was killed leaves nothing that refuses its name', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  const memory = openMemory({ folder, clock, random: systemRandom });
  await memory.remember(createPrincipal(), 'user', { text: 'the tea is in the left cupboard' });
  await memory.close();
  await control.close();
  const targetFolder = join(folder, 'away');
  const target = join(targetFolder, 'copy.db');
  const child = join(import.meta.dirname, 'killed-backup-process.ts');
  for (const moment of [
    'copying memory',
    'checking memory',
    'copying control',
    'checking control',
    'link 1',
    'link 2',
  ]) {
    rmSync(targetFolder, { recursive: true, force: true });
    mkdirSync(targetFolder);
    const { signal, stderr } = spawnSync(process.execPath, [...sourceOptions, child, folder, target, moment], {
      encoding: 'utf8',
    });
    t.equal(signal, 'SIGKILL', `${moment}: ${stderr}`);
    t.notOk(existsSync(target), `${moment}: the store that completes a backup is not there`);
    t.ok(readdirSync(targetFolder).some((name) => name.endsWith('.part')));
    await backUpStores(folder, target, process.pid, ignoreProgress);
    t.same(readdirSync(targetFolder).sort(), ['copy.db', 'copy.memory.db'], `${moment}: the next one takes the name`);
  }
  const before = statSync(target).ino;
  spawnSync(process.execPath, [...sourceOptions, child, folder, join(targetFolder, 'other.db'), 'link 2']);
  writeFileSync(join(targetFolder, 'copy.db.99999999.part'), 'left by an older backup');
  await t.rejects(backUpStores(folder, target, process.pid, ignoreProgress), { code: 'BACKUP_EXISTS' });
  t.equal(statSync(target).ino, before, 'a complete one stays');
  t.notOk(existsSync(join(targetFolder, 'copy.db.99999999.part')));
  t.ok(existsSync(join(targetFolder, 'other.memory.db')), 'and those of other names');
});

/** The file with one key of an index changed: the pages are well-formed, but a search by that index finds nothing. */
function damageIndex(bytes: Buffer, roots: readonly number[]): Buffer {
  for (const root of roots) {
    const position = bytes.indexOf('app', (root - 1) * 4096);
    if (position >= 0 && position < root * 4096) {
      bytes.write('apq', position);
      return bytes;
    }
  }
  throw new Error('no index holds the id of the instance');
}

t.test('a damaged store is not backed up', async (t) => {
  const { control, folder } = await openTestControlWithApp(t);
  for (let count = 0; count < 50; count += 1)
    await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  await control.close();
  const file = getStoreFile(folder, 'control');
  const intact = readFileSync(file);
  const sqlite = new Sqlite(file, { readonly: true });
  const listRoots = sqlite.prepare("SELECT rootpage FROM sqlite_schema WHERE type = 'index'").pluck();
  const indexRoots = listRoots.all().map(Number);
  sqlite.close();
  const damages: readonly [string, () => Buffer][] = [
    ['pages are overwritten', () => Buffer.from(intact).fill(0xa5, 8 * 4096, 40 * 4096)],
    ['two pages have changed places', () => swapPages(Buffer.from(intact))],
    ['the end is cut off', () => intact.subarray(0, intact.length - 20 * 4096)],
    ['it ends within a page', () => intact.subarray(0, intact.length - 1000)],
    ['the header is zeroed', () => Buffer.from(intact).fill(0, 0, 100)],
    ['an index does not have the keys of its table', () => damageIndex(Buffer.from(intact), indexRoots)],
  ];
  const target = join(folder, 'away', 'copy.db');
  mkdirSync(join(folder, 'away'));
  for (const [description, damage] of damages) {
    const bytes = damage();
    writeFileSync(file, bytes);
    const expected = { code: /^STORE_(DAMAGED|CORRUPT)$/, message: /control\.db is damaged/, cure: /vp restore/ };
    await t.rejects(backUpStores(folder, target, process.pid, ignoreProgress), expected, description);
    t.same(readdirSync(join(folder, 'away')), [], 'and no file is left');
  }
  writeFileSync(file, intact);
  writeFileSync(file, damageIndex(Buffer.from(intact), indexRoots));
  await t.rejects(backUpStores(folder, target, process.pid, ignoreProgress), {
    code: 'STORE_DAMAGED',
    message: /missing from index/,
  });
  writeFileSync(file, intact);
  const phases = new Set<string>();
  await backUpStores(folder, target, process.pid, (store, phase) => phases.add(`${phase} ${store}`));
  t.same([...phases], ['copying control', 'checking control']);
});

function swapPages(bytes: Buffer): Buffer {
  const first = Buffer.from(bytes.subarray(10 * 4096, 11 * 4096));
  // The last one holds rows; those before are roots of tables, many of them equal because they are empty.
  const last = bytes.length - 4096;
  bytes.copyWithin(10 * 4096, last, last + 4096);
  first.copy(bytes, last);
  return bytes;
}
