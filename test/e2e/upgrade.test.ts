/**
 * An upgrade from 0.4.0 with an instance in place: stores of a control plane and of an executor that 0.4.0 has written, with an
 * account, an API key, a hub, two scenarios and their runs (one passed, one failed).
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createClient } from '../../src/client/client.ts';
import { eventually } from '../eventually.ts';
import { respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { type Sandbox, sandboxTest } from './sandbox.ts';

const stored = resolve('test/e2e/upgrade-from-0.4.0');
/** Of that store only, for an account on a machine that no longer exists. */
const apiKey = 'vpk_fsUZDox5rY3HGe3UZi_Ylmf7m-kpwW0QWlCTaZId53w';

function unpack(sandbox: Sandbox, name: string): string {
  const folder = join(sandbox.folder, name);
  mkdirSync(folder, { mode: 0o700 });
  unpackInto(folder, name);
  return folder;
}

function unpackInto(folder: string, name: string): void {
  for (const file of readdirSync(join(stored, name)))
    writeFileSync(join(folder, file.replace(/\.gz$/, '')), gunzipSync(readFileSync(join(stored, name, file))), {
      mode: 0o600,
    });
}

sandboxTest('stores of 0.4.0 keep everything, and their executor goes on', async (t, sandbox) => {
  const plane = await sandbox.serve(unpack(sandbox, 'data'));
  const client = createClient({ baseUrl: plane.url, token: apiKey, fetch: (url, init) => fetch(url, init) });

  const before = await client.runs.list({ instance: 'shop' });
  t.same(
    before.items.map(({ scenario_id, state }) => [scenario_id, state]),
    [
      ['RT-GET-carts', 'failed'],
      ['RT-GET-items', 'passed'],
    ],
  );
  t.match(await client.instances.list(), [{ instance_id: 'shop', executor_status: 'AWAY' }]);
  t.match(await client.scenarios.listAll('shop'), [{ scenario_id: 'RT-GET-carts' }, { scenario_id: 'RT-GET-items' }]);
  t.match(await client.hubs.list(), [{ slug: 'team' }]);

  const target = await startHttpTarget(respondWithJson({ data: [1], count: 4 }));
  t.teardown(() => target.close());
  sandbox.write(
    'product/platform-config.yaml',
    `project: {name: shop}\ntargets: {http: {base_url: "${target.origin}"}}\n`,
  );
  const folder = unpack(sandbox, 'executor');
  const connection = ['--control-plane', plane.url];
  sandbox.vp([
    'executor',
    '--key-file',
    join(folder, 'shop.key'),
    '--product-dir',
    'product',
    '--data',
    folder,
    '--port',
    '0',
    ...connection,
  ]);
  await eventually(async () => (await client.instances.get('shop')).executor_status === 'REGISTERED');
  const variables = { VP_TOKEN: apiKey };
  const run = await sandbox.run(['run', '--instance', 'shop', 'RT-GET-carts', ...connection], { variables });
  t.match(run, { code: 0, stdout: /✓ RT-GET-carts/ });
  const after = await client.runs.list({ instance: 'shop' });
  t.equal(after.items.length, 3);

  t.match(await sandbox.run(['backup', 'copy.db', '--data', plane.data]), { code: 0 });
  t.match(
    await sandbox.run(['scenarios', 'rename', 'RT-GET-carts', 'RT-GET-basket', '--instance', 'shop', ...connection], {
      variables,
    }),
    { code: 0 },
  );
  t.match(await client.scenarios.listAll('shop'), [{ scenario_id: 'RT-GET-basket' }, { scenario_id: 'RT-GET-items' }]);
});

sandboxTest('who goes back to 0.4.0 and upgrades again says once that it was meant', async (t, sandbox) => {
  const data = unpack(sandbox, 'data');
  const check = ['migrate', '--check', '--data', data];
  t.match(await sandbox.run(['backup', 'before.db', '--data', data]), { code: 0 });
  t.match(await sandbox.run(check), { code: 1, stdout: /steps to/ });
  const upgraded = await sandbox.serve(data);
  t.match(await sandbox.run(check), { code: 0, stdout: /nothing to do/ });
  upgraded.running.signal('SIGTERM');
  await upgraded.running.ended;

  // As the older `vp restore` does, which knows nothing of the notes of how far each store has come.
  for (const file of readdirSync(data)) if (/^(control|memory|audit)\.db/.test(file)) rmSync(join(data, file));
  unpackInto(data, 'data');
  const refused = await sandbox.run(['serve', '--port', '0', '--data', data]);
  t.match(refused, { code: 4, stderr: /STORE_WENT_BACK[\s\S]*vp accept-loss/ });
  t.match(await sandbox.run(['accept-loss', '--data', data]), { code: 0, stdout: /accepted: / });
  const { url } = await sandbox.serve(data);
  const client = createClient({ baseUrl: url, token: apiKey, fetch: (url, init) => fetch(url, init) });
  t.equal((await client.runs.list({ instance: 'shop' })).items.length, 2);
});
