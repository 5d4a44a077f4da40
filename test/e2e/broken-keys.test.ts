/** Keys and folders that cannot be used: each start says what is wrong and what to do, and changes nothing. */
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Harm, planeFolder, refuses, serve } from './harms.ts';
import { configText, instance } from './house.ts';
import { ownerOf, scene } from './stage.ts';

/** Root may read and write whatever others may not. */
const isRoot = process.getuid?.() === 0;

/** Nobody can read it, not even root. */
function makeUnreadable(file: string): void {
  rmSync(file);
  symlinkSync(file, file);
}

const master = (folder: string): string => join(folder, 'master.key');

const keyHarms: Harm[] = [
  {
    what: 'the master key is gone',
    harm: (folder) => rmSync(master(folder)),
    code: 'STORE_KEY_MISSING',
    exit: 4,
    says: /put master\.key back.*VP_MASTER_KEY/s,
  },
  {
    what: 'the master key is another one',
    harm: (folder) => writeFileSync(master(folder), `${Buffer.alloc(32, 7).toString('base64')}\n`),
    code: 'STORE_KEY_WRONG',
    exit: 4,
    says: /belongs to this store/,
  },
  {
    what: 'the master key is no key',
    harm: (folder) => writeFileSync(master(folder), 'swordfish\n'),
    code: 'STORE_KEY_INVALID',
    exit: 2,
    says: /openssl rand -base64 32/,
  },
  {
    what: 'others may read the master key',
    harm: (folder) => chmodSync(master(folder), 0o644),
    code: 'STORE_KEY_EXPOSED',
    exit: 4,
    says: /chmod 600 .*master\.key/,
  },
  {
    what: 'others may read the owner key',
    harm: (folder) => chmodSync(join(folder, 'owner.key'), 0o640),
    code: 'STORE_KEY_EXPOSED',
    exit: 4,
    says: /chmod 600 .*owner\.key/,
  },
];

scene('a control plane and keys that cannot be used', async (t, stage) => {
  const whole = await planeFolder(stage);
  await refuses(t, stage, serve, whole, keyHarms);

  const away = join(stage.folder, 'master.key');
  renameSync(master(whole), away);
  t.match(await stage.run(serve.words(whole)), { code: 4, stderr: /STORE_KEY_MISSING/ });
  copyFileSync(away, master(whole));
  const { url, data } = await stage.serve(whole);
  t.match(await ownerOf({ url, data }).instances.list(), [{ instance_id: instance }], 'put back, everything is there');
});

scene('a control plane and a key that cannot be read', async (t, stage) => {
  const whole = await planeFolder(stage);
  makeUnreadable(master(whole));
  t.match(await stage.run(serve.words(whole)), { code: 4, stderr: /master\.key.*ELOOP.*STORE_KEY_UNREADABLE/ });
  rmSync(master(whole));
  writeFileSync(master(whole), '', { mode: 0o000 });
  const { code, stderr } = await stage.run(serve.words(whole));
  if (isRoot) t.match({ code, stderr }, { code: 2, stderr: /STORE_KEY_INVALID/ }, 'root reads it, and it is empty');
  else t.match({ code, stderr }, { code: 4, stderr: /EACCES.*STORE_KEY_UNREADABLE/ }, 'a key of mode 000');
});

scene('a data folder that cannot be written', async (t, stage) => {
  const readOnly = join(stage.folder, 'read-only');
  mkdirSync(readOnly, { mode: 0o555 });
  const file = stage.write('a-file', '');
  const closed = [
    join(stage.folder, 'x'.repeat(300)),
    file,
    join(file, 'below'),
    ...(isRoot ? [] : [readOnly, join(readOnly, 'below')]),
  ];
  for (const folder of closed) {
    const { code, stderr } = await stage.run(serve.words(folder));
    t.equal(code, 4, folder);
    t.match(stderr, 'STORE_UNWRITABLE');
    t.match(stderr, '--data', 'the cure');
  }
});

scene('the key file of an executor', async (t, stage) => {
  stage.write('product/platform-config.yaml', configText('http://127.0.0.1:9'));
  const line = ['executor', '--port', '0', '--data', 'e', '--product-dir', 'product'];
  t.match(await stage.run(line), { code: 2, stderr: /EXECUTOR_KEY_ABSENT/ });
  t.match(await stage.run([...line, '--key-file', 'none.key']), { code: 2, stderr: /none\.key.*EXECUTOR_KEY_ABSENT/ });
  const file = stage.write('app.key', `vpe_${'a'.repeat(43)}\n`);
  chmodSync(file, 0o644);
  t.match(await stage.run([...line, '--key-file', file]), { code: 4, stderr: /STORE_KEY_EXPOSED/ });
  makeUnreadable(file);
  t.match(await stage.run([...line, '--key-file', file]), { code: 4, stderr: /app\.key.*STORE_KEY_UNREADABLE/ });
  mkdirSync(join(stage.folder, 'folder.key'), { mode: 0o700 });
  const folder = await stage.run([...line, '--key-file', 'folder.key']);
  t.match(folder, { code: 4, stderr: /folder\.key.*STORE_KEY_UNREADABLE/ }, 'a folder in its place');
});
