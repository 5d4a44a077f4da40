/** `vp instances …`, on a real control plane. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane, type TestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, startTarget, type Workspace } from '../test-workspace.ts';

async function startFresh(t: Test): Promise<{ testWorkspace: Workspace; controlPlane: TestControlPlane }> {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  return { testWorkspace, controlPlane: await startTestControlPlane(t, testWorkspace) };
}

/** Terminal input with the line `text`. */
function createTerminalInput(text: string): Readable {
  return Object.assign(Readable.from([text]), { isTTY: true });
}

t.test('an instance is registered, and its key is shown once with what to do next', async (t) => {
  const { controlPlane } = await startFresh(t);
  t.match(await controlPlane.vp(['instances']), { code: 0, stdout: /no instance is registered; .*create/ });
  const { code, stdout } = await controlPlane.vp(['instances', 'create', 'shop']);
  t.equal(code, 0);
  const key = /executor key {2}(vpe_\S+)/.exec(stdout)?.[1] ?? '';
  t.match(stdout, `vp executor --key-file shop.key --control-plane ${controlPlane.url} --product-dir <folder>`);
  t.match(stdout, `vp instances rotate-key shop --key-file shop.key --control-plane ${controlPlane.url}`);
  t.equal(stdout.split(key).length, 2, 'no line to paste has the key in it');
  t.match(await controlPlane.control.authenticate(key), { kind: 'executor', instance: 'shop' });
  t.match(
    (await controlPlane.vp(['instances'])).stdout,
    /^INSTANCE +EXECUTOR +QUEUED .*\nshop +NEVER_SEEN +0 .*never\n$/,
  );
});

t.test('a key can go to a file that only its user may read', async (t) => {
  const { testWorkspace, controlPlane } = await startFresh(t);
  const { stdout } = await controlPlane.vp([
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
  const file = join(testWorkspace.folder, 'keys/shop.key');
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(await controlPlane.control.authenticate(readFileSync(file, 'utf8').trim()), { instance: 'shop' });
  t.equal((await controlPlane.control.instances.get('shop')).executor_port, 8770);
});

t.test('for a taken id a free one is suggested, for an invalid one the rules are shown', async (t) => {
  const { controlPlane } = await startFresh(t);
  await controlPlane.registerInstance('shop');
  t.match(await controlPlane.vp(['instances', 'create', 'shop']), {
    code: 2,
    stderr: /INSTANCE_ID_TAKEN[\s\S]*use shop-v1/,
  });
  t.match(await controlPlane.vp(['instances', 'create', 'Shop!']), { code: 2, stderr: /INSTANCE_ID_INVALID[\s\S]*22/ });
  t.match(await controlPlane.vp(['instances', 'create', 'b', '--executor-port', '80']), {
    code: 2,
    stderr: 'REQUEST_INVALID',
  });
  const asJson = await controlPlane.vp(['instances', 'create', 'other', '--json']);
  t.match(JSON.parse(asJson.stdout), { instance: { instance_id: 'other' }, executor_key: /^vpe_/, key_file: null });
});

t.test('all details of an instance are shown', async (t) => {
  const { controlPlane } = await startFresh(t);
  const { origin } = await startTarget(t, respondWithJson({}));
  await controlPlane.registerInstance('shop', 8771);
  t.match(
    (await controlPlane.vp(['instances', 'show', 'shop'])).stdout,
    /^shop\n {2}executor +NEVER_SEEN\n[\s\S]*target +unknown/,
  );
  await controlPlane.startExecutor('shop', origin);
  await eventually(async () => (await controlPlane.control.instances.get('shop')).target);
  const { stdout } = await controlPlane.vp(['instances', 'show', 'shop']);
  t.match(stdout, /executor +REGISTERED\n[\s\S]*port +8771\n/);
  t.match(stdout, new RegExp(`target +${origin}\n`));
  t.match(JSON.parse((await controlPlane.vp(['instances', 'show', 'shop', '--json'])).stdout), {
    instance: { target: origin },
  });
  t.match(JSON.parse((await controlPlane.vp(['instances', '--json'])).stdout), {
    instances: [{ executor_status: 'REGISTERED' }],
  });
  t.match(await controlPlane.vp(['instances', 'show', 'shp']), { code: 2, stderr: /INSTANCE_UNKNOWN/ });
});

t.test('a new key revokes the old one', async (t) => {
  const { testWorkspace, controlPlane } = await startFresh(t);
  const created = JSON.parse((await controlPlane.vp(['instances', 'create', 'shop', '--json'])).stdout);
  const { stdout } = await controlPlane.vp(['instances', 'rotate-key', 'shop']);
  const key = /executor key {2}(vpe_\S+)/.exec(stdout)?.[1] ?? '';
  t.equal(await controlPlane.control.authenticate(created.executor_key), undefined);
  t.match(await controlPlane.control.authenticate(key), { instance: 'shop' });
  await controlPlane.vp(['instances', 'rotate-key', 'shop', '--key-file', 'k']);
  t.match(await controlPlane.control.authenticate(readFileSync(join(testWorkspace.folder, 'k'), 'utf8').trim()), {
    instance: 'shop',
  });
});

t.test('an instance is removed only after a confirmation', async (t) => {
  const { controlPlane } = await startFresh(t);
  await controlPlane.registerInstance('shop');
  const remove = ['instances', 'remove', 'shop'];
  const unattended = await controlPlane.vp(remove, { stdin: new PassThrough() });
  t.match(unattended, { code: 2, stderr: /INSTANCE_REMOVAL_UNCONFIRMED[\s\S]*--yes/ });
  t.match(await controlPlane.vp(remove, { stdin: createTerminalInput('shp\n') }), {
    code: 2,
    stderr: 'the id was not typed',
  });
  t.match(await controlPlane.vp(remove, { stdin: createTerminalInput('') }), {
    code: 2,
    stderr: 'the id was not typed',
  });
  t.equal((await controlPlane.control.instances.list()).length, 1);
  const removed = await controlPlane.vp(remove, { stdin: createTerminalInput('shop\n') });
  t.match(removed, { code: 0, stdout: 'instance shop is removed\n', stderr: /Type the id to continue: $/ });
  await controlPlane.registerInstance('other');
  t.match(await controlPlane.vp(['instances', 'remove', 'other', '--yes', '--json']), {
    code: 0,
    stdout: '{"removed":"other"}\n',
  });
  t.match(await controlPlane.vp(['instances', 'remove', 'other', '-y']), { code: 2, stderr: 'INSTANCE_UNKNOWN' });
});
