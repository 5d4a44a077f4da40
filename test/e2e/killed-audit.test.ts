/** Every command on a folder whose control plane was killed right after it had answered calls of a hub has all of them. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { closeConnections } from '../bench/hub-raw-call.ts';
import { eventually } from '../eventually.ts';
import { skipWithoutPostgres } from '../postgres/programs.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import { countCallRows, countRecentLines, killRightAfterCalls, startAuditedPlane } from './killed-audit-fixture.ts';
import { listeningUrl, type Sandbox, sandboxTest } from './sandbox.ts';

t.teardown(closeConnections);

const intact = /^✓ acme: \d+ entries, 1 to \d+; chain end acme@\d+:[0-9a-f]{64}\n$/;

/** Restores a backup elsewhere; gives the rows of calls there. */
async function countRestoredCalls(sandbox: Sandbox, backup: string, keyFile: string): Promise<number> {
  const folder = `${backup}-restored`;
  mkdirSync(folder);
  copyFileSync(keyFile, join(folder, 'master.key'));
  const restored = await sandbox.run(['restore', backup, '--data', folder]);
  if (restored.code !== 0 || restored.stderr !== '') throw new Error(restored.stderr);
  const verified = await sandbox.run(['audit', 'verify', '--data', folder]);
  if (verified.code !== 0) throw new Error(verified.stdout);
  return countCallRows(join(folder, 'audit.db'));
}

sandboxTest('after a kill every command has the calls that were answered', async (t, sandbox) => {
  const plane = await startAuditedPlane(t, sandbox);
  const { copy, lines } = await killRightAfterCalls(plane);
  t.equal(countCallRows(join(plane.data, 'audit.db')), plane.answered - lines, `${lines} calls are in the file alone`);
  const hasAll = (t: Test, folder: string): void => {
    t.equal(countCallRows(join(folder, 'audit.db')), plane.answered);
    t.equal(countRecentLines(folder), 0);
  };

  await t.test('vp audit verify', async (t) => {
    const folder = copy();
    for (let time = 1; time <= 2; time += 1)
      t.match(await sandbox.run(['audit', 'verify', '--data', folder]), { code: 0, stdout: intact, stderr: '' });
    hasAll(t, folder);
  });

  await t.test('two of them at once', async (t) => {
    const folder = copy();
    const verify = () => sandbox.run(['audit', 'verify', '--data', folder]);
    for (const result of await Promise.all([verify(), verify()]))
      t.match(result, { code: 0, stdout: intact, stderr: '' });
    hasAll(t, folder);
  });

  const backup = join(sandbox.folder, 'backup.db');
  await t.test('vp backup, and vp restore elsewhere', async (t) => {
    const folder = copy();
    t.match(await sandbox.run(['backup', backup, '--data', folder]), { code: 0, stderr: '' });
    t.equal(await countRestoredCalls(sandbox, backup, join(folder, 'master.key')), plane.answered);
    hasAll(t, folder);
  });

  await t.test('vp restore over it keeps the replaced audit with its calls', async (t) => {
    const folder = copy();
    const { code, stdout, stderr } = await sandbox.run(['restore', backup, '--data', folder]);
    t.match({ code, stderr }, { code: 0, stderr: '' });
    const [, replaced = ''] = /audit of hubs that was replaced is kept as (\S+)/.exec(stdout) ?? [];
    t.equal(countCallRows(replaced), plane.answered, stdout);
    hasAll(t, folder);
    t.match(await sandbox.run(['audit', 'verify', '--data', folder]), { code: 0, stdout: intact, stderr: '' });
  });

  await t.test('the next vp serve', async (t) => {
    const folder = copy();
    const running = sandbox.vp(['serve', '--json', '--port', '0', '--data', folder]);
    await listeningUrl(running);
    t.equal(countCallRows(join(folder, 'audit.db')), plane.answered);
    const verified = await sandbox.run(['audit', 'verify', '--data', folder]);
    t.match(verified, { code: 0, stdout: intact, stderr: '' }, 'while it runs');
    running.signal('SIGTERM');
    const { code, stderr } = await running.ended;
    t.equal(code, 0);
    t.notMatch(stderr, /AUDIT_/);
    t.notOk(existsSync(join(folder, 'audit.recent')));
    hasAll(t, folder);
  });

  await t.test('without the master key a backup is made and says what it lacks', async (t) => {
    const folder = copy();
    const key = join(folder, 'master.key');
    const elsewhere = join(sandbox.folder, 'key');
    renameSync(key, elsewhere);
    const partial = join(sandbox.folder, 'partial.db');
    const pending =
      /^warning AUDIT_CALLS_PENDING: calls that the audit has recorded are not in its tables yet: .*\n {2}`vp serve` on the folder adds them .*\n$/;
    t.match(await sandbox.run(['backup', partial, '--data', folder]), { code: 0, stderr: pending });
    t.equal(countRecentLines(folder), lines, 'the calls stay where they are');
    t.equal(await countRestoredCalls(sandbox, partial, elsewhere), plane.answered - lines);
    t.match(await sandbox.run(['audit', 'verify', '--data', folder]), {
      code: 4,
      stderr: /^warning AUDIT_CALLS_PENDING: calls that .*STORE_KEY_MISSING/s,
    });
    t.equal(countRecentLines(folder), lines);
    renameSync(elsewhere, key);
    t.match(await sandbox.run(['audit', 'verify', '--data', folder]), { code: 0, stdout: intact, stderr: '' });
    hasAll(t, folder);
  });

  if (skipWithoutPostgres === false)
    await t.test('vp move refuses to leave calls behind', async (t) => {
      const folder = copy();
      const { url } = await createTestDatabase(t);
      const writer = new Sqlite(join(folder, 'audit.db'));
      writer.exec('BEGIN IMMEDIATE');
      const refused = await sandbox.run(['move', '--to', url, '--data', folder]);
      writer.exec('ROLLBACK');
      writer.close();
      t.not(refused.code, 0, refused.stdout);
      t.equal(countRecentLines(folder), lines);
      t.match(await sandbox.run(['move', '--to', url, '--data', folder]), { code: 0, stderr: '' });
      hasAll(t, folder);
    });

  if (skipWithoutPostgres === false)
    await t.test('vp move to PostgreSQL and back', async (t) => {
      const folder = copy();
      const { url } = await createTestDatabase(t);
      const { code, stdout, stderr } = await sandbox.run(['move', '--to', url, '--data', folder]);
      t.match({ code, stderr }, { code: 0, stderr: '' });
      t.match(stdout, /verified the audit of 1 hubs: \d+ entries/);
      hasAll(t, folder);
      const back = `${folder}-back`;
      mkdirSync(back);
      copyFileSync(join(folder, 'master.key'), join(back, 'master.key'));
      t.match(await sandbox.run(['move', '--from', url, '--data', back]), { code: 0, stderr: '' });
      hasAll(t, back);
    });
});

sandboxTest(
  'commands beside a control plane under load have what was answered before they began',
  async (t, sandbox) => {
    const plane = await startAuditedPlane(t, sandbox);
    let isOver = false;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) await plane.call();
    });
    // The kill ends it.
    const loaded = Promise.allSettled(load);
    const run = async (args: readonly string[]) => {
      const before = plane.answered;
      const result = await sandbox.run([...args, '--data', plane.data]);
      return { ...result, before };
    };
    for (let round = 1; round <= 3; round += 1) {
      const { before: atVerify, ...verified } = await run(['audit', 'verify', '--json']);
      t.match(verified, { code: 0, stderr: '' });
      const { chains } = JSON.parse(verified.stdout);
      t.ok(chains[0].entries >= atVerify, `${chains[0].entries} entries, ${atVerify} answered`);
      const backup = join(sandbox.folder, `backup-${round}.db`);
      const { before, code, stderr } = await run(['backup', backup]);
      t.match({ code, stderr }, { code: 0, stderr: '' });
      const rows = await countRestoredCalls(sandbox, backup, join(plane.data, 'master.key'));
      t.ok(rows >= before, `${rows} rows, ${before} answered`);
    }
    await plane.running.kill();
    isOver = true;
    await loaded;
    t.match(await sandbox.run(['audit', 'verify', '--data', plane.data]), { code: 0, stdout: intact, stderr: '' });
    const rows = countCallRows(join(plane.data, 'audit.db'));
    t.ok(rows >= plane.answered && rows <= plane.answered + 4, `${rows} rows, ${plane.answered} answered`);
    t.same(
      readdirSync(plane.data).filter((name) => name.startsWith('audit.recent')),
      [],
    );
  },
);

sandboxTest(
  'a command leaves the calls to a control plane that runs, also where its lock was removed',
  async (t, sandbox) => {
    const plane = await startAuditedPlane(t, sandbox);
    for (const name of readdirSync(plane.data)) if (/^control\.(lock|pid)/.test(name)) rmSync(join(plane.data, name));
    let isOver = false;
    const loaded = (async () => {
      while (!isOver) await plane.call();
    })().catch(() => undefined);
    for (let count = 0; count < 8; count += 1)
      t.match(await sandbox.run(['audit', 'verify', '--data', plane.data]), { code: 0, stderr: '' });
    await plane.running.kill();
    isOver = true;
    await loaded;
    t.match(await sandbox.run(['audit', 'verify', '--data', plane.data]), { code: 0, stdout: intact, stderr: '' });
    const rows = countCallRows(join(plane.data, 'audit.db'));
    t.ok(rows >= plane.answered && rows <= plane.answered + 1, `${rows} rows, ${plane.answered} answered`);
  },
);

sandboxTest('a control plane that is stopped under load leaves no answered call out', async (t, sandbox) => {
  const plane = await startAuditedPlane(t, sandbox);
  let { running } = plane;
  for (let round = 1; round <= 3; round += 1) {
    const load = Array.from({ length: 8 }, async () => {
      for (;;) await plane.call();
    });
    const loaded = Promise.allSettled(load);
    await eventually(() => plane.answered >= round * 200, { description: 'calls are answered' });
    running.signal('SIGTERM');
    const { code, stderr } = await running.ended;
    t.equal(code, 0);
    t.notMatch(stderr, /AUDIT_|STORE_/);
    await loaded;
    running = await plane.serve();
  }
  await running.kill();
  t.match(await sandbox.run(['audit', 'verify', '--data', plane.data]), { code: 0, stdout: intact, stderr: '' });
  const rows = countCallRows(join(plane.data, 'audit.db'));
  t.ok(rows >= plane.answered && rows <= plane.answered + 3 * 8, `${rows} rows, ${plane.answered} answered`);
});
