import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { tokenFor } from '../../src/commands/credentials.ts';
import { directKey, directKeyFile, forgetDirectKey, writeDirectKey } from '../../src/commands/direct-keys.ts';
import { pathsOf } from '../../src/environment/paths.ts';

t.test('a key is kept per port, for its user only, until it is forgotten', async (t) => {
  const paths = pathsOf({}, 'linux', t.testdir());
  t.equal(directKey(paths, 8765), undefined);
  forgetDirectKey(paths, 8765);
  writeDirectKey(paths, 8765, 'vpd_one');
  writeDirectKey(paths, 8766, 'vpd_two');
  const file = directKeyFile(paths, 8765);
  t.equal(file, join(paths.config, 'direct', '8765.key'));
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(dirname(file)).mode & 0o777, 0o700);
  t.equal(directKey(paths, 8765), 'vpd_one');
  forgetDirectKey(paths, 8765);
  t.notOk(existsSync(file));
  t.equal(directKey(paths, 8766), 'vpd_two');
  chmodSync(directKeyFile(paths, 8766), 0o640);
  t.throws(() => directKey(paths, 8766), { code: 'STORE_KEY_EXPOSED' });
});

t.test('no executor is named among the control planes there are credentials for', async (t) => {
  const paths = pathsOf({}, 'linux', t.testdir());
  writeDirectKey(paths, 36_493, 'vpd_one');
  const url = 'http://127.0.0.1:7700';
  t.throws(() => tokenFor({ paths, variables: {} }, url), {
    code: 'CREDENTIAL_ABSENT',
    message: `there is no credential for ${url}`,
  });
});
