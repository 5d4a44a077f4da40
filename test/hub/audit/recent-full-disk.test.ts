/** `audit.recent` on a full disk: what was answered is kept, what does not fit is refused, and calls go on when there is room. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { mountSmallDisk, type SmallDisk } from '../../storm/small-disks.ts';
import { copyFolder, listRequestIds, recentFile, recordCalls } from './recent-folder.ts';
import { createEntry, listFaults, openTestAudit, type TestAudit } from './test-audit.ts';

function mountDisk(t: Test): SmallDisk | undefined {
  const disk = mountSmallDisk(join(t.testdir(), 'disk'), 4);
  if (disk) t.teardown(() => disk.unmount());
  else t.comment('skipped: this user may not mount');
  return disk;
}

/** Records calls until the file of recent calls does not grow any more; gives those that were answered. */
async function recordUntilFull({ audit }: TestAudit, name: string): Promise<string[]> {
  const answered: string[] = [];
  for (let index = 1; index < 2000; index += 1) {
    const requestId = `${name}-${index}`;
    try {
      await audit.record(createEntry({ requestId, arguments: { text: 'x'.repeat(900) } }));
      answered.push(requestId);
    } catch (error) {
      t.match(error, { code: 'AUDIT_UNAVAILABLE', message: /audit\.(recent|db) is full/ });
      return answered;
    }
  }
  throw new Error('the disk is never full');
}

for (const whenUnwritable of ['refuse', 'continue'] as const)
  t.test(`the disk is full, and calls then ${whenUnwritable}`, async (t) => {
    const disk = mountDisk(t);
    if (!disk) return;
    const testAudit = await openTestAudit(t, { whenUnwritable }, { folder: join(disk.folder, 'data') });
    const { audit, clock, errors } = testAudit;
    await recordCalls(testAudit, ['r-1', 'r-2']);
    disk.fill();
    const answered = ['r-1', 'r-2'];
    if (whenUnwritable === 'refuse') answered.push(...(await recordUntilFull(testAudit, 'full')));
    else {
      const ids = Array.from({ length: 200 }, (_, index) => `full-${index}`);
      await recordCalls(testAudit, ids, { arguments: { text: 'x'.repeat(900) } });
      answered.push(...ids);
    }
    t.match(errors, [{ code: 'STORE_DISK_FULL' }]);
    const size = statSync(recentFile(testAudit)).size;
    if (whenUnwritable === 'refuse')
      await t.rejects(audit.record(createEntry({ requestId: 'refused' })), { code: 'AUDIT_UNAVAILABLE' });
    t.equal(statSync(recentFile(testAudit)).size, size, 'a part of a line does not stay');
    disk.free();
    clock.advance(1000);
    await audit.syncToDisk();
    await audit.syncToDisk();
    await recordCalls(testAudit, ['after-1', 'after-2']);
    answered.push('after-1', 'after-2');
    const ids = await listRequestIds(testAudit);
    t.same(
      answered.filter((id) => !ids.includes(id)),
      [],
      'nothing that was answered is missing',
    );
    t.equal(new Set(ids).size, ids.length, 'and nothing is there twice');
    await audit.close();
    t.same(await listFaults(testAudit), []);
  });

t.test('a kill while the disk is full', async (t) => {
  const disk = mountDisk(t);
  if (!disk) return;
  const testAudit = await openTestAudit(t, {}, { folder: join(disk.folder, 'data') });
  await recordCalls(testAudit, ['r-1']);
  disk.fill();
  const answered = ['r-1', ...(await recordUntilFull(testAudit, 'full'))];
  disk.free();
  const folder = copyFolder(testAudit);
  const after = await openTestAudit(t, {}, { folder, clock: testAudit.clock });
  t.same(await listRequestIds(after), answered);
  t.same(await listFaults(after), []);
  t.same(after.errors, []);
  await after.audit.close();
  await testAudit.audit.close();
});
