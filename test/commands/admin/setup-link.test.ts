import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startControlPlane } from '../../../src/assemble/control-plane/control-plane.ts';
import { setupLinkCommand } from '../../../src/commands/admin/setup-link.ts';
import { dispatch } from '../../../src/commands/dispatch.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { cheapIdentitySettings } from '../../server/test-server.ts';

const password = 'lantern-walrus-72-granite';
const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

async function startPlane(t: Parameters<typeof startControlPlane>[0]['folder'], publicUrl?: URL) {
  const { environment } = memoryEnvironment();
  const options = {
    environment,
    folder: t,
    host: '127.0.0.1',
    port: 0,
    log: silent,
    identitySettings: cheapIdentitySettings,
  };
  return startControlPlane({ ...options, ...(publicUrl ? { publicUrl } : {}) });
}

async function call(folder: string, settings: Parameters<typeof memoryEnvironment>[0] = {}, ...more: string[]) {
  const { environment, written } = memoryEnvironment({ ...settings, args: ['setup-link', '--data', folder, ...more] });
  return { code: await dispatch(environment), ...written };
}

function setUp(url: string, link: string): Promise<Response> {
  const body = { secret: new URL(link).hash.slice(1), name: 'Ana', email: 'ana@example.com', password };
  const headers = { 'content-type': 'application/json', origin: url };
  return fetch(`${url}/api/v1/setup`, { method: 'POST', headers, body: JSON.stringify(body) });
}

t.test('the link is printed on a terminal, or written to a file that only its user can read', async (t) => {
  const folder = t.testdir();
  const plane = await startPlane(folder);
  t.teardown(() => plane.close());
  const printed = await call(folder, { stdout: { isTTY: true } });
  t.equal(printed.code, 0);
  t.match(printed.stdout, new RegExp(`^open ${plane.url}/setup#[\\w-]{43} \\(valid for 30 minutes, once\\)`));
  const toFile = await call(folder);
  const file = join(folder, 'setup-link.txt');
  t.match(toFile.stdout, file);
  t.notMatch(toFile.stdout, /#/);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(JSON.parse((await call(folder, { stdout: { isTTY: true } }, '--json')).stdout), { setup_link_file: file });
});

t.test('while the control plane runs only the newest link works, until there is an owner', async (t) => {
  const folder = t.testdir();
  const plane = await startPlane(folder);
  t.teardown(() => plane.close());
  const first = (await plane.setupLink()) ?? '';
  t.match(first, `${plane.url}/setup#`);
  await call(folder);
  const file = join(folder, 'setup-link.txt');
  const second = readFileSync(file, 'utf8').trim();
  t.equal((await (await setUp(plane.url, first)).json()).code, 'LINK_ENDED');
  const accepted = await setUp(plane.url, second);
  t.equal(accepted.status, 201);
  t.throws(() => statSync(file), 'the file with the used link is gone');
  t.throws(() => statSync(plane.ownerKeyFile), 'and so is the owner key');
  t.equal(await plane.setupLink(), undefined);
  const late = await call(folder);
  t.match(late, { code: 2, stderr: /SETUP_DONE/ });
  t.match(late.stderr, /invitation/);
});

t.test('after the first owner a control plane starts without an owner key', async (t) => {
  const folder = t.testdir();
  const plane = await startPlane(folder);
  t.type(plane.ownerKey, 'string');
  t.equal((await setUp(plane.url, (await plane.setupLink()) ?? '')).status, 201);
  await plane.close();
  const restarted = await startPlane(folder);
  t.teardown(() => restarted.close());
  t.equal(restarted.ownerKey, undefined);
  t.throws(() => statSync(restarted.ownerKeyFile));
  const old = await fetch(`${restarted.url}/api/v1/runs`, { headers: { authorization: `Bearer ${plane.ownerKey}` } });
  t.equal(old.status, 401);
});

t.test('links use the public URL', async (t) => {
  const folder = t.testdir();
  const plane = await startPlane(folder, new URL('https://vp.example.com/'));
  t.match(await plane.setupLink(), /^https:\/\/vp\.example\.com\/setup#/);
  await plane.close();
  const printed = await call(folder, { stdout: { isTTY: true } });
  t.match(printed.stdout, /^open https:\/\/vp\.example\.com\/setup#/, 'also while it does not run');
});

t.test('a missing store is reported', async (t) => {
  t.match(await call(join(t.testdir(), 'nothing')), { code: 2, stderr: /STORE_ABSENT/ });
  t.equal(setupLinkCommand.name, 'setup-link');
});
