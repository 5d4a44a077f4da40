/** One backup holds all stores of a control plane as they were at one moment, and all of them come back. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { restoreControl } from '../../src/control/restore.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { openMemory } from '../../src/memory/memory-service.ts';
import { backUp } from '../../src/store/backup.ts';
import { aCall, openedAudit, principalOf, verdictsOf } from '../hub/audit/opened.ts';
import { opened } from './opened.ts';

const quiet = (): void => undefined;
const written = 15_000;

t.test('a backup ends while the audit is written all the time, and the chain in it holds', async (t) => {
  const { control, folder, clock } = await opened(t);
  const { audit, file } = await openedAudit(t, {}, { folder });
  for (let at = 0; at < written; at += 500) await Promise.all(Array.from({ length: 500 }, () => audit.record(aCall())));
  let isOver = false;
  const writing = (async () => {
    for (; !isOver; await new Promise((resolve) => setImmediate(resolve))) await audit.record(aCall());
  })();
  const target = join(folder, 'copy.db');
  const copies = await backUp(folder, target, quiet);
  isOver = true;
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

  const [before] = verdictsOf({ file, folder });
  t.match(await restoreControl(target, folder, clock, 1), {
    stores: [
      { store: 'audit', replaced: /audit\.db\.replaced-/ },
      { store: 'control', replaced: /control\.db\.replaced-/ },
    ],
  });
  const [after] = verdictsOf({ file, folder });
  t.match(after, { firstSeq: 1, faults: [] });
  t.ok((after?.lastSeq ?? 0) >= written, 'what was written before is in it');
  t.ok((after?.lastSeq ?? 0) < (before?.lastSeq ?? 0), 'what was written during it came later');
  const again = await openedAudit(t, {}, { folder, clock });
  await again.audit.record(aCall());
  t.match(verdictsOf(again), [{ lastSeq: (after?.lastSeq ?? 0) + 1, faults: [] }], 'and the chain goes on');
});

t.test('what was remembered comes back, and the newer memory is kept', async (t) => {
  const { control, folder, clock } = await opened(t);
  const options = { folder, clock, random: systemRandom };
  const who = principalOf();
  const memory = openMemory(options);
  await memory.remember(who, 'user', { text: 'the tea is in the left cupboard' });
  const target = join(folder, 'copy');
  await backUp(folder, target, quiet);
  t.ok(existsSync(`${target}.memory.db`));
  await memory.remember(who, 'user', { text: 'the tea is gone' });
  await memory.close();
  await control.close();
  const { stores } = await restoreControl(target, folder, clock, 1);
  t.match(stores, [{ store: 'memory', replaced: /memory\.db\.replaced-/ }, { store: 'control' }]);
  t.ok(existsSync(stores[0]?.replaced ?? ''));
  const restored = openMemory(options);
  t.teardown(() => restored.close());
  t.match((await restored.list(who, 'user', {})).memories, [{ text: 'the tea is in the left cupboard' }]);
});

t.test('a backup overwrites nothing, and leaves nothing where it fails', async (t) => {
  const { folder } = await opened(t);
  const { audit } = await openedAudit(t, {}, { folder });
  await audit.record(aCall());
  const place = join(folder, 'away');
  mkdirSync(place);
  const target = join(place, 'copy.db');
  writeFileSync(join(place, 'copy.audit.db'), 'mine');
  await t.rejects(backUp(folder, target, quiet), { code: 'BACKUP_EXISTS', message: /copy\.audit\.db/ });
  t.strictSame(readdirSync(place), ['copy.audit.db']);
  await t.rejects(backUp(place, join(place, 'other.db'), quiet), { code: 'STORE_ABSENT' });
  t.strictSame(readdirSync(place), ['copy.audit.db']);
});

t.test('a backup of which one file is damaged changes nothing', async (t) => {
  const { control, folder, clock } = await opened(t);
  const { audit, file } = await openedAudit(t, {}, { folder });
  await audit.record(aCall());
  const target = join(folder, 'copy.db');
  await backUp(folder, target, quiet);
  await audit.close();
  await control.close();
  writeFileSync(target.replace('.db', '.audit.db'), 'rubbish'.repeat(1000));
  const before = statSync(file).mtimeMs;
  await t.rejects(restoreControl(target, folder, clock, 1), { code: 'BACKUP_UNUSABLE', message: /copy\.audit\.db/ });
  t.equal(statSync(file).mtimeMs, before);
  t.notOk(readdirSync(folder).some((name) => /part|replaced/.test(name)));
});
