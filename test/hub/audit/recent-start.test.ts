/** Starts that find calls in `audit.recent` beside tables that are older, full, or continued by another program. */
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { getAuditFile, openAudit } from '../../../src/hub/audit/audit-log.ts';
import { openControlDatabase } from '../../../src/store/control/control-store.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { copyFolder, listRequestIds, openInFolder, recentFile, recordCalls } from './recent-folder.ts';
import { createEntry, createPrincipal, listFaults, masterKey, openTestAudit } from './test-audit.ts';

t.test('an older audit is refused, and the right one has every call when it is put back', async (t) => {
  const folder = join(t.testdir(), 'data');
  const clock = fakeClock();
  const errors: unknown[] = [];
  const database = openControlDatabase(join(folder, 'control.db'));
  t.teardown(() => database.close());
  const open = (in_ = folder) =>
    openAudit({
      ...{ folder: in_, masterKey, clock, random: systemRandom, onError: (error) => void errors.push(error) },
      settings: { minFreeBytes: 0 },
      anchors: { database, mayBeLost: false },
    });
  const first = await open();
  await recordCalls({ audit: first }, ['r-1']);
  await first.close();
  copyFileSync(getAuditFile(folder), `${folder}-older`);
  const second = await open();
  await recordCalls({ audit: second }, ['r-2', 'r-3']);
  await second.close();
  const third = await open();
  await recordCalls({ audit: third }, ['r-4', 'r-5', 'r-6']);
  const killed = copyFolder({ folder });

  const right = `${killed}-right`;
  cpSync(killed, right, { recursive: true });
  for (const name of readdirSync(killed)) if (/^audit\.(db|position)/.test(name)) rmSync(join(killed, name));
  copyFileSync(`${folder}-older`, getAuditFile(killed));
  await t.rejects(open(killed), { code: 'AUDIT_LOST' });
  for (const name of readdirSync(killed)) if (/^audit\.(db|position)/.test(name)) rmSync(join(killed, name));
  for (const name of readdirSync(right))
    if (/^audit\.(db|position)/.test(name)) copyFileSync(join(right, name), join(killed, name));
  const audit = await open(killed);
  t.same(await listRequestIds({ audit }), ['r-1', 'r-2', 'r-3', 'r-4', 'r-5', 'r-6']);
  await audit.close();
  await third.close();
  t.same(errors, [], 'the right one could use all of them');
});

t.test('a start with a smaller limit of the size adds what a kill left', async (t) => {
  const testAudit = await openInFolder(t);
  const args = { text: 'x'.repeat(900), other: 'y'.repeat(900), more: 'z'.repeat(900) };
  for (let round = 0; round < 15; round += 1)
    await Promise.all(
      Array.from({ length: 100 }, () => testAudit.audit.record(createEntry({ arguments: args, requestId: 'old' }))),
    );
  await testAudit.audit.syncToDisk();
  const ids = Array.from({ length: 60 }, (_, index) => `new-${index}`);
  await recordCalls(testAudit, ids, { arguments: { text: 'x'.repeat(900) } });
  const folder = copyFolder(testAudit);
  t.ok(readFileSync(recentFile({ folder })).length > 60_000);
  const after = await openTestAudit(t, { maxBytes: 200_000 }, { folder, clock: testAudit.clock });
  const stored = (await listRequestIds(after)).filter((id) => id !== 'old');
  t.same(stored, ids);
  t.same(await listFaults(after), []);
});

t.test('calls that an older program left out are reported', async (t) => {
  const testAudit = await openInFolder(t);
  await recordCalls(testAudit, ['r-1', 'r-2', 'r-3']);
  const folder = copyFolder(testAudit);
  // A program that does not know the file begins its rows where the tables end.
  const lines = readFileSync(recentFile({ folder }));
  rmSync(recentFile({ folder }));
  const older = await openTestAudit(t, { intents: true }, { folder, clock: testAudit.clock });
  await recordCalls(older, ['s-2', 's-3', 's-4']);
  await older.audit.close();
  writeFileSync(recentFile({ folder }), lines);
  const after = await openTestAudit(t, {}, { folder, clock: testAudit.clock });
  t.same(await listRequestIds(after), ['r-1', 's-2', 's-3', 's-4']);
  t.same(await listFaults(after), []);
  const retained = readdirSync(folder).find((name) => name.startsWith('audit.recent.unusable-')) ?? '';
  t.match(after.errors, [{ code: 'AUDIT_CALLS_UNUSABLE', message: /^2 of the recorded calls/ }]);
  t.match(after.errors, [{ message: retained }]);
  t.same(readFileSync(join(folder, retained)), lines);
});

t.test('lines whose rows retention has deleted are not reported', async (t) => {
  const testAudit = await openInFolder(t, { maxAgeMs: 3_600_000 });
  await recordCalls(testAudit, ['r-1', 'r-2', 'r-3'], { atMs: testAudit.clock.nowMs() });
  const lines = readFileSync(recentFile(testAudit));
  testAudit.clock.advance(7_200_000);
  await testAudit.audit.applyRetention();
  await testAudit.audit.applyRetention();
  await recordCalls(testAudit, ['r-4'], { atMs: testAudit.clock.nowMs() });
  await testAudit.audit.close();
  const folder = copyFolder(testAudit);
  writeFileSync(recentFile({ folder }), lines);
  const after = await openTestAudit(t, {}, { folder, clock: testAudit.clock });
  t.same(await listRequestIds(after), ['r-4']);
  t.same(after.errors, []);
});

t.test('calls of one hub that do not continue its chain do not keep those of another out', async (t) => {
  const testAudit = await openInFolder(t);
  const other = { principal: createPrincipal('other') };
  await recordCalls(testAudit, ['r-1']);
  await recordCalls(testAudit, ['o-1'], other);
  await recordCalls(testAudit, ['r-2']);
  await recordCalls(testAudit, ['o-2'], other);
  await recordCalls(testAudit, ['r-3']);
  await recordCalls(testAudit, ['o-3'], other);
  const folder = copyFolder(testAudit);
  const file = recentFile({ folder });
  const [first = '', ...others] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [first.replace('"outcome":"ok"', '"outcome":"denied"'), ...others].join('\n'));
  const after = await openTestAudit(t, {}, { folder, clock: testAudit.clock });
  t.same(await listRequestIds(after), ['r-1']);
  t.same(await listRequestIds(after, 'other'), ['o-1', 'o-2', 'o-3']);
  t.same(await listFaults(after), []);
  t.match(after.errors, [{ code: 'AUDIT_CALLS_UNUSABLE', message: /^2 of the recorded calls/ }]);
});
