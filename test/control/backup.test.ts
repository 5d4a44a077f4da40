/** A backup holds all stores of a control plane at one moment, and restores all of them. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { restoreControl } from '../../src/control/restore.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { openMemory } from '../../src/memory/memory-service.ts';
import { backUpStores } from '../../src/store/backup.ts';
import { createEntry, createPrincipal, openTestAudit, verifyAudit } from '../hub/audit/test-audit.ts';
import { openTestControl } from './control-fixture.ts';

const ignoreProgress = (): void => undefined;
const auditedCalls = 15_000;

t.test('a backup completes under constant audit writes, and its chain is valid', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  const { audit, file } = await openTestAudit(t, {}, { folder });
  for (let count = 0; count < auditedCalls; count += 500)
    await Promise.all(Array.from({ length: 500 }, () => audit.record(createEntry())));
  let isDone = false;
  const writing = (async () => {
    for (; !isDone; await new Promise((resolve) => setImmediate(resolve))) await audit.record(createEntry());
  })();
  const target = join(folder, 'copy.db');
  const copies = await backUpStores(folder, target, ignoreProgress);
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

  const [before] = verifyAudit({ file, folder });
  t.match(await restoreControl(target, folder, clock, 1), {
    stores: [
      { store: 'audit', replaced: /audit\.db\.replaced-/ },
      { store: 'control', replaced: /control\.db\.replaced-/ },
    ],
  });
  const [after] = verifyAudit({ file, folder });
  t.match(after, { firstSeq: 1, faults: [] });
  t.ok((after?.lastSeq ?? 0) >= auditedCalls, 'what was written before is in it');
  t.ok((after?.lastSeq ?? 0) < (before?.lastSeq ?? 0), 'what was written during it came later');
  const reopened = await openTestAudit(t, {}, { folder, clock });
  await reopened.audit.record(createEntry());
  t.match(verifyAudit(reopened), [{ lastSeq: (after?.lastSeq ?? 0) + 1, faults: [] }], 'and the chain goes on');
});

t.test('memories are restored, and the replaced memory store is kept', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  const options = { folder, clock, random: systemRandom };
  const principal = createPrincipal();
  const memory = openMemory(options);
  await memory.remember(principal, 'user', { text: 'the tea is in the left cupboard' });
  const target = join(folder, 'copy');
  await backUpStores(folder, target, ignoreProgress);
  t.ok(existsSync(`${target}.memory.db`));
  await memory.remember(principal, 'user', { text: 'the tea is gone' });
  await memory.close();
  await control.close();
  const { stores } = await restoreControl(target, folder, clock, 1);
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
  await t.rejects(backUpStores(folder, target, ignoreProgress), { code: 'BACKUP_EXISTS', message: /copy\.audit\.db/ });
  t.strictSame(readdirSync(targetFolder), ['copy.audit.db']);
  await t.rejects(backUpStores(targetFolder, join(targetFolder, 'other.db'), ignoreProgress), { code: 'STORE_ABSENT' });
  t.strictSame(readdirSync(targetFolder), ['copy.audit.db']);
});

t.test('a backup with a damaged file changes nothing', async (t) => {
  const { control, folder, clock } = await openTestControl(t);
  const { audit, file } = await openTestAudit(t, {}, { folder });
  await audit.record(createEntry());
  const target = join(folder, 'copy.db');
  await backUpStores(folder, target, ignoreProgress);
  await audit.close();
  await control.close();
  writeFileSync(target.replace('.db', '.audit.db'), 'rubbish'.repeat(1000));
  const before = statSync(file).mtimeMs;
  await t.rejects(restoreControl(target, folder, clock, 1), { code: 'BACKUP_UNUSABLE', message: /copy\.audit\.db/ });
  t.equal(statSync(file).mtimeMs, before);
  t.notOk(readdirSync(folder).some((name) => /part|replaced/.test(name)));
});
