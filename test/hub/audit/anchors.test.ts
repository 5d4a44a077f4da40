/** An audit file that was deleted, emptied or replaced by an older copy is noticed by what the control plane's store knows. */
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { getAuditFile, openAudit } from '../../../src/hub/audit/audit-log.ts';
import { listAuditAnchors, listAuditLosses } from '../../../src/store/control/audit-anchors.ts';
import { openControlDatabase } from '../../../src/store/control/control-store.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createEntry, createPrincipal, listFaults, masterKey, verifyAudit } from './test-audit.ts';

async function openAnchored(t: Test) {
  const folder = t.testdir();
  const clock = fakeClock();
  const database = openControlDatabase(`${folder}/control.db`);
  t.teardown(() => database.close());
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const open = (mayBeLost = false) =>
    openAudit({
      ...{ folder, masterKey, clock, random: systemRandom, onError },
      settings: { minFreeBytes: 0 },
      anchors: { database, mayBeLost },
    });
  const write = async (count: number): Promise<void> => {
    const audit = await open();
    for (let index = 0; index < count; index += 1) await audit.record(createEntry());
    await audit.close();
  };
  const remove = (): void => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(getAuditFile(folder) + suffix, { force: true });
  };
  return { folder, file: getAuditFile(folder), clock, database, errors, open, write, remove };
}

t.test('anchors follow the audit while it is written, and at its end', async (t) => {
  const { database, clock, open, errors } = await openAnchored(t);
  const audit = await open();
  await audit.record(createEntry());
  await audit.syncToDisk();
  const listEnds = async () => (await database.read(listAuditAnchors)).map(({ hub_id, seq }) => `${hub_id} ${seq}`);
  await database.write(() => undefined);
  t.same(await listEnds(), ['id-of-acme 1']);
  await audit.record(createEntry());
  await audit.syncToDisk();
  await database.write(() => undefined);
  t.same(await listEnds(), ['id-of-acme 1'], 'not at each sync');
  clock.advance(5000);
  await audit.record(createEntry({ principal: createPrincipal('beta') }));
  await audit.close();
  t.same(await listEnds(), ['id-of-acme 2', 'id-of-beta 1']);
  t.same(errors, []);
});

t.test('a deleted audit is refused at the start, and no empty one takes its place', async (t) => {
  const { file, open, write, remove } = await openAnchored(t);
  await write(3);
  remove();
  await t.rejects(open(), { code: 'AUDIT_LOST', message: /id-of-acme: the file is missing, which had 3 entries/ });
  t.notOk(existsSync(file));
});

t.test('an emptied audit, and a removed chain, are refused', async (t) => {
  const { file, open, write } = await openAnchored(t);
  await write(3);
  const sqlite = new Sqlite(file);
  sqlite.exec('DELETE FROM chains; DELETE FROM checkpoints');
  sqlite.close();
  await t.rejects(open(), { code: 'AUDIT_LOST', message: /the chain is missing/ });
});

t.test('an older copy of the audit is refused, and the right one is not', async (t) => {
  const { file, folder, open, write, remove } = await openAnchored(t);
  await write(3);
  copyFileSync(file, `${folder}/older`);
  await write(2);
  copyFileSync(file, `${folder}/newest`);
  remove();
  copyFileSync(`${folder}/older`, file);
  await t.rejects(open(), {
    code: 'AUDIT_LOST',
    message: /ends with entry 3, although .* noted entry 5 at 2026-11-20/,
  });
  remove();
  copyFileSync(`${folder}/newest`, file);
  await (await open()).close();
});

t.test('an older copy that was written on is refused as well', async (t) => {
  const { file, folder, database, clock, open, write, remove } = await openAnchored(t);
  await write(3);
  copyFileSync(file, `${folder}/older`);
  await write(2);
  remove();
  copyFileSync(`${folder}/older`, file);
  const options = { folder, masterKey, clock, random: systemRandom, onError: () => undefined };
  const unwatched = await openAudit({ ...options, settings: { minFreeBytes: 0 } });
  for (let index = 0; index < 5; index += 1) await unwatched.record(createEntry({ requestId: `other-${index}` }));
  await unwatched.close();
  await t.rejects(open(), { code: 'AUDIT_LOST', message: /entry 5 is missing or another one/ });
  t.equal((await database.read(listAuditAnchors)).length, 1);
});

t.test('an accepted loss is recorded in the chain and in the store, and asked for once', async (t) => {
  const { file, folder, database, open, write, remove } = await openAnchored(t);
  await write(3);
  remove();
  const audit = await open(true);
  const { items } = await audit.search('id-of-acme', { limit: 5 });
  t.match(items, [{ seq: 1, method: 'audit/loss', reason: /accepted that entries are lost: the chain is missing/ }]);
  await audit.close();
  t.match(await database.read(listAuditLosses), [{ hub_id: 'id-of-acme', seq: 3, problem: /chain is missing/ }]);
  await (await open()).close();
  t.strictSame(await listFaults({ file, folder }), []);
});

t.test('entries without a chain are found, and a new hub does not take their number', async (t) => {
  const { file, folder, database, open, write } = await openAnchored(t);
  await write(3);
  const sqlite = new Sqlite(file);
  sqlite.exec('DELETE FROM chains');
  sqlite.close();
  await database.write((sql) => sql.run('DELETE FROM audit_anchors'));
  const audit = await open();
  await audit.record(createEntry({ principal: createPrincipal('beta') }));
  await audit.close();
  t.match(await verifyAudit({ file, folder }), [
    { hub: 'beta', faults: [] },
    { hubId: 'hub number 1', faults: [{ kind: 'orphaned' }] },
  ]);
});
