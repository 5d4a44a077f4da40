import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startControlPlane } from '../../src/assemble/control-plane.ts';
import { dispatch } from '../../src/commands/dispatch.ts';
import { setupLinkCommand } from '../../src/commands/setup-link.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { cheap } from '../server/served.ts';

const password = 'lantern-walrus-72-granite';
const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

async function started(t: Parameters<typeof startControlPlane>[0]['folder'], publicUrl?: URL) {
  const { environment } = memoryEnvironment();
  const at = { environment, folder: t, host: '127.0.0.1', port: 0, log: silent, identitySettings: cheap };
  return startControlPlane({ ...at, ...(publicUrl ? { publicUrl } : {}) });
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

t.test('the link goes to a terminal, or to a file that only its user can read', async (t) => {
  const folder = t.testdir();
  const plane = await started(folder);
  t.teardown(() => plane.close());
  const shown = await call(folder, { stdout: { isTTY: true } });
  t.equal(shown.code, 0);
  t.match(shown.stdout, new RegExp(`^open ${plane.url}/setup#[\\w-]{43} \\(good for 30 minutes, once\\)`));
  const kept = await call(folder);
  const file = join(folder, 'setup-link.txt');
  t.match(kept.stdout, file);
  t.notMatch(kept.stdout, /#/);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(JSON.parse((await call(folder, { stdout: { isTTY: true } }, '--json')).stdout), { setup_link_file: file });
});

t.test('beside a running control plane the newest link is the one that works, until there is an owner', async (t) => {
  const folder = t.testdir();
  const plane = await started(folder);
  t.teardown(() => plane.close());
  const first = (await plane.setupLink()) ?? '';
  t.match(first, `${plane.url}/setup#`);
  await call(folder);
  const file = join(folder, 'setup-link.txt');
  const second = readFileSync(file, 'utf8').trim();
  t.equal((await (await setUp(plane.url, first)).json()).code, 'LINK_ENDED');
  const made = await setUp(plane.url, second);
  t.equal(made.status, 201);
  t.throws(() => statSync(file), 'the file with the used link is gone');
  t.throws(() => statSync(plane.ownerKeyFile), 'and so is the owner key');
  t.equal(await plane.setupLink(), undefined);
  const late = await call(folder);
  t.match(late, { code: 2, stderr: /SETUP_DONE/ });
  t.match(late.stderr, /invitation/);
});

t.test('after the first owner a control plane starts without an owner key', async (t) => {
  const folder = t.testdir();
  const plane = await started(folder);
  t.type(plane.ownerKey, 'string');
  t.equal((await setUp(plane.url, (await plane.setupLink()) ?? '')).status, 201);
  await plane.close();
  const again = await started(folder);
  t.teardown(() => again.close());
  t.equal(again.ownerKey, undefined);
  t.throws(() => statSync(again.ownerKeyFile));
  const old = await fetch(`${again.url}/api/v1/runs`, { headers: { authorization: `Bearer ${plane.ownerKey}` } });
  t.equal(old.status, 401);
});

t.test('links are made with the public URL', async (t) => {
  const folder = t.testdir();
  const plane = await started(folder, new URL('https://vp.example.com/'));
  t.match(await plane.setupLink(), /^https:\/\/vp\.example\.com\/setup#/);
  await plane.close();
  const shown = await call(folder, { stdout: { isTTY: true } });
  t.match(shown.stdout, /^open https:\/\/vp\.example\.com\/setup#/, 'also while it does not run');
});

t.test('where there is no store it says so', async (t) => {
  t.match(await call(join(t.testdir(), 'nothing')), { code: 2, stderr: /STORE_ABSENT/ });
  t.equal(setupLinkCommand.name, 'setup-link');
});
