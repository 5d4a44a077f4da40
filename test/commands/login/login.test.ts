/** `vp login`, `vp logout` and `vp whoami` against a real control plane, with a simulated browser. */

import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  credentialFile,
  readStoredCredential,
  writeCredential,
} from '../../../src/commands/control-plane/credentials.ts';
import { dispatch } from '../../../src/commands/dispatch.ts';
import { resolvePaths } from '../../../src/environment/paths.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { eventually } from '../../eventually.ts';
import {
  decideInteraction,
  type HttpBrowser,
  type OAuthControlPlane,
  signInFirstOwner,
  startOAuthControlPlane,
} from '../../server/oauth/oauth-control-plane.ts';

/** In the folder of a control plane, which `t.testdir()` would empty. */
const createHome = (t: Test): string =>
  existsSync(t.testdirName) ? mkdtempSync(join(t.testdirName, 'home-')) : t.testdir();

function createMachine(t: Test, plane: { url: string }) {
  const paths = resolvePaths({}, 'linux', createHome(t));
  const start = (args: readonly string[], variables: Record<string, string> = {}) => {
    const all = { VP_CONTROL_PLANE: plane.url, ...variables };
    const { environment, written } = memoryEnvironment({ args, paths, variables: all });
    return { written, done: dispatch(environment) };
  };
  const vp = async (...args: string[]) => {
    const { done, written } = start(args);
    return { code: await done, ...written };
  };
  const readCredential = () => readStoredCredential(paths, plane.url);
  return { paths, start, vp, readCredential, file: credentialFile(paths, plane.url) };
}

/** Waits for a line of output. */
async function waitForOutput(written: { stdout: string }, pattern: RegExp): Promise<string> {
  const match = await eventually(() => pattern.exec(written.stdout) ?? written.stdout, {
    until: Array.isArray,
    description: `output with ${pattern}`,
  });
  return match[1] ?? '';
}

/** Opens the URL and answers the consent page, as a person does. */
async function follow(ana: HttpBrowser, url: string, allow = true): Promise<void> {
  const back = await decideInteraction(ana, await decideInteraction(ana, await ana.navigate(url), true), allow);
  const landed = await fetch(back.headers.get('location') ?? '');
  if (landed.status !== 200) throw new Error(`the program was not there: ${landed.status}`);
  await landed.text();
}

async function signedIn(t: Test, plane: OAuthControlPlane, ana: HttpBrowser) {
  const machine = createMachine(t, plane);
  const { written, done } = machine.start(['login']);
  await follow(ana, await waitForOutput(written, /^ {2}(http\S+)/m));
  t.equal(await done, 0, written.stdout);
  return { ...machine, written };
}

t.test('at a terminal without a browser, login says how to use one of another machine', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const { environment, written } = memoryEnvironment({
    ...{ args: ['login'], platform: 'linux', stdout: { isTTY: true } },
    ...{ paths: resolvePaths({}, 'linux', createHome(t)), variables: { VP_CONTROL_PLANE: plane.url } },
  });
  const done = dispatch(environment);
  await follow(ana, await waitForOutput(written, /^ {2}(http\S+)/m));
  t.equal(await done, 0, written.stdout);
  t.match(written.stderr, /`vp login --device`/);
});

t.test('signing in opens a page and stores the credential for this user only, and other commands use it', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const machine = await signedIn(t, plane, await signInFirstOwner(plane));
  t.match(machine.written.stdout, /signed in at http:\/\/127\.0\.0\.1:\d+ as Ana <ana@example\.com>, owner/);
  t.equal(statSync(machine.file).mode & 0o777, 0o600);
  t.match(machine.readCredential(), { control_plane: plane.url, token: /^[\w-]{43}$/, refresh_token: /^[\w-]{43}$/ });
  t.notMatch(machine.written.stdout, machine.readCredential()?.token ?? '-');
  t.match(await machine.vp('whoami'), { code: 0, stdout: 'Ana <ana@example.com>, owner\n' });
  t.match(JSON.parse((await machine.vp('whoami', '--json')).stdout), {
    person: { name: 'Ana' },
    via: 'grant',
    role: 'owner',
  });
  t.match(await machine.vp('instances', 'create', 'shop'), { code: 0 });
});

t.test('signing in again revokes the earlier sign-in', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const machine = await signedIn(t, plane, ana);
  const first = machine.readCredential()?.token;
  const { written, done } = machine.start(['login']);
  await follow(ana, await waitForOutput(written, /^ {2}(http\S+)/m));
  t.equal(await done, 0);
  const status = async (token: string | undefined) =>
    (await fetch(`${plane.url}/api/v1/session`, { headers: { authorization: `Bearer ${token}` } })).status;
  t.equal(await status(first), 401);
  t.equal(await status(machine.readCredential()?.token), 200);
});

t.test('after a sign-in the next commands go there, on the only instance, until the sign-out', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const machine = await signedIn(t, plane, ana);
  await machine.vp('instances', 'create', 'shop');
  const { written, done } = machine.start(['login']);
  await follow(ana, await waitForOutput(written, /^ {2}(http\S+)/m));
  t.equal(await done, 0);
  t.match(written.stdout, 'commands now use it, and the instance shop; `vp use` shows and changes that');
  const elsewhere = async (...args: string[]) => {
    const started = machine.start(args, { VP_CONTROL_PLANE: '' });
    return { code: await started.done, ...started.written };
  };
  t.match(await elsewhere('whoami'), { code: 0, stdout: /^Ana/ });
  t.match(JSON.parse((await elsewhere('use', '--json')).stdout), {
    control_plane: { url: plane.url, source: 'preference' },
    instance: { id: 'shop' },
    signed_in: true,
  });
  t.match(await elsewhere('logout'), { code: 0, stdout: `signed out of ${plane.url}\n` });
  t.match(JSON.parse((await elsewhere('use', '--json')).stdout), {
    control_plane: { source: 'default' },
    instance: null,
  });
});

t.test('a refusal in the browser ends the command with it', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const machine = createMachine(t, plane);
  const { written, done } = machine.start(['login', '--json']);
  await follow(ana, await waitForOutput(written, /"url":"([^"]+)"/), false);
  t.equal(await done, 2);
  t.match(written.stdout, /LOGIN_REFUSED/);
  t.equal(machine.readCredential(), undefined);
});

t.test('without a browser a code is entered elsewhere', async (t) => {
  const plane = await startOAuthControlPlane(t, { oauth: { pollIntervalSeconds: 0.6 } });
  const ana = await signInFirstOwner(plane);
  const machine = createMachine(t, plane);
  const { written, done } = machine.start(['login', '--device']);
  const code = await waitForOutput(written, /^ {4}([A-Z]{4}-[A-Z]{4})$/m);
  t.match(written.stdout, `open ${plane.url}/device in a browser`);
  t.equal((await ana.api('POST', '/device', { user_code: code, allow: true })).status, 204);
  t.equal(await done, 0);
  t.match(await machine.vp('whoami'), { code: 0, stdout: /^Ana / });
});

t.test('a code that is refused ends the command', async (t) => {
  const plane = await startOAuthControlPlane(t, { oauth: { pollIntervalSeconds: 0.6 } });
  const ana = await signInFirstOwner(plane);
  const machine = createMachine(t, plane);
  const refused = machine.start(['login', '--device', '--json']);
  const code = await waitForOutput(refused.written, /"user_code":"([A-Z-]+)"/);
  await ana.api('POST', '/device', { user_code: code, allow: false });
  t.equal(await refused.done, 2);
  t.match(refused.written.stdout, /LOGIN_REFUSED/);
});

t.test('a code that is not entered expires and ends the command', async (t) => {
  const plane = await startOAuthControlPlane(t, { oauth: { pollIntervalSeconds: 0.6, deviceCodeSeconds: 2 } });
  const machine = createMachine(t, plane);
  const late = machine.start(['login', '--device', '--json']);
  t.equal(await late.done, 2);
  t.match(late.written.stdout, /LOGIN_EXPIRED/);
});

t.test('signing out revokes the credential and removes its file', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const machine = await signedIn(t, plane, await signInFirstOwner(plane));
  const token = machine.readCredential()?.token;
  t.match(await machine.vp('logout'), { code: 0, stdout: /^signed out of/ });
  t.notOk(existsSync(join(machine.paths.config, 'preferences.json')), 'nothing to remember leaves no file');
  t.equal(machine.readCredential(), undefined);
  const used = await fetch(`${plane.url}/api/v1/session`, { headers: { authorization: `Bearer ${token}` } });
  t.equal(used.status, 401);
  t.match(await machine.vp('whoami'), { code: 2, stderr: /CREDENTIAL_ABSENT/ });
  t.match((await machine.vp('whoami')).stderr, /vp login/);
  t.match(await machine.vp('logout'), { code: 0, stdout: /you were not signed in/ });
});

t.test(
  'signing out of an unreachable control plane removes the credential, and reports that it was not revoked',
  async (t) => {
    const plane = await startOAuthControlPlane(t);
    const machine = await signedIn(t, plane, await signInFirstOwner(plane));
    await plane.close();
    t.match(await machine.vp('logout'), { code: 1, stdout: /could not be revoked/ });
    t.equal(machine.readCredential(), undefined);
  },
);

/** Changes the stored credential so that its token is about to expire. */
function expireToken({ file, readCredential }: { file: string; readCredential(): object | undefined }): void {
  writeFileSync(file, JSON.stringify({ ...readCredential(), expires_at_ms: Date.now() }), { mode: 0o600 });
}

t.test('a token that is about to expire is renewed, also by concurrent commands', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const machine = await signedIn(t, plane, await signInFirstOwner(plane));
  const before = machine.readCredential();
  expireToken(machine);
  const all = await Promise.all([1, 2, 3, 4].map(() => machine.vp('whoami')));
  t.same(
    all.map(({ code }) => code),
    [0, 0, 0, 0],
    all.map(({ stderr }) => stderr).join(''),
  );
  t.not(machine.readCredential()?.token, before?.token);
  t.not(machine.readCredential()?.refresh_token, before?.refresh_token);
  t.equal(statSync(machine.file).mode & 0o777, 0o600);
  expireToken(machine);
  t.match(await machine.vp('whoami'), { code: 0 }, 'the family holds');
});

t.test('a sign-in that was revoked elsewhere is reported, and the credential is removed', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const machine = await signedIn(t, plane, ana);
  const next = 'window-otter-31-basalt';
  await ana.api('PUT', '/session/password', { current: 'lantern-walrus-72-granite', next });
  t.match(await machine.vp('whoami'), { code: 2, stderr: /CREDENTIAL_INVALID/ });
  expireToken(machine);
  const ended = await machine.vp('whoami');
  t.match(ended, { code: 2, stderr: /LOGIN_ENDED/ });
  t.match(ended.stderr, /vp login/);
  t.equal(machine.readCredential(), undefined);
});

t.test('VP_TOKEN takes precedence over the stored credential', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const machine = await signedIn(t, plane, ana);
  const apiKey = await (await ana.api('POST', '/api-keys', { name: 'ci', role: 'viewer' })).json();
  const { done, written } = machine.start(['whoami'], { VP_TOKEN: apiKey.key });
  t.equal(await done, 0);
  t.equal(written.stdout, 'Ana <ana@example.com>, by an API key that is viewer\n');
});

t.test('before there are accounts the owner key is used', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const machine = createMachine(t, plane);
  writeCredential(machine.paths, plane.url, plane.ownerKey ?? '');
  t.match(await machine.vp('whoami'), { code: 0, stdout: 'holder of the owner key, owner\n' });
  t.match(await machine.vp('logout'), { code: 0 });
});

t.test('servers that are not control planes, or name other origins, are refused', async (t) => {
  let metadata: object = {};
  const server = createServer((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const machine = createMachine(t, { url });
  t.match(await machine.vp('login'), { code: 4, stderr: /LOGIN_FAILED/ });
  metadata = { issuer: url, authorization_endpoint: `${url}/a`, token_endpoint: 'https://evil.example/token' };
  const foreign = await machine.vp('login');
  t.match(foreign, { code: 4, stderr: /evil\.example/ });
  t.match(await createMachine(t, { url: 'http://127.0.0.1:1' }).vp('login'), {
    code: 4,
    stderr: /CONTROL_PLANE_UNREACHABLE/,
  });
  t.match(await createMachine(t, { url: 'http://192.0.2.1:7700' }).vp('login'), {
    code: 2,
    stderr: /CREDENTIAL_IN_CLEAR/,
  });
});

t.test('a control plane can be named localhost', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const machine = createMachine(t, { url: plane.url.replace('127.0.0.1', 'localhost') });
  const { written, done } = machine.start(['login']);
  await follow(ana, await waitForOutput(written, /^ {2}(http\S+)/m));
  t.equal(await done, 0, written.stdout);
  t.match(await machine.vp('whoami'), { code: 0, stdout: /^Ana/ });
  t.ok(readFileSync(join(machine.file), 'utf8').includes('localhost'));
});
