/** `vp instances …`, on a real control plane. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { json } from '../targets/http-target.ts';
import { type Plane, plane } from './plane.ts';
import { target, type Workspace, workspace } from './workspace.ts';

async function fresh(t: Test): Promise<{ here: Workspace; there: Plane }> {
  const here = workspace(t, 'http://127.0.0.1:9');
  return { here, there: await plane(t, here) };
}

/** A person at a terminal who types `text`. */
function typing(text: string): Readable {
  return Object.assign(Readable.from([text]), { isTTY: true });
}

t.test('an instance is registered, and its key is shown once with what to do next', async (t) => {
  const { there } = await fresh(t);
  t.match(await there.vp(['instances']), { code: 0, stdout: /no instance is registered; .*create/ });
  const { code, stdout } = await there.vp(['instances', 'create', 'shop']);
  t.equal(code, 0);
  const key = /executor key {2}(vpe_\S+)/.exec(stdout)?.[1] ?? '';
  t.match(stdout, `vp executor --key-file shop.key --control-plane ${there.url} --product-dir <folder>`);
  t.match(stdout, `vp instances rotate-key shop --key-file shop.key --control-plane ${there.url}`);
  t.equal(stdout.split(key).length, 2, 'no line to paste has the key in it');
  t.match(await there.control.authenticate(key), { kind: 'executor', instance: 'shop' });
  t.match((await there.vp(['instances'])).stdout, /^INSTANCE +EXECUTOR +QUEUED .*\nshop +NEVER_SEEN +0 .*never\n$/);
});

t.test('a key can go to a file that only its user may read', async (t) => {
  const { here, there } = await fresh(t);
  const { stdout } = await there.vp([
    'instances',
    'create',
    'shop',
    '--key-file',
    'keys/shop.key',
    '--executor-port',
    '8770',
  ]);
  t.notMatch(stdout, 'vpe_');
  t.match(stdout, 'vp executor --key-file keys/shop.key');
  const file = join(here.folder, 'keys/shop.key');
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(await there.control.authenticate(readFileSync(file, 'utf8').trim()), { instance: 'shop' });
  t.equal((await there.control.instances.get('shop')).executor_port, 8770);
});

t.test('a taken id is told with one that is free, a wrong one with the rules', async (t) => {
  const { there } = await fresh(t);
  await there.register('shop');
  t.match(await there.vp(['instances', 'create', 'shop']), { code: 2, stderr: /INSTANCE_ID_TAKEN[\s\S]*use shop-v1/ });
  t.match(await there.vp(['instances', 'create', 'Shop!']), { code: 2, stderr: /INSTANCE_ID_INVALID[\s\S]*22/ });
  t.match(await there.vp(['instances', 'create', 'b', '--executor-port', '80']), {
    code: 2,
    stderr: 'REQUEST_INVALID',
  });
  const asJson = await there.vp(['instances', 'create', 'other', '--json']);
  t.match(JSON.parse(asJson.stdout), { instance: { instance_id: 'other' }, executor_key: /^vpe_/, key_file: null });
});

t.test('an instance is told whole', async (t) => {
  const { there } = await fresh(t);
  const { origin } = await target(t, json({}));
  await there.register('shop', 8771);
  t.match(
    (await there.vp(['instances', 'show', 'shop'])).stdout,
    /^shop\n {2}executor +NEVER_SEEN\n[\s\S]*target +not known yet/,
  );
  await there.execute('shop', origin);
  while ((await there.control.instances.get('shop')).target === null)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const { stdout } = await there.vp(['instances', 'show', 'shop']);
  t.match(stdout, /executor +REGISTERED\n[\s\S]*port +8771\n/);
  t.match(stdout, new RegExp(`target +${origin}\n`));
  t.match(JSON.parse((await there.vp(['instances', 'show', 'shop', '--json'])).stdout), {
    instance: { target: origin },
  });
  t.match(JSON.parse((await there.vp(['instances', '--json'])).stdout), {
    instances: [{ executor_status: 'REGISTERED' }],
  });
  t.match(await there.vp(['instances', 'show', 'shp']), { code: 2, stderr: /INSTANCE_UNKNOWN/ });
});

t.test('a new key ends the old one', async (t) => {
  const { here, there } = await fresh(t);
  const created = JSON.parse((await there.vp(['instances', 'create', 'shop', '--json'])).stdout);
  const { stdout } = await there.vp(['instances', 'rotate-key', 'shop']);
  const key = /executor key {2}(vpe_\S+)/.exec(stdout)?.[1] ?? '';
  t.equal(await there.control.authenticate(created.executor_key), undefined);
  t.match(await there.control.authenticate(key), { instance: 'shop' });
  await there.vp(['instances', 'rotate-key', 'shop', '--key-file', 'k']);
  t.match(await there.control.authenticate(readFileSync(join(here.folder, 'k'), 'utf8').trim()), { instance: 'shop' });
});

t.test('an instance is removed only by somebody who means it', async (t) => {
  const { there } = await fresh(t);
  await there.register('shop');
  const remove = ['instances', 'remove', 'shop'];
  const unattended = await there.vp(remove, { stdin: new PassThrough() });
  t.match(unattended, { code: 2, stderr: /INSTANCE_REMOVAL_UNCONFIRMED[\s\S]*--yes/ });
  t.match(await there.vp(remove, { stdin: typing('shp\n') }), { code: 2, stderr: 'the id was not typed' });
  t.match(await there.vp(remove, { stdin: typing('') }), { code: 2, stderr: 'the id was not typed' });
  t.equal((await there.control.instances.list()).length, 1);
  const removed = await there.vp(remove, { stdin: typing('shop\n') });
  t.match(removed, { code: 0, stdout: 'instance shop is removed\n', stderr: /Type the id to go on: $/ });
  await there.register('other');
  t.match(await there.vp(['instances', 'remove', 'other', '--yes', '--json']), {
    code: 0,
    stdout: '{"removed":"other"}\n',
  });
  t.match(await there.vp(['instances', 'remove', 'other', '-y']), { code: 2, stderr: 'INSTANCE_UNKNOWN' });
});
