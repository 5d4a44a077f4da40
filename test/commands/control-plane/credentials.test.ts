import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import {
  credentialFile,
  getControlPlaneToken,
  writeCredential,
} from '../../../src/commands/control-plane/credentials.ts';
import { resolvePaths } from '../../../src/environment/paths.ts';

const url = 'http://127.0.0.1:7700';

function createUser(t: Test) {
  const paths = resolvePaths({}, 'linux', t.testdir());
  return { paths, variables: {} };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}

t.test('a credential is one file per control plane that only its user may read', async (t) => {
  const user = createUser(t);
  writeCredential(user.paths, `${url}/`, 'vpo_one');
  writeCredential(user.paths, 'https://vp.example.com', 'vpo_two');
  const file = join(user.paths.config, 'credentials', '127.0.0.1_7700.json');
  t.same(JSON.parse(readFileSync(file, 'utf8')), { control_plane: url, token: 'vpo_one' });
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(dirname(file)).mode & 0o777, 0o700);
  t.equal(getControlPlaneToken(user, url), 'vpo_one');
  t.equal(getControlPlaneToken(user, 'https://vp.example.com'), 'vpo_two');
  writeCredential(user.paths, url, 'vpo_three');
  t.equal(getControlPlaneToken(user, url), 'vpo_three');
});

t.test('every address has a file name of its own that any system takes', async (t) => {
  const { paths } = createUser(t);
  const name = (address: string): string =>
    credentialFile(paths, address).slice(join(paths.config, 'credentials').length + 1);
  t.equal(name('https://vp.example.com'), 'vp.example.com_443.json');
  t.equal(name('http://vp.example.com'), 'vp.example.com_80.json');
  t.equal(name('http://[::1]:7700'), '---1-_7700.json');
});

t.test('VP_TOKEN takes precedence over the file', async (t) => {
  const user = createUser(t);
  writeCredential(user.paths, url, 'vpo_file');
  t.equal(getControlPlaneToken({ ...user, variables: { VP_TOKEN: ' vpo_variable\n' } }, url), 'vpo_variable');
  t.equal(getControlPlaneToken({ ...user, variables: { VP_TOKEN: '' } }, url), 'vpo_file');
  for (const wrong of ['two words', 'line\nbreak', 'ü']) {
    t.throws(() => getControlPlaneToken({ ...user, variables: { VP_TOKEN: wrong } }, url), {
      code: 'CREDENTIAL_UNUSABLE',
    });
  }
});

t.test('a missing credential is reported with its file and the known control planes', async (t) => {
  const user = createUser(t);
  const file = credentialFile(user.paths, url);
  t.throws(() => getControlPlaneToken(user, url), {
    code: 'CREDENTIAL_ABSENT',
    message: `there is no credential for ${url}`,
    values: { file },
  });
  writeCredential(user.paths, 'http://127.0.0.1:7701', 'vpo_x');
  t.throws(() => getControlPlaneToken(user, url), { message: /only for 127\.0\.0\.1:7701/ });
});

t.test('a file that others can read, or with other content, is refused', async (t) => {
  const user = createUser(t);
  const file = credentialFile(user.paths, url);
  writeCredential(user.paths, url, 'vpo_x');
  chmodSync(file, 0o644);
  t.throws(() => getControlPlaneToken(user, url), { code: 'STORE_KEY_EXPOSED', cure: /chmod 600/ });
  for (const text of [
    '',
    'not json',
    '[]',
    '{"token":"x"}',
    '{"control_plane":1,"token":"x"}',
    `{"control_plane":"${url}","token":""}`,
  ]) {
    write(file, text);
    chmodSync(file, 0o600);
    t.throws(() => getControlPlaneToken(user, url), { code: 'CREDENTIAL_UNUSABLE' }, text);
  }
  write(file, JSON.stringify({ control_plane: 'http://127.0.0.1:7799', token: 'vpo_x' }));
  t.throws(() => getControlPlaneToken(user, url), {
    code: 'CREDENTIAL_UNUSABLE',
    message: /it is for http:\/\/127\.0\.0\.1:7799/,
  });
});
