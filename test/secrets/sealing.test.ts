import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { hashBearer, mintBearer, parseBearerKind } from '../../src/secrets/bearer.ts';
import { readKeyFile, writeKeyFile } from '../../src/secrets/key-file.ts';
import { loadMasterKey } from '../../src/secrets/master-key.ts';
import { readKeyId, seal, unseal } from '../../src/secrets/sealing.ts';

const key = { id: 3, bytes: systemRandom.bytes(32) };
const plain = Buffer.from('s3cret');

t.test('a sealed value names its key and unseals in its context only', (t) => {
  const sealed = seal(key, 'a/b/1', plain, systemRandom);
  t.equal(readKeyId(sealed), 3);
  t.same(unseal(key, 'a/b/1', sealed), plain);
  t.equal(unseal(key, 'a/b/2', sealed), undefined, 'another row');
  t.equal(unseal({ ...key, id: 4 }, 'a/b/1', sealed), undefined, 'another key id');
  t.equal(unseal({ id: 3, bytes: systemRandom.bytes(32) }, 'a/b/1', sealed), undefined, 'another key');
  t.end();
});

t.test('a sealed value with any changed bit does not unseal', (t) => {
  const sealed = Buffer.from(seal(key, 'p', plain, systemRandom));
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    t.equal(unseal(key, 'p', changed), undefined, `byte ${index}`);
  }
  t.equal(readKeyId(Buffer.from('short')), undefined);
  t.end();
});

t.test('bearer secrets have a prefix for their kind, and their hash depends on the key', (t) => {
  const secret = mintBearer('executor', systemRandom);
  t.match(secret, /^vpe_[\w-]{43}$/);
  t.equal(parseBearerKind(secret), 'executor');
  for (const wrong of ['', 'vpe_short', `${secret}x`, `vpx_${'a'.repeat(43)}`])
    t.equal(parseBearerKind(wrong), undefined);
  t.not(hashBearer(secret, key.bytes), hashBearer(secret, systemRandom.bytes(32)));
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

t.test('the master key comes from the variable, otherwise from its file, which is created only when allowed', (t) => {
  const file = join(t.testdir(), 'master.key');
  const source = { file, variable: undefined, mayCreate: false };
  t.equal(loadMasterKey(source, systemRandom), undefined);
  const created = loadMasterKey({ ...source, mayCreate: true }, systemRandom);
  t.same(loadMasterKey(source, systemRandom)?.bytes, created?.bytes);
  const variable = Buffer.alloc(32, 7).toString('base64');
  t.same(loadMasterKey({ ...source, variable }, systemRandom)?.bytes, Buffer.alloc(32, 7));
  t.throws(() => loadMasterKey({ ...source, variable: 'short' }, systemRandom), { code: 'STORE_KEY_INVALID' });
  writeFileSync(file, 'rubbish');
  t.throws(() => loadMasterKey(source, systemRandom), { code: 'STORE_KEY_INVALID' });
  t.end();
});
