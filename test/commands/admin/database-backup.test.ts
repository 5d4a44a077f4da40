/** `vp backup` and `vp restore` of a store on a real PostgreSQL. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../../src/store/postgres/stores.ts';
import { listFaults } from '../../hub/audit/test-audit.ts';
import { skipWithoutPostgres } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';
import { createWorkspace } from '../test-workspace.ts';
import { dump, fillFolder, variables } from './filled-folder.ts';

const skip = skipWithoutPostgres;

/** A data folder that was moved to `database`, and an empty database. */
async function start(t: Test) {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const folder = join(workspace.folder, 'data');
  await fillFolder(folder);
  const [database, empty] = [await createTestDatabase(t), await createTestDatabase(t)];
  const vp = (args: readonly string[], key: Record<string, string> = variables) =>
    workspace.vp(args, { variables: key });
  t.equal((await vp(['move', '--to', database.url, '--data', folder])).code, 0);
  return {
    folder,
    database,
    empty,
    vp,
    backup: join(workspace.folder, 'monday.db'),
    other: join(workspace.folder, 'other'),
  };
}

t.test('a backup of a database in use restores on both engines', { skip }, async (t) => {
  const { folder, database, empty, vp, backup, other } = await start(t);
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url: database.url }, {});
  const stores = await openPostgresStores({ settings, clock: systemClock });
  let isDone = false;
  let writes = 0;
  const writing = (async () => {
    for (; !isDone; writes += 1)
      await stores.memory.write((sql) =>
        sql.execute('INSERT INTO partitions (hub_id, person_id) VALUES (?, ?)', 'busy', String(writes)),
      );
  })();
  const backedUp = await vp(['backup', backup, '--database', database.url]);
  isDone = true;
  await writing;
  t.equal(backedUp.code, 0, backedUp.stderr);
  t.match(backedUp.stdout, /copied the store to .*monday\.db \(\d+ bytes\)/);
  t.equal(statSync(backup).mode & 0o777, 0o600);
  t.strictSame(
    readdirSync(join(backup, '..')).filter((name) => name.startsWith('monday')),
    ['monday.audit.db', 'monday.db', 'monday.memory.db'],
    'the files of any backup, and no parts',
  );
  await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
  await stores.close();

  t.match(await vp(['restore', backup, '--data', other]), { code: 0, stdout: /1 queued runs were cancelled/ });
  t.strictSame(await listFaults({ file: join(other, 'audit.db'), folder: other }), []);
  const withoutBusy = (text: string): string => text.replaceAll(/^.*"busy".*\n/gm, '');
  const auditOf = (text: string): string =>
    text
      .split('\n')
      .filter((line) => line.startsWith('audit.'))
      .join('\n');
  t.equal(auditOf(withoutBusy(dump(other))), auditOf(dump(folder)));

  const restored = await vp(['restore', backup, '--database', empty.url, '--data', other]);
  t.equal(restored.code, 0, restored.stderr);
  t.match(restored.stdout, /1 queued runs were cancelled/);
  t.match(await empty.query('SELECT state FROM vp_control.runs'), [{ state: 'cancelled' }]);
  t.match(await empty.query('SELECT count(*)::int AS entries FROM vp_audit.entries'), [{ entries: 50 }]);
  t.match(await vp(['audit', 'verify', '--database', empty.url, '--data', other]), { code: 0 });
  t.strictSame(
    readdirSync(other).filter((name) => name.startsWith('restore-')),
    [],
    'nothing of the private copy is left',
  );
});

t.test('a backup overwrites nothing', { skip }, async (t) => {
  const { database, vp, backup } = await start(t);
  t.equal((await vp(['backup', backup, '--database', database.url])).code, 0);
  t.match(await vp(['backup', backup, '--database', database.url]), { code: 2, stderr: /BACKUP_EXISTS/ });
});

t.test('a restore that is refused changes no database', { skip }, async (t) => {
  const { database, empty, vp, backup, other } = await start(t);
  t.equal((await vp(['backup', backup, '--database', database.url])).code, 0);
  const restore = (url: string, key?: Record<string, string>) =>
    vp(['restore', backup, '--database', url, '--data', other], key);
  t.match(await restore(database.url), { code: 2, stderr: /STORE_DATABASE_NOT_EMPTY/ });
  t.match(await database.query('SELECT state FROM vp_control.runs'), [{ state: 'queued' }]);
  t.match(await restore(empty.url, {}), { code: 2, stderr: /BACKUP_KEY_MISSING/ });
  const wrong = { VP_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') };
  t.match(await restore(empty.url, wrong), { code: 2, stderr: /BACKUP_KEY_WRONG/ });
  t.strictSame(await empty.query("SELECT 1 FROM pg_namespace WHERE nspname = 'vp'"), []);
  t.notOk(existsSync(join(other, 'control.db')));
});

t.test('links of a store on PostgreSQL are created beside it', { skip }, async (t) => {
  const { folder, database, empty, vp } = await start(t);
  const created = await vp(['setup-link', '--database', database.url, '--data', folder]);
  t.equal(created.code, 0, created.stderr);
  t.match(await database.query('SELECT count(*)::int AS links FROM vp_control.setup_links'), [{ links: 1 }]);
  t.match(await vp(['setup-link', '--database', empty.url, '--data', folder]), {
    code: 2,
    stderr: /STORE_DATABASE_EMPTY/,
  });
  t.strictSame(await empty.query("SELECT 1 FROM pg_namespace WHERE nspname = 'vp'"), [], 'nothing was created');
  const reset = ['reset-password', '--email', 'ana@example.com', '--database', database.url, '--data', folder];
  t.match(await vp(reset), { code: 2, stderr: /ana@example\.com/ });
});
