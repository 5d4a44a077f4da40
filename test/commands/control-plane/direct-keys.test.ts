import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { getToken } from '../../../src/commands/control-plane/credentials.ts';
import {
  directKeyFile,
  readDirectKey,
  removeDirectKey,
  writeDirectKey,
} from '../../../src/commands/control-plane/direct-keys.ts';
import { resolvePaths } from '../../../src/environment/paths.ts';

t.test('a key is stored per port, for its user only, until it is removed', async (t) => {
  const paths = resolvePaths({}, 'linux', t.testdir());
  t.equal(readDirectKey(paths, 8765), undefined);
  removeDirectKey(paths, 8765);
  writeDirectKey(paths, 8765, 'vpd_one');
  writeDirectKey(paths, 8766, 'vpd_two');
  const file = directKeyFile(paths, 8765);
  t.equal(file, join(paths.config, 'direct', '8765.key'));
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(dirname(file)).mode & 0o777, 0o700);
  t.equal(readDirectKey(paths, 8765), 'vpd_one');
  removeDirectKey(paths, 8765);
  t.notOk(existsSync(file));
  t.equal(readDirectKey(paths, 8766), 'vpd_two');
  chmodSync(directKeyFile(paths, 8766), 0o640);
  t.throws(() => readDirectKey(paths, 8766), { code: 'STORE_KEY_EXPOSED' });
});

t.test('executor keys are not listed among the known control planes', async (t) => {
  const paths = resolvePaths({}, 'linux', t.testdir());
  writeDirectKey(paths, 36_493, 'vpd_one');
  const url = 'http://127.0.0.1:7700';
  t.throws(() => getToken({ paths, variables: {} }, url), {
    code: 'CREDENTIAL_ABSENT',
    message: `there is no credential for ${url}`,
  });
});
