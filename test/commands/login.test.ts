/** `vp login`, `vp logout` and `vp whoami` against a real control plane, with a browser that is played. */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { credentialFile, keptCredential, writeCredential } from '../../src/commands/credentials.ts';
import { dispatch } from '../../src/commands/dispatch.ts';
import { pathsOf } from '../../src/environment/paths.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { answer, firstOwner, type OAuthPlane, oauthPlane, type RealBrowser } from '../server/oauth-plane.ts';

function machine(t: Test, plane: { url: string }) {
  const paths = pathsOf({}, 'linux', t.testdir());
  const start = (args: readonly string[], variables: Record<string, string> = {}) => {
    const all = { VP_CONTROL_PLANE: plane.url, ...variables };
    const { environment, written } = memoryEnvironment({ args, paths, variables: all });
    return { written, done: dispatch(environment) };
  };
  const vp = async (...args: string[]) => {
    const { done, written } = start(args);
    return { code: await done, ...written };
  };
  const kept = () => keptCredential(paths, plane.url);
  return { paths, start, vp, kept, file: credentialFile(paths, plane.url) };
}

/** Waits for a line of output. */
async function seen(written: { stdout: string }, pattern: RegExp): Promise<string> {
  for (let round = 0; round < 1000; round += 1) {
    const [, found] = pattern.exec(written.stdout) ?? [];
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`never said: ${written.stdout}`);
}

/** Follows the address as a person would, and answers the consent page. */
async function follow(ana: RealBrowser, url: string, allow = true): Promise<void> {
  const back = await answer(ana, await answer(ana, await ana.go(url), true), allow);
  const landed = await fetch(back.headers.get('location') ?? '');
  if (landed.status !== 200) throw new Error(`the program was not there: ${landed.status}`);
  await landed.text();
}

async function signedIn(t: Test, plane: OAuthPlane, ana: RealBrowser) {
  const here = machine(t, plane);
  const { written, done } = here.start(['login']);
  await follow(ana, await seen(written, /^ {2}(http\S+)/m));
  t.equal(await done, 0, written.stdout);
  return { ...here, written };
}

t.test('signing in opens a page, keeps the credential for this user alone, and other commands use it', async (t) => {
  const plane = await oauthPlane(t);
  const here = await signedIn(t, plane, await firstOwner(plane));
  t.match(here.written.stdout, /signed in at http:\/\/127\.0\.0\.1:\d+ as Ana <ana@example\.com>, owner/);
  t.equal(statSync(here.file).mode & 0o777, 0o600);
  t.match(here.kept(), { control_plane: plane.url, token: /^[\w-]{43}$/, refresh_token: /^[\w-]{43}$/ });
  t.notMatch(here.written.stdout, here.kept()?.token ?? '-');
  t.match(await here.vp('whoami'), { code: 0, stdout: 'Ana <ana@example.com>, owner\n' });
  t.match(JSON.parse((await here.vp('whoami', '--json')).stdout), {
    person: { name: 'Ana' },
    via: 'grant',
    role: 'owner',
  });
  t.match(await here.vp('instances', 'create', 'shop'), { code: 0 });
});

t.test('signing in again ends the sign-in before', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const here = await signedIn(t, plane, ana);
  const first = here.kept()?.token;
  const { written, done } = here.start(['login']);
  await follow(ana, await seen(written, /^ {2}(http\S+)/m));
  t.equal(await done, 0);
  const status = async (token: string | undefined) =>
    (await fetch(`${plane.url}/api/v1/session`, { headers: { authorization: `Bearer ${token}` } })).status;
  t.equal(await status(first), 401);
  t.equal(await status(here.kept()?.token), 200);
});

t.test('a refusal in the browser ends the command with it', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const here = machine(t, plane);
  const { written, done } = here.start(['login', '--json']);
  await follow(ana, await seen(written, /"url":"([^"]+)"/), false);
  t.equal(await done, 2);
  t.match(written.stdout, /LOGIN_REFUSED/);
  t.equal(here.kept(), undefined);
});

t.test('without a browser a code is typed elsewhere', async (t) => {
  const plane = await oauthPlane(t, { oauth: { pollSeconds: 0.6 } });
  const ana = await firstOwner(plane);
  const here = machine(t, plane);
  const { written, done } = here.start(['login', '--device']);
  const code = await seen(written, /^ {4}([A-Z]{4}-[A-Z]{4})$/m);
  t.match(written.stdout, `open ${plane.url}/device in a browser`);
  t.equal((await ana.api('POST', '/device', { user_code: code, allow: true })).status, 204);
  t.equal(await done, 0);
  t.match(await here.vp('whoami'), { code: 0, stdout: /^Ana / });
});

t.test('a code that is refused ends the command', async (t) => {
  const plane = await oauthPlane(t, { oauth: { pollSeconds: 0.6 } });
  const ana = await firstOwner(plane);
  const here = machine(t, plane);
  const refused = here.start(['login', '--device', '--json']);
  const code = await seen(refused.written, /"user_code":"([A-Z-]+)"/);
  await ana.api('POST', '/device', { user_code: code, allow: false });
  t.equal(await refused.done, 2);
  t.match(refused.written.stdout, /LOGIN_REFUSED/);
});

t.test('a code that nobody types ends the command', async (t) => {
  const plane = await oauthPlane(t, { oauth: { pollSeconds: 0.6, deviceSeconds: 2 } });
  const here = machine(t, plane);
  const late = here.start(['login', '--device', '--json']);
  t.equal(await late.done, 2);
  t.match(late.written.stdout, /LOGIN_EXPIRED/);
});

t.test('signing out ends the credential at the control plane and here', async (t) => {
  const plane = await oauthPlane(t);
  const here = await signedIn(t, plane, await firstOwner(plane));
  const token = here.kept()?.token;
  t.match(await here.vp('logout'), { code: 0, stdout: /^signed out of/ });
  t.equal(here.kept(), undefined);
  const used = await fetch(`${plane.url}/api/v1/session`, { headers: { authorization: `Bearer ${token}` } });
  t.equal(used.status, 401);
  t.match(await here.vp('whoami'), { code: 2, stderr: /CREDENTIAL_ABSENT/ });
  t.match((await here.vp('whoami')).stderr, /vp login/);
  t.match(await here.vp('logout'), { code: 0, stdout: /you were not signed in/ });
});

t.test('signing out of a control plane that is away forgets the credential, and says what is left', async (t) => {
  const plane = await oauthPlane(t);
  const here = await signedIn(t, plane, await firstOwner(plane));
  await plane.close();
  t.match(await here.vp('logout'), { code: 1, stdout: /could not be told/ });
  t.equal(here.kept(), undefined);
});

/** Makes what is kept look as if its token were about to end. */
function age({ file, kept }: { file: string; kept(): object | undefined }): void {
  writeFileSync(file, JSON.stringify({ ...kept(), expires_at_ms: Date.now() }), { mode: 0o600 });
}

t.test('a token that is about to end is renewed by itself, also by many commands at once', async (t) => {
  const plane = await oauthPlane(t);
  const here = await signedIn(t, plane, await firstOwner(plane));
  const before = here.kept();
  age(here);
  const all = await Promise.all([1, 2, 3, 4].map(() => here.vp('whoami')));
  t.same(
    all.map(({ code }) => code),
    [0, 0, 0, 0],
    all.map(({ stderr }) => stderr).join(''),
  );
  t.not(here.kept()?.token, before?.token);
  t.not(here.kept()?.refresh_token, before?.refresh_token);
  t.equal(statSync(here.file).mode & 0o777, 0o600);
  age(here);
  t.match(await here.vp('whoami'), { code: 0 }, 'the family holds');
});

t.test('when the sign-in has ended elsewhere the command says so, and forgets it', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const here = await signedIn(t, plane, ana);
  const next = 'window-otter-31-basalt';
  await ana.api('PUT', '/session/password', { current: 'lantern-walrus-72-granite', next });
  t.match(await here.vp('whoami'), { code: 2, stderr: /CREDENTIAL_INVALID/ });
  age(here);
  const ended = await here.vp('whoami');
  t.match(ended, { code: 2, stderr: /LOGIN_ENDED/ });
  t.match(ended.stderr, /vp login/);
  t.equal(here.kept(), undefined);
});

t.test('VP_TOKEN stands before what is kept', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const here = await signedIn(t, plane, ana);
  const made = await (await ana.api('POST', '/api-keys', { name: 'ci', role: 'viewer' })).json();
  const { done, written } = here.start(['whoami'], { VP_TOKEN: made.key });
  t.equal(await done, 0);
  t.equal(written.stdout, 'Ana <ana@example.com>, by an API key that is viewer\n');
});

t.test('before there are accounts the owner key answers', async (t) => {
  const plane = await oauthPlane(t);
  const here = machine(t, plane);
  writeCredential(here.paths, plane.url, plane.ownerKey ?? '');
  t.match(await here.vp('whoami'), { code: 0, stdout: 'holder of the owner key, owner\n' });
  t.match(await here.vp('logout'), { code: 0 });
});

t.test('what is no control plane, or sends elsewhere, is not signed in to', async (t) => {
  let metadata: object = {};
  const server = createServer((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const here = machine(t, { url });
  t.match(await here.vp('login'), { code: 4, stderr: /LOGIN_FAILED/ });
  metadata = { issuer: url, authorization_endpoint: `${url}/a`, token_endpoint: 'https://evil.example/token' };
  const foreign = await here.vp('login');
  t.match(foreign, { code: 4, stderr: /evil\.example/ });
  t.match(await machine(t, { url: 'http://127.0.0.1:1' }).vp('login'), {
    code: 4,
    stderr: /CONTROL_PLANE_UNREACHABLE/,
  });
  t.match(await machine(t, { url: 'http://192.0.2.1:7700' }).vp('login'), { code: 2, stderr: /CREDENTIAL_IN_CLEAR/ });
});

t.test('a control plane that is named localhost is the same one', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const here = machine(t, { url: plane.url.replace('127.0.0.1', 'localhost') });
  const { written, done } = here.start(['login']);
  await follow(ana, await seen(written, /^ {2}(http\S+)/m));
  t.equal(await done, 0, written.stdout);
  t.match(await here.vp('whoami'), { code: 0, stdout: /^Ana/ });
  t.ok(readFileSync(join(here.file), 'utf8').includes('localhost'));
});
