/** A damaged page of the audit is noticed at the start, before calls rely on it. */
import { cpSync, openSync, readFileSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { getAuditFile, openAudit } from '../../../src/hub/audit/audit-log.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createEntry, masterKey, openTestAudit } from './test-audit.ts';

const pageBytes = 4096;

/** Overwrites the beginning of one page in five, from the tenth on: the first pages are read by every start. */
function damage(file: string): void {
  const pages = readFileSync(file).length / pageBytes;
  const descriptor = openSync(file, 'r+');
  for (let page = 10; page < pages; page += 5) writeSync(descriptor, Buffer.alloc(64, 0xee), 0, 64, page * pageBytes);
}

const open = (folder: string) =>
  openAudit({ folder, masterKey, clock: fakeClock(), random: systemRandom, onError: () => undefined });

/** Moves everything from the write-ahead log into the file, as a running audit does at times. */
function checkpoint(file: string): void {
  const sqlite = new Sqlite(file);
  sqlite.pragma('wal_checkpoint(PASSIVE)');
  sqlite.close();
}

t.test('after an end out of order all pages are checked', async (t) => {
  const base = t.testdir({ live: {} });
  const { audit, file } = await openTestAudit(t, {}, { folder: join(base, 'live') });
  await Promise.all(Array.from({ length: 400 }, () => audit.record(createEntry())));
  checkpoint(file);
  for (const name of ['killed', 'damaged']) cpSync(join(base, 'live'), join(base, name), { recursive: true });
  await (await open(join(base, 'killed'))).close();
  damage(getAuditFile(join(base, 'damaged')));
  await t.rejects(open(join(base, 'damaged')), { code: 'STORE_DAMAGED', cure: /vp restore/ });
});

t.test('a file that was closed in order is checked only when it changed since', async (t) => {
  const { audit, file, folder } = await openTestAudit(t);
  await Promise.all(Array.from({ length: 400 }, () => audit.record(createEntry())));
  await audit.close();
  await (await open(folder)).close();
  damage(file);
  utimesSync(file, new Date(), new Date(Date.now() + 60_000));
  await t.rejects(open(folder), { code: 'STORE_DAMAGED' });
});
