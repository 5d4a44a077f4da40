/** What an operator with SQL access to a control plane on PostgreSQL can do to the audit, and that `vp audit verify` notices it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { createChainKeys, openAudit, unsealAuditKey } from '../../../src/hub/audit/audit-log.ts';
import { readAuditMeta } from '../../../src/store/audit/chains.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../../src/store/postgres/stores.ts';
import { createWorkspace } from '../../commands/test-workspace.ts';
import { skipWithoutPostgres as skip } from '../../postgres/programs.ts';
import { createTemplate, createTestDatabase } from '../../postgres/test-database.ts';
import { createEntry, createPrincipal, masterKey, rechainEntries } from './test-audit.ts';

async function openStores(url: string) {
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const stores = await openPostgresStores({ settings, clock: systemClock, maxConnections: 4 });
  const close = async (): Promise<void> => {
    await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
    await stores.close();
  };
  return { ...stores, close };
}

/** `count` calls of Ana and Max in the hub `acme`, and one in `beta`. */
async function record(url: string, folder: string, count: number, mayBeLost = false): Promise<void> {
  const { control, audit: database, close } = await openStores(url);
  const audit = await openAudit({
    ...{ folder, masterKey, clock: systemClock, random: systemRandom, database, settings: { minFreeBytes: 0 } },
    anchors: { database: control.database, mayBeLost },
    onError: (error) => t.fail(String(error)),
  });
  for (let index = 0; index < count; index += 1)
    await audit.record(
      createEntry({ principal: createPrincipal('acme', index % 2 === 0 ? 'Ana' : 'Max'), atMs: Date.now() }),
    );
  await audit.record(createEntry({ principal: createPrincipal('beta'), atMs: Date.now() }));
  await audit.close();
  await close();
}

let template: Promise<string> | undefined;

/** A database with six calls, a statement about them, and the commands that look at it. */
async function openRecorded(t: Test) {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const folder = join(workspace.folder, 'data');
  mkdirSync(folder);
  writeFileSync(join(folder, 'master.key'), Buffer.from(masterKey.bytes).toString('base64'), { mode: 0o600 });
  template ??= createTemplate((url) => record(url, folder, 6));
  const { url, query } = await createTestDatabase(t, { template: await template });
  const urlFile = join(folder, 'database');
  writeFileSync(urlFile, url, { mode: 0o600 });
  const vp = (...args: string[]) =>
    workspace.vp(['audit', ...args, '--data', folder, '--database-file', urlFile], { clock: systemClock });
  const anchors = join(folder, 'anchors.jsonl');
  writeFileSync(anchors, (await vp('anchor')).stdout);
  return { folder, url, query, anchors, verify: (...args: string[]) => vp('verify', ...args) };
}

t.test('an unchanged audit on PostgreSQL verifies, and agrees with its statement', { skip }, async (t) => {
  const { verify, anchors } = await openRecorded(t);
  t.match(await verify('--anchors', anchors), { code: 0, stdout: /✓ acme: 6 entries.*\n✓ beta: 1 entry/ });
});

const attacks: readonly { readonly name: string; readonly sql: string; readonly problem: RegExp }[] = [
  {
    name: 'a call is deleted',
    sql: `DELETE FROM vp_audit.arguments WHERE entry IN (SELECT id FROM vp_audit.entries WHERE seq = 3);
      DELETE FROM vp_audit.entries WHERE seq = 3`,
    problem: /✕ removed 3: entry 3 is missing/,
  },
  {
    name: 'the newest calls are deleted, and the end of the chain is moved',
    sql: `DELETE FROM vp_audit.arguments WHERE entry IN (SELECT id FROM vp_audit.entries WHERE seq > 4);
      DELETE FROM vp_audit.entries WHERE seq > 4; DELETE FROM vp_audit.checkpoints;
      UPDATE vp_audit.chains SET head_seq = 4, head_mac = (SELECT mac FROM vp_audit.entries e WHERE e.hub = chains.hub AND seq = 4)
        WHERE hub_id = 'id-of-acme'`,
    problem: /✕ seal: the beginning or end of the chain was altered/,
  },
  {
    name: 'a call is changed',
    sql: `UPDATE vp_audit.entries SET body = replace(body, 'create', 'delete') WHERE seq = 2`,
    problem: /✕ altered 2: it was changed/,
  },
  {
    name: 'arguments are deleted',
    sql: 'DELETE FROM vp_audit.arguments',
    problem: /✕ erased 1: its arguments were removed, and not by retention/,
  },
  {
    name: 'a chain is removed with its rows',
    sql: `DELETE FROM vp_audit.arguments; DELETE FROM vp_audit.entries;
      DELETE FROM vp_audit.checkpoints; DELETE FROM vp_audit.chains WHERE hub_id = 'id-of-acme'`,
    problem: /✕ missing 6: the chain is missing, although the control plane has noted entry 6/,
  },
  {
    name: 'a chain is removed, and its rows are not',
    sql: `DELETE FROM vp_audit.checkpoints; DELETE FROM vp_audit.chains WHERE hub_id = 'id-of-acme'`,
    problem: /✕ orphaned: there are entries without a chain/,
  },
  {
    name: 'all tables are emptied',
    sql: 'TRUNCATE vp_audit.arguments, vp_audit.entries, vp_audit.checkpoints, vp_audit.chains',
    problem: /✕ missing 6: the chain is missing/,
  },
];

for (const { name, sql, problem } of attacks)
  t.test(`on PostgreSQL, ${name}`, { skip }, async (t) => {
    const { query, verify, anchors } = await openRecorded(t);
    await query(sql);
    t.match(await verify(), { code: 1, stdout: problem });
    t.equal((await verify('--anchors', anchors)).code, 1);
  });

const hideThird = `CREATE FUNCTION public.hide() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`;

/** Ways to change what is stored or found below entries that are as they were. */
const foreignObjects: readonly { readonly name: string; readonly sql: string; readonly problem: RegExp }[] = [
  {
    name: 'a trigger',
    sql: `${hideThird}; CREATE TRIGGER hide BEFORE INSERT ON vp_audit.arguments FOR EACH ROW EXECUTE FUNCTION public.hide()`,
    problem: /the trigger `hide` on `arguments` is not one of vp/,
  },
  {
    name: 'a trigger on what knows the ends',
    sql: `${hideThird}; CREATE TRIGGER hide BEFORE UPDATE ON vp_control.audit_anchors FOR EACH ROW EXECUTE FUNCTION public.hide()`,
    problem: /the trigger `hide` on `audit_anchors` is not one of vp/,
  },
  {
    name: 'a rule',
    sql: 'CREATE RULE nothing AS ON INSERT TO vp_audit.open_intents DO INSTEAD NOTHING',
    problem: /the rule `nothing` on `open_intents` is not one of vp/,
  },
  {
    name: 'a policy',
    sql: `CREATE POLICY most ON vp_audit.entries USING (seq <> 3); ALTER TABLE vp_audit.entries ENABLE ROW LEVEL SECURITY`,
    problem: /the policy `most` on `entries`[\s\S]*the row security `entries` on `entries` is not one of vp/,
  },
  {
    name: 'a view in place of a table',
    sql: `ALTER TABLE vp_audit.entries SET SCHEMA public; CREATE VIEW vp_audit.entries AS SELECT * FROM public.entries`,
    problem: /the view `entries` on `entries` is not one of vp/,
  },
  {
    name: 'a view beside the tables',
    sql: 'CREATE VIEW vp_audit.calls AS SELECT * FROM vp_audit.entries',
    problem: /the view `calls` on `calls` is not one of vp/,
  },
  {
    name: 'a table that inherits',
    sql: 'CREATE TABLE public.more () INHERITS (vp_audit.checkpoints)',
    problem: /the inheriting table `(public\.)?more` on `checkpoints` is not one of vp/,
  },
  {
    name: 'a table whose rows a crash removes',
    sql: 'ALTER TABLE vp_audit.open_intents SET UNLOGGED',
    problem: /the table `open_intents` on `open_intents` is not one of vp/,
  },
  {
    name: 'a function that stands for another',
    sql: `CREATE FUNCTION vp_audit.length(text) RETURNS int LANGUAGE sql AS 'SELECT 0'`,
    problem: /the function `length` on `length` is not one of vp/,
  },
];

for (const { name, sql, problem } of foreignObjects)
  t.test(`on PostgreSQL, ${name} on the tables of the audit is reported`, { skip }, async (t) => {
    const { query, verify } = await openRecorded(t);
    await query(sql);
    const { code, stdout } = await verify();
    t.match(stdout, /✕ schema: the /);
    t.match(stdout, problem);
    t.equal(code, 1);
  });

const auditTables = ['chains', 'checkpoints', 'entries', 'arguments'];

function copyTables(from: string, to: string): string {
  return auditTables.map((table) => `CREATE TABLE ${to}${table} AS TABLE ${from}${table}`).join('; ');
}

/** The audit as it was when it had six calls. */
function restoreTables(from: string): string {
  const inserts = auditTables.map((table) => `INSERT INTO vp_audit.${table} SELECT * FROM ${from}${table}`);
  return `TRUNCATE ${auditTables.map((table) => `vp_audit.${table}`).join(', ')}; ${inserts.join('; ')}`;
}

t.test('on PostgreSQL, an older dump of the audit is restored, and written on', { skip }, async (t) => {
  const { query, verify, url, folder } = await openRecorded(t);
  await query(`CREATE SCHEMA dump; ${copyTables('vp_audit.', 'dump.')}`);
  await record(url, folder, 3);
  t.equal((await verify()).code, 0);
  await query(restoreTables('dump.'));
  t.match(await verify(), {
    code: 1,
    stdout: /✕ older 9: it ends with entry 6, although the control plane has noted entry 9/,
  });
  await t.rejects(record(url, folder, 0), { code: 'AUDIT_LOST' }, 'the control plane does not start on it');
});

t.test('on PostgreSQL, the whole database is restored from an older dump', { skip }, async (t) => {
  const { url, folder, verify, anchors } = await openRecorded(t);
  const newer = await createTestDatabase(t, { template: (await template) ?? '' });
  await record(newer.url, folder, 3);
  writeFileSync(join(folder, 'database'), newer.url);
  const stated = await verify('--anchors', anchors);
  t.equal(stated.code, 0, 'the statement of the older audit holds for the newer one');
  const { stdout } = await createWorkspace(t, 'http://127.0.0.1:9', {}, join(folder, '..')).vp(
    ['audit', 'anchor', '--data', folder, '--database-file', join(folder, 'database')],
    { clock: systemClock },
  );
  writeFileSync(anchors, stdout);
  writeFileSync(join(folder, 'database'), url);
  t.equal((await verify()).code, 0, 'the database agrees with itself');
  t.match(await verify('--anchors', anchors), {
    code: 1,
    stdout: /✕ older 9: it ends with entry 6, although the statement/,
  });
});

t.test(
  'on PostgreSQL, calls are removed and chained again with the master key, and the notes with them',
  { skip },
  async (t) => {
    const { query, verify, url, folder, anchors } = await openRecorded(t);
    const ofMax = `SELECT id FROM vp_audit.entries WHERE body LIKE '%id-of-Max%'`;
    await query(
      `DELETE FROM vp_audit.arguments WHERE entry IN (${ofMax}); DELETE FROM vp_audit.entries WHERE id IN (${ofMax})`,
    );
    const { audit, close } = await openStores(url);
    const sealed = await audit.read((sql) => readAuditMeta(sql, 'key'));
    const keys = createChainKeys(unsealAuditKey(masterKey, sealed ?? new Uint8Array(), folder));
    await audit.writeDurably((sql) => rechainEntries(sql, keys));
    await close();
    t.match(await verify(), { code: 1, stdout: /✕ older 6/ }, 'the control plane has noted more');
    await query('DELETE FROM vp_control.audit_anchors');
    t.equal((await verify()).code, 0, 'without the notes nothing else contradicts it');
    t.match(await verify('--anchors', anchors), {
      code: 1,
      stdout: /✕ older 6: it ends with entry 3, although the statement/,
    });
  },
);
