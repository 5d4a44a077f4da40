/** The page Settings, System: on SQLite, and on PostgreSQL with two replicas of which one is killed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findActiveReplica, ReplicaSet } from '../e2e/replicas-rig.ts';
import { createOwnerClient, sandboxTest } from '../e2e/sandbox.ts';
import { eventually } from '../eventually.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import { findAppearanceProblems } from './appearances.ts';
import { browserTest, createOwner, instance } from './browser-test.ts';
import { openChromium } from './chromium.ts';

const path = '/settings/system';

browserTest('the store of a single process is named', async (t, { owner }) => {
  const page = await owner();
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'System', exact: true }).click();
  await page.getByText('SQLite, in the data folder of this one process').waitFor();
  t.same(await findAppearanceProblems(page, path, '.facts-list'), []);
});

sandboxTest('replicas are listed, and a killed one disappears while the page is open', async (t, sandbox) => {
  const database = await createTestDatabase(t);
  const set = new ReplicaSet(sandbox, database.url);
  const replicas = [await set.start(), await set.start()];
  const active = await findActiveReplica(replicas);
  const standby = replicas.find((replica) => replica !== active);
  await active.running.waitForOutput(/"event":"active"/);
  const client = createOwnerClient({ url: active.url, data: active.data });
  await client.instances.create({ instance_id: instance });
  // The active replica looks for the others every second.
  await eventually(async () => (await client.system.get()).replication?.replicas.length === 2);
  const system = await sandbox.vp(['system', '--control-plane', standby?.url ?? ''], {
    variables: { VP_TOKEN: readFileSync(join(active.data, 'owner.key'), 'utf8').trim() },
  }).ended;
  t.match(system.stdout, /store +PostgreSQL 1\d.*\n.*connections.*\n +notices +(hint|polling): .*\n +active /);
  t.match(system.stdout, new RegExp(`${active.id} +active .*${active.url}`));
  t.match(system.stdout, new RegExp(`${standby?.id} +standby .*${standby?.url}`));
  const browser = await openChromium();
  t.teardown(() => browser.close());
  const context = await browser.newContext({ baseURL: standby?.url ?? '', viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await createOwner(page, active.data, standby?.url);
  t.same(await findAppearanceProblems(page, path, 'tbody tr >> nth=1'), []);
  await page.getByRole('row', { name: `${active.id} active` }).waitFor();
  await page.getByRole('row', { name: `${standby?.id} standby` }).waitFor();
  await page.getByText(/hint: what other processes commit/).waitFor();
  await active.running.kill();
  await page.getByRole('row', { name: `${standby?.id} active` }).waitFor();
  await page.getByRole('row', { name: active.id }).waitFor({ state: 'detached' });
  await page.getByText('There is no replica that could take over.').waitFor();
  t.same(await findAppearanceProblems(page, path, 'tbody tr'), []);
});
