/** The end of the audit while calls go on, and while it cannot be written. */
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import t from 'tap';
import { listRequestIds, openInFolder, recentFile, recordCalls } from './recent-folder.ts';
import { createEntry, listFaults, openTestAudit } from './test-audit.ts';

t.test('a call after the end is rejected, and is not written to a file that was opened since', async (t) => {
  const testAudit = await openInFolder(t);
  await recordCalls(testAudit, ['r-1', 'r-2']);
  await testAudit.audit.close();
  const others = Array.from({ length: 40 }, (_, index) => join(testAudit.folder, `other-${index}`));
  const descriptors = others.map((file) => openSync(file, 'w+'));
  await t.rejects(testAudit.audit.record(createEntry({ requestId: 'late' })), { code: 'STORE_CLOSED' });
  for (const descriptor of descriptors) closeSync(descriptor);
  t.same(
    others.filter((file) => readFileSync(file).length > 0),
    [],
    'nor in another file with the same descriptor',
  );
});

t.test('of calls that are recorded while the audit is closed, those that are answered are there', async (t) => {
  for (let turns = 0; turns < 8; turns += 1) {
    const testAudit = await openInFolder(t);
    await recordCalls(testAudit, ['first']);
    const answered: string[] = ['first'];
    const calls: Promise<unknown>[] = [];
    const record = (id: string): void =>
      void calls.push(
        testAudit.audit.record(createEntry({ requestId: id })).then(
          () => void answered.push(id),
          (error) => t.match(error, { code: 'STORE_CLOSED' }),
        ),
      );
    record('a');
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
    record('b');
    const closing = testAudit.audit.close();
    for (let index = 0; index < 12; index += 1) {
      record(`late-${index}`);
      await setImmediate();
    }
    await closing;
    await Promise.all(calls);
    const after = await openTestAudit(t, {}, { folder: testAudit.folder, clock: testAudit.clock });
    t.same(new Set(await listRequestIds(after)), new Set(answered), `${answered.length} answered`);
    t.same(await listFaults(after), []);
    t.same([...testAudit.errors, ...after.errors], []);
    await after.audit.close();
  }
});

t.test('the audit is closed while it cannot be written: the next start has what was answered', async (t) => {
  for (const whenUnwritable of ['refuse', 'continue'] as const) {
    const testAudit = await openInFolder(t, { whenUnwritable });
    await recordCalls(testAudit, ['r-1', 'r-2']);
    const lock = new Sqlite(testAudit.file);
    lock.exec('BEGIN IMMEDIATE');
    await recordCalls(testAudit, ['r-3']);
    await testAudit.audit.syncToDisk();
    t.ok(await testAudit.audit.state('id-of-acme').then(({ problem }) => problem));
    await testAudit.audit.close();
    lock.exec('ROLLBACK');
    lock.close();
    t.ok(existsSync(recentFile(testAudit)));
    const after = await openTestAudit(t, {}, { folder: testAudit.folder, clock: testAudit.clock });
    t.same(await listRequestIds(after), ['r-1', 'r-2', 'r-3']);
    t.same(await listFaults(after), []);
    await after.audit.close();
    rmSync(testAudit.folder, { recursive: true });
  }
});
