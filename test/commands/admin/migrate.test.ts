/** `vp migrate`: what it says before, does, and says afterwards. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import { controlStoreKind } from '../../../src/store/control/schema/control-schema.ts';
import { nativeAddonOptions } from '../../../src/store/sqlite/native-addon.ts';
import { createWorkspace } from '../test-workspace.ts';
import { variables } from './filled-folder.ts';

const newest = controlStoreKind.migrations.length;

/** A store as the version before the last step left it. */
function createOlderStore(folder: string, steps = newest - 1): string {
  const file = join(folder, 'control.db');
  const sqlite = new Sqlite(file, nativeAddonOptions());
  for (const migration of controlStoreKind.migrations.slice(0, steps)) sqlite.exec(migration);
  sqlite.pragma(`application_id = ${controlStoreKind.applicationId}`);
  sqlite.pragma(`user_version = ${steps}`);
  sqlite.close();
  return file;
}

function startMigration(t: Test) {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9');
  const vp = (...args: readonly string[]) => workspace.vp(['migrate', ...args], { variables });
  return { folder: workspace.folder, vp };
}

t.test('a check says how many steps a folder needs, changes nothing, and ends with 1', async (t) => {
  const { folder, vp } = startMigration(t);
  const file = createOlderStore(folder);
  t.match(await vp('--check', '--data', folder), {
    code: 1,
    stdout: `the store: version ${newest - 1}, 1 step to ${newest}`,
  });
  t.notOk(existsSync(`${file}.before-${newest}`));
  t.match(await vp('--data', folder), { code: 0, stdout: new RegExp(`version ${newest}, 1 step taken[^]*vp serve`) });
  t.match(await vp('--data', folder), { code: 0, stdout: new RegExp(`version ${newest}, nothing to do[^]*vp serve`) });
  t.ok(existsSync(`${file}.before-${newest}`), 'the file is copied before it changes');
  const again = await vp('--check', '--data', folder, '--json');
  t.match(again, { code: 0 });
  t.match(JSON.parse(again.stdout), {
    stores: [{ store: 'control', version: newest, newest }],
    steps_needed: false,
    migrated: false,
  });
});

t.test('a store of a newer version, another file and an empty folder are refused', async (t) => {
  const { folder, vp } = startMigration(t);
  t.match(await vp('--check', '--data', folder), { stderr: /STORE_ABSENT/ });
  const file = createOlderStore(folder);
  const sqlite = new Sqlite(file, nativeAddonOptions());
  sqlite.pragma(`user_version = ${newest + 1}`);
  sqlite.close();
  for (const args of [['--check'], []]) t.match(await vp(...args, '--data', folder), { stderr: /STORE_NEWER/ });
  rmSync(file);
  new Sqlite(file, nativeAddonOptions()).exec('CREATE TABLE notes (id)').close();
  t.match(await vp('--check', '--data', folder), { stderr: /STORE_FOREIGN/ });
});
