import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { bearerHash, bearerKindOf, mintBearer } from '../../src/secrets/bearer.ts';
import { readKeyFile, writeKeyFile } from '../../src/secrets/key-file.ts';
import { masterKey } from '../../src/secrets/master-key.ts';
import { keyIdOf, seal, unseal } from '../../src/secrets/sealing.ts';

const key = { id: 3, bytes: systemRandom.bytes(32) };
const plain = Buffer.from('s3cret');

t.test('a sealed value names its key and opens at its place only', (t) => {
  const sealed = seal(key, 'a/b/1', plain, systemRandom);
  t.equal(keyIdOf(sealed), 3);
  t.same(unseal(key, 'a/b/1', sealed), plain);
  t.equal(unseal(key, 'a/b/2', sealed), undefined, 'another row');
  t.equal(unseal({ ...key, id: 4 }, 'a/b/1', sealed), undefined, 'another key id');
  t.equal(unseal({ id: 3, bytes: systemRandom.bytes(32) }, 'a/b/1', sealed), undefined, 'another key');
  t.end();
});

t.test('any changed bit keeps a sealed value closed', (t) => {
  const sealed = Buffer.from(seal(key, 'p', plain, systemRandom));
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    t.equal(unseal(key, 'p', changed), undefined, `byte ${at}`);
  }
  t.equal(keyIdOf(Buffer.from('short')), undefined);
  t.end();
});

t.test('bearer secrets tell their kind by a fixed prefix, and their hash depends on the key', (t) => {
  const secret = mintBearer('executor', systemRandom);
  t.match(secret, /^vpe_[\w-]{43}$/);
  t.equal(bearerKindOf(secret), 'executor');
  for (const wrong of ['', 'vpe_short', `${secret}x`, `vpx_${'a'.repeat(43)}`]) t.equal(bearerKindOf(wrong), undefined);
  t.not(bearerHash(secret, key.bytes), bearerHash(secret, systemRandom.bytes(32)));
  t.end();
});

t.test('a key file is 0600 and refused when others may read it', (t) => {
  const file = join(t.testdir(), 'k');
  t.equal(readKeyFile(file), undefined);
  writeKeyFile(file, 'one');
  writeKeyFile(file, 'two');
  t.equal(readKeyFile(file), 'two');
  t.equal(statSync(file).mode & 0o777, 0o600);
  chmodSync(file, 0o640);
  t.throws(() => readKeyFile(file), { code: 'STORE_KEY_EXPOSED' });
  const folder = t.testdir({ folder: {} });
  chmodSync(join(folder, 'folder'), 0o700);
  t.throws(() => readKeyFile(join(folder, 'folder')), { code: 'STORE_KEY_UNREADABLE', message: /EISDIR/ });
  const nowhere = join(folder, 'absent', 'k');
  t.throws(() => writeKeyFile(nowhere, 'x'), { code: 'STORE_KEY_UNWRITABLE', message: /ENOENT/ });
  t.end();
});

t.test('the master key comes from the variable, else from its file, which is made only when it may be', (t) => {
  const file = join(t.testdir(), 'master.key');
  const source = { file, variable: undefined, mayCreate: false };
  t.equal(masterKey(source, systemRandom), undefined);
  const made = masterKey({ ...source, mayCreate: true }, systemRandom);
  t.same(masterKey(source, systemRandom)?.bytes, made?.bytes);
  const variable = Buffer.alloc(32, 7).toString('base64');
  t.same(masterKey({ ...source, variable }, systemRandom)?.bytes, Buffer.alloc(32, 7));
  t.throws(() => masterKey({ ...source, variable: 'short' }, systemRandom), { code: 'STORE_KEY_INVALID' });
  writeFileSync(file, 'rubbish');
  t.throws(() => masterKey(source, systemRandom), { code: 'STORE_KEY_INVALID' });
  t.end();
});
