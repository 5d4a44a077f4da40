/** Unusable keys and folders: each start reports the problem and the fix, and changes nothing. */
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertStartsRefused, createControlPlaneFolder, type DataFault, serve } from './fault-injection.ts';
import { createOwnerClient, sandboxTest } from './sandbox.ts';
import { configText, instance } from './test-environment.ts';

/** Root ignores file modes. */
const isRoot = process.getuid?.() === 0;

/** Unreadable even for root. */
function makeUnreadable(file: string): void {
  rmSync(file);
  symlinkSync(file, file);
}

const masterKeyFile = (folder: string): string => join(folder, 'master.key');

const keyFaults: DataFault[] = [
  {
    description: 'the master key is missing',
    inject: (folder) => rmSync(masterKeyFile(folder)),
    code: 'STORE_KEY_MISSING',
    exit: 4,
    messagePattern: /put master\.key back.*VP_MASTER_KEY/s,
  },
  {
    description: 'the master key is another one',
    inject: (folder) => writeFileSync(masterKeyFile(folder), `${Buffer.alloc(32, 7).toString('base64')}\n`),
    code: 'STORE_KEY_WRONG',
    exit: 4,
    messagePattern: /belongs to this store/,
  },
  {
    description: 'the master key is not a key',
    inject: (folder) => writeFileSync(masterKeyFile(folder), 'swordfish\n'),
    code: 'STORE_KEY_INVALID',
    exit: 2,
    messagePattern: /openssl rand -base64 32/,
  },
  {
    description: 'others may read the master key',
    inject: (folder) => chmodSync(masterKeyFile(folder), 0o644),
    code: 'STORE_KEY_EXPOSED',
    exit: 4,
    messagePattern: /chmod 600 .*master\.key/,
  },
  {
    description: 'others may read the owner key',
    inject: (folder) => chmodSync(join(folder, 'owner.key'), 0o640),
    code: 'STORE_KEY_EXPOSED',
    exit: 4,
    messagePattern: /chmod 600 .*owner\.key/,
    isFoundLate: true,
  },
];

sandboxTest('a control plane and keys that cannot be used', async (t, sandbox) => {
  const intactFolder = await createControlPlaneFolder(sandbox);
  await assertStartsRefused(t, sandbox, serve, intactFolder, keyFaults);

  const movedKey = join(sandbox.folder, 'master.key');
  renameSync(masterKeyFile(intactFolder), movedKey);
  t.match(await sandbox.run(serve.args(intactFolder)), { code: 4, stderr: /STORE_KEY_MISSING/ });
  copyFileSync(movedKey, masterKeyFile(intactFolder));
  const { url, data } = await sandbox.serve(intactFolder);
  t.match(
    await createOwnerClient({ url, data }).instances.list(),
    [{ instance_id: instance }],
    'put back, everything is there',
  );
});

sandboxTest('a control plane and a key that cannot be read', async (t, sandbox) => {
  const intactFolder = await createControlPlaneFolder(sandbox);
  makeUnreadable(masterKeyFile(intactFolder));
  t.match(await sandbox.run(serve.args(intactFolder)), { code: 4, stderr: /master\.key.*ELOOP.*STORE_KEY_UNREADABLE/ });
  rmSync(masterKeyFile(intactFolder));
  writeFileSync(masterKeyFile(intactFolder), '', { mode: 0o000 });
  const { code, stderr } = await sandbox.run(serve.args(intactFolder));
  if (isRoot) t.match({ code, stderr }, { code: 2, stderr: /STORE_KEY_INVALID/ }, 'root reads it, and it is empty');
  else t.match({ code, stderr }, { code: 4, stderr: /EACCES.*STORE_KEY_UNREADABLE/ }, 'a key of mode 000');
});

sandboxTest('a data folder that cannot be written', async (t, sandbox) => {
  const readOnly = join(sandbox.folder, 'read-only');
  mkdirSync(readOnly, { mode: 0o555 });
  const file = sandbox.write('a-file', '');
  const unwritableFolders = [
    join(sandbox.folder, 'x'.repeat(300)),
    file,
    join(file, 'below'),
    ...(isRoot ? [] : [readOnly, join(readOnly, 'below')]),
  ];
  for (const folder of unwritableFolders) {
    const { code, stderr } = await sandbox.run(serve.args(folder));
    t.equal(code, 4, folder);
    t.match(stderr, 'STORE_UNWRITABLE');
    t.match(stderr, '--data', 'the fix');
  }
});

sandboxTest('the key file of an executor', async (t, sandbox) => {
  sandbox.write('product/platform-config.yaml', configText('http://127.0.0.1:9'));
  const line = ['executor', '--port', '0', '--data', 'e', '--product-dir', 'product'];
  t.match(await sandbox.run(line), { code: 2, stderr: /EXECUTOR_KEY_ABSENT/ });
  t.match(await sandbox.run([...line, '--key-file', 'none.key']), {
    code: 2,
    stderr: /none\.key.*EXECUTOR_KEY_ABSENT/,
  });
  const file = sandbox.write('app.key', `vpe_${'a'.repeat(43)}\n`);
  chmodSync(file, 0o644);
  t.match(await sandbox.run([...line, '--key-file', file]), { code: 4, stderr: /STORE_KEY_EXPOSED/ });
  makeUnreadable(file);
  t.match(await sandbox.run([...line, '--key-file', file]), { code: 4, stderr: /app\.key.*STORE_KEY_UNREADABLE/ });
  mkdirSync(join(sandbox.folder, 'folder.key'), { mode: 0o700 });
  const folder = await sandbox.run([...line, '--key-file', 'folder.key']);
  t.match(folder, { code: 4, stderr: /folder\.key.*STORE_KEY_UNREADABLE/ }, 'a folder in its place');
});
