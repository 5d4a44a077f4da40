import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { getControlPlaneToken } from '../../../src/commands/control-plane/credentials.ts';
import {
  directRunKeyFile,
  readDirectRunKey,
  removeDirectRunKey,
  writeDirectRunKey,
} from '../../../src/commands/control-plane/direct-keys.ts';
import { resolvePaths } from '../../../src/environment/paths.ts';

t.test('a key is stored per port, for its user only, until it is removed', async (t) => {
  const paths = resolvePaths({}, 'linux', t.testdir());
  t.equal(readDirectRunKey(paths, 8765), undefined);
  removeDirectRunKey(paths, 8765);
  writeDirectRunKey(paths, 8765, 'vpd_one');
  writeDirectRunKey(paths, 8766, 'vpd_two');
  const file = directRunKeyFile(paths, 8765);
  t.equal(file, join(paths.config, 'direct', '8765.key'));
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(dirname(file)).mode & 0o777, 0o700);
  t.equal(readDirectRunKey(paths, 8765), 'vpd_one');
  removeDirectRunKey(paths, 8765);
  t.notOk(existsSync(file));
  t.equal(readDirectRunKey(paths, 8766), 'vpd_two');
  chmodSync(directRunKeyFile(paths, 8766), 0o640);
  t.throws(() => readDirectRunKey(paths, 8766), { code: 'STORE_KEY_EXPOSED' });
});

t.test('executor keys are not listed among the known control planes', async (t) => {
  const paths = resolvePaths({}, 'linux', t.testdir());
  writeDirectRunKey(paths, 36_493, 'vpd_one');
  const url = 'http://127.0.0.1:7700';
  t.throws(() => getControlPlaneToken({ paths, variables: {} }, url), {
    code: 'CREDENTIAL_ABSENT',
    message: `there is no credential for ${url}`,
  });
});
