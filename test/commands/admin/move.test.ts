/** `vp move` on a real PostgreSQL: there and back, and what is refused. */
import { existsSync, linkSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { openControl } from '../../../src/control/open-control.ts';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { openMemory } from '../../../src/memory/memory-service.ts';
import { readCommittedSeq } from '../../../src/store/control/counters.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../../src/store/postgres/stores.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { copyFolder, recentFile, recordCalls } from '../../hub/audit/recent-folder.ts';
import { createPrincipal, listFaults, openTestAudit } from '../../hub/audit/test-audit.ts';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database.ts';
import { createWorkspace } from '../test-workspace.ts';
import { dump, fillFolder, insertRevision, unusualText, variables } from './filled-folder.ts';

const skip = skipWithoutPostgres;
async function startMove(t: Test) {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const folder = join(workspace.folder, 'data');
  await fillFolder(folder);
  const database = await createTestDatabase(t);
  const vp = (...args: readonly string[]) => workspace.vp(['move', ...args], { variables });
  const verify = () => workspace.vp(['audit', 'verify', '--database', database.url, '--data', folder], { variables });
  const anchor = () => workspace.vp(['audit', 'anchor', '--database', database.url], { variables });
  return { anchor, verify, folder, database, vp, back: join(workspace.folder, 'back') };
}

async function openStores(t: Test, { url }: TestDatabase) {
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const stores = await openPostgresStores({ settings, clock: systemClock });
  const close = async (): Promise<void> => {
    await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
    await stores.close();
  };
  t.teardown(close);
  return { stores, close };
}

t.test('stores move to PostgreSQL and back without a difference', { skip }, async (t) => {
  const { folder, database, vp, back } = await startMove(t);
  const before = dump(folder);
  t.match(await vp('--to', database.url, '--data', folder, '--dry-run'), { code: 0, stdout: /nothing was changed/ });
  t.strictSame(
    await database.query("SELECT 1 FROM pg_namespace WHERE nspname = 'vp'"),
    [],
    'a dry run creates nothing',
  );

  const moved = await vp('--to', database.url, '--data', folder);
  t.equal(moved.code, 0, moved.stderr);
  t.match(moved.stdout, /verified the audit of 1 hubs: 50 entries/);
  t.equal(dump(folder), before, 'the source is as it was');

  const { stores, close } = await openStores(t, database);
  const seq = await stores.control.database.read(readCommittedSeq);
  const unusual = await stores.control.database.read((sql) => sql.get("SELECT value FROM meta WHERE name = 'odd'"));
  t.strictSame(unusual, { value: unusualText });
  const next = await stores.control.database.write((sql) => ({
    seq: stores.control.counters.nextSeq(),
    id: insertRevision(sql, '', 'other'),
  }));
  t.ok(next.seq > seq, 'numbers go on behind those of the source');
  t.equal(next.id, 302);
  await stores.control.database.write((sql) => sql.run('DELETE FROM revisions WHERE id = 302'));
  await close();

  const returned = await vp('--from', database.url, '--data', back, '--json');
  t.equal(returned.code, 0, returned.stderr);
  t.match(JSON.parse(returned.stdout), { direction: 'from', audit: { chains: 1, entries: 50 } });
  t.equal(dump(back), before);
  t.strictSame(await listFaults({ file: join(back, 'audit.db'), folder: back }), []);
  t.equal(statSync(join(back, 'control.db')).mode & 0o777, 0o600);
  const reopened = await openControl({
    ...{ folder: back, clock: fakeClock(), random: systemRandom, pid: 1, masterKey: variables.VP_MASTER_KEY },
    onError: (error) => t.fail('background work failed', { error }),
  });
  t.ok(
    (await reopened.database.read(readCommittedSeq)) >= next.seq,
    'numbers that the database gave are not given again',
  );
  await reopened.close();
  const memory = openMemory({ folder: back, clock: fakeClock(), random: systemRandom });
  t.match(await memory.recall(createPrincipal(), 'cupboards', {}), [{ text: /cupboard/ }]);
  await memory.close();
});

t.test('a dry run counts the calls that a killed control plane has left, and changes nothing', { skip }, async (t) => {
  const { folder, database, vp } = await startMove(t);
  const testAudit = await openTestAudit(t, {}, { folder });
  await recordCalls(testAudit, ['r-1', 'r-2', 'r-3', 'r-4']);
  const killed = copyFolder(testAudit);
  const recent = recentFile({ folder: killed });
  t.equal(readFileSync(recent, 'utf8').split('\n').length - 1, 3);
  const readFiles = (): Buffer[] =>
    ['control.db', 'audit.db', 'audit.db-wal'].map((name) => readFileSync(join(killed, name)));
  const files = readFiles();
  const lines = readFileSync(recent, 'utf8');

  const move = async (...flags: readonly string[]) => {
    const { code, stdout, stderr } = await vp('--to', database.url, '--data', killed, '--json', ...flags);
    t.equal(code, 0, stderr);
    const { stores } = JSON.parse(stdout) as { stores: { store: string; tables: { table: string; rows: number }[] }[] };
    return stores.map(({ store, tables }) => [store, tables.map(({ table, rows }) => [table, rows])]);
  };
  const examined = await move('--dry-run');
  t.equal(readFileSync(recent, 'utf8'), lines);
  t.strictSame(readFiles(), files);
  t.strictSame(examined, await move());
});

t.test('the audit is verified and anchored on PostgreSQL', { skip }, async (t) => {
  const { folder, database, vp, verify, anchor } = await startMove(t);
  t.match(await verify(), { code: 2, stderr: /STORE_DATABASE_EMPTY/ });
  await vp('--to', database.url, '--data', folder);
  t.match(await verify(), { code: 0, stdout: /acme: 50 entries, 1 to 50/ });
  t.match(JSON.parse((await anchor()).stdout), { chains: [{ seq: 50 }] });
  await database.query('DELETE FROM vp_audit.entries WHERE seq = 20');
  t.match(await verify(), { code: 1, stdout: /removed 20: entry 20 is missing/ });
});

t.test('a target that is not empty is refused', { skip }, async (t) => {
  const { folder, database, vp } = await startMove(t);
  t.equal((await vp('--to', database.url, '--data', folder)).code, 0);
  t.match(await vp('--to', database.url, '--data', folder), { code: 2, stderr: /STORE_DATABASE_NOT_EMPTY/ });
  t.match(await vp('--from', database.url, '--data', folder), { code: 2, stderr: /STORE_FOLDER_NOT_EMPTY/ });
});

t.test(
  'a database into which a copy was interrupted is not served, and the move can be repeated',
  { skip },
  async (t) => {
    const { folder, database, vp, back } = await startMove(t);
    await (await openStores(t, database)).close();
    await database.query("INSERT INTO vp.stores VALUES ('copy', 0, 0)");
    await t.rejects(openStores(t, database), { code: 'STORE_COPY_INCOMPLETE' });
    t.match(await vp('--from', database.url, '--data', back), { code: 2, stderr: /STORE_COPY_INCOMPLETE/ });
    t.equal((await vp('--to', database.url, '--data', folder)).code, 0);
    await (await openStores(t, database)).close();
  },
);

t.test('a failed move leaves no mark in the database', { skip }, async (t) => {
  const { folder, database, vp } = await startMove(t);
  const sqlite = new Sqlite(join(folder, 'audit.db'));
  sqlite.exec('DELETE FROM entries WHERE seq = 20');
  sqlite.close();
  t.match(await vp('--to', database.url, '--data', folder), { code: 2, stderr: /STORE_COPY_AUDIT_FAULT/ });
  t.strictSame(await database.query("SELECT 1 FROM vp.stores WHERE name = 'copy'"), []);
});

t.test(
  'a folder into which a copy was interrupted is not served, and the move can be repeated',
  { skip },
  async (t) => {
    const { folder, database, vp, back } = await startMove(t);
    const before = dump(folder);
    t.equal((await vp('--to', database.url, '--data', folder)).code, 0);
    t.equal((await vp('--from', database.url, '--data', back)).code, 0);
    // As a kill leaves it between the names of two files.
    for (const name of ['audit.db', 'memory.db']) linkSync(join(back, name), join(back, `${name}.99999999.part`));
    renameSync(join(back, 'control.db'), join(back, 'control.db.99999999.part'));
    const options = {
      folder: back,
      clock: fakeClock(),
      random: systemRandom,
      pid: 1,
      masterKey: variables.VP_MASTER_KEY,
    };
    const opened = openControl({ ...options, onError: () => undefined });
    await t.rejects(opened, { code: 'STORE_COPY_INCOMPLETE' });
    t.equal((await vp('--from', database.url, '--data', back)).code, 0);
    t.equal(dump(back), before);
  },
);

t.test('a source in use is refused', { skip }, async (t) => {
  const { folder, database, vp, back } = await startMove(t);
  const control = await openControl({
    ...{ folder, clock: fakeClock(), random: systemRandom, pid: 1, masterKey: variables.VP_MASTER_KEY },
    onError: () => undefined,
  });
  t.match(await vp('--to', database.url, '--data', folder), { code: 3, stderr: /STORE_IN_USE/ });
  await control.close();
  t.equal((await vp('--to', database.url, '--data', folder)).code, 0);
  await database.query("UPDATE vp.active_replica SET replica_id = 'one', expiry_ms = 60000");
  await database.query("SELECT setval('vp.last_renewal', (extract(epoch FROM now()) * 1000000)::bigint)");
  t.match(await vp('--from', database.url, '--data', back), { code: 3, stderr: /STORE_DATABASE_IN_USE/ });
  t.notOk(existsSync(join(back, 'control.db')));
});

t.test('a database without a store cannot be moved', { skip }, async (t) => {
  const { database, vp, back } = await startMove(t);
  t.match(await vp('--from', database.url, '--data', back), { code: 2, stderr: /STORE_DATABASE_EMPTY/ });
});

t.test('a copy whose audit does not verify is taken back', { skip }, async (t) => {
  const { folder, database, vp } = await startMove(t);
  const sqlite = new Sqlite(join(folder, 'audit.db'));
  sqlite.exec('DELETE FROM entries WHERE seq = 20');
  sqlite.close();
  t.match(await vp('--to', database.url, '--data', folder), { code: 2, stderr: /STORE_COPY_AUDIT_FAULT/ });
  t.strictSame(await database.query('SELECT name FROM vp_control.meta'), [], 'nothing of the copy is left');
});

t.test('a copy that was changed on its way is taken back', { skip }, async (t) => {
  const { folder, database, vp } = await startMove(t);
  await (await openStores(t, database)).close();
  await database.query(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.value := 'other'; RETURN NEW; END $$;
    CREATE TRIGGER spoil BEFORE INSERT ON vp_control.meta FOR EACH ROW EXECUTE FUNCTION spoil();
    ALTER TABLE vp_control.meta ENABLE ALWAYS TRIGGER spoil`);
  await database.query(`CREATE RULE spoil AS ON INSERT TO vp_control.data_keys DO INSTEAD NOTHING`);
  t.match(await vp('--to', database.url, '--data', folder), { code: 4, stderr: /STORE_COPY_DIFFERENT/ });
  t.strictSame(await database.query('SELECT name FROM vp_control.meta'), []);
});

t.test('a store of an earlier version is refused', { skip }, async (t) => {
  const { folder, database, vp } = await startMove(t);
  const sqlite = new Sqlite(join(folder, 'audit.db'));
  sqlite.pragma('user_version = 1');
  sqlite.close();
  t.match(await vp('--to', database.url, '--data', folder), { code: 2, stderr: /STORE_OUTDATED/ });
});

t.test('one direction must be named', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  t.match(await workspace.vp(['move']), { code: 2, stderr: /--to is needed/ });
  t.match(await workspace.vp(['move', '--to', 'postgres://a@b/c', '--from', 'postgres://a@b/c']), {
    code: 2,
    stderr: /--from excludes --to/,
  });
});
