/** The audit's file: what is erased from it, its size, and a disk that is full. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { createEntry, exceedAuditSize, listFaults, openTestAudit } from './test-audit.ts';

t.test('erased arguments are no longer in the file', async (t) => {
  const { audit, clock, file } = await openTestAudit(t, { argumentsMaxAgeMs: 1000 });
  await audit.record(createEntry({ atMs: clock.nowMs(), arguments: { title: 'a quarrel with the neighbour' } }));
  clock.advance(2000);
  await audit.record(createEntry({ atMs: clock.nowMs(), arguments: { title: 'a talk with the neighbour' } }));
  await audit.applyRetention();
  const bytes = Buffer.concat([readFileSync(file), readFileSync(`${file}-wal`)]);
  t.ok(bytes.includes('a talk with'));
  t.notOk(bytes.includes('a quarrel with'), 'nor in its write-ahead log');
});

t.test('arguments that expire are erased in the write-ahead log too', async (t) => {
  const { audit, clock, file } = await openTestAudit(t, { argumentsMaxAgeMs: 60_000 });
  await audit.record(createEntry({ atMs: clock.nowMs(), arguments: { title: 'a quarrel with the neighbour' } }));
  const isStored = (): boolean =>
    [file, `${file}-wal`].some((name) => existsSync(name) && readFileSync(name).includes('a quarrel with'));
  t.ok(isStored());
  await eventually(() => {
    clock.advance(30_000);
    return !isStored();
  });
  t.notOk(isStored());
});

t.test('the file stays about within its size', async (t) => {
  const maxBytes = 2_000_000;
  const testAudit = await openTestAudit(t, { maxBytes });
  await exceedAuditSize(testAudit);
  await testAudit.audit.applyRetention();
  t.ok(statSync(testAudit.file).size < maxBytes * 1.5, `${statSync(testAudit.file).size} bytes`);
});

/** An audit that may not grow, as on a full disk. */
const full = { minFreeBytes: Number.MAX_SAFE_INTEGER };

t.test('while the disk is full calls are refused before they are sent, and the gap is recorded later', async (t) => {
  const testAudit = await openTestAudit(t);
  const { audit, clock, errors: faults } = testAudit;
  await audit.record(createEntry());
  await audit.close();

  const blocked = await openTestAudit(t, full, { folder: testAudit.folder, clock });
  await blocked.audit.syncToDisk();
  t.throws(() => blocked.audit.ready(() => createEntry()), { code: 'AUDIT_UNAVAILABLE', cure: /free space/ });
  await t.rejects(blocked.audit.record(createEntry({ requestId: 'late' })), { code: 'AUDIT_UNAVAILABLE' });
  t.match(await blocked.audit.state('id-of-acme'), { problem: /disk of the store .* is full/ });
  t.match(blocked.errors, [{ code: 'STORE_DISK_FULL' }], 'reported once');
  await blocked.audit.close();
  t.same(faults, []);
  t.strictSame(await listFaults(testAudit), []);
});

t.test('after the disk has space again, buffered calls are written with a record of the gap', async (t) => {
  const testAudit = await openTestAudit(t);
  const { audit, clock } = testAudit;
  await audit.record(createEntry());
  const writeLock = createWriteLock(testAudit.file);
  writeLock.acquire();
  await audit.record(createEntry({ requestId: 'in the file' }));
  await audit.syncToDisk();
  await t.rejects(audit.record(createEntry({ requestId: 'late' })), { code: 'AUDIT_UNAVAILABLE' });
  t.throws(() => audit.ready(() => createEntry()), { code: 'AUDIT_UNAVAILABLE' });
  t.throws(() => audit.ready(() => createEntry()), { code: 'AUDIT_UNAVAILABLE' });
  writeLock.release();
  clock.advance(1000);
  await audit.syncToDisk();
  audit.ready();
  const { items } = await audit.search('id-of-acme', { limit: 10 });
  t.match(items, [
    { seq: 4, method: 'audit/gap', outcome: 'failed', reason: /2 calls were refused, 0 were sent without a row/ },
    { seq: 3, request_id: 'late' },
    { seq: 2, request_id: 'in the file' },
    { seq: 1 },
  ]);
  t.strictSame(await listFaults(testAudit), []);
});

t.test('if configured, calls continue while the audit cannot be written', async (t) => {
  const testAudit = await openTestAudit(t, { whenUnwritable: 'continue' });
  const { audit } = testAudit;
  await audit.record(createEntry());
  const writeLock = createWriteLock(testAudit.file);
  writeLock.acquire();
  await audit.record(createEntry());
  await audit.syncToDisk();
  for (let index = 0; index < 1200; index += 1) await audit.record(createEntry());
  audit.ready();
  writeLock.release();
  await audit.syncToDisk();
  const { items } = await audit.search('id-of-acme', { limit: 1 });
  t.match(items, [{ seq: 1003, method: 'audit/gap', reason: /0 calls were refused, 200 were sent without a row/ }]);
  t.strictSame(await listFaults(testAudit), []);
});

t.test('nothing is maintained any more when the audit is closed', async (t) => {
  const { audit, folder, clock, errors } = await openTestAudit(t, { minFreeBytes: 1 });
  await audit.record(createEntry());
  const current = audit.syncToDisk();
  // The next maintenance waits for the current one.
  clock.advance(60_000);
  void current.then(() => clock.advance(60_000));
  await audit.close();
  rmSync(folder, { recursive: true });
  await new Promise((resolve) => void setTimeout(resolve, 20));
  t.same(errors, []);
});

/** Holds the file's write lock like another writer: our writes fail at once, as on a full disk. */
function createWriteLock(file: string): { acquire(): void; release(): void } {
  const sqlite = new Sqlite(file);
  return {
    acquire: () => void sqlite.exec('BEGIN EXCLUSIVE'),
    release() {
      sqlite.exec('ROLLBACK');
      sqlite.close();
    },
  };
}
