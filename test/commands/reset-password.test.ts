import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { dispatch } from '../../src/commands/dispatch.ts';
import { resetPasswordCommand } from '../../src/commands/reset-password.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import {
  authorization,
  codeFor,
  firstOwner,
  oauthPlane,
  password,
  realBrowser,
  redeem,
  withToken,
} from '../server/oauth-plane.ts';

const next = 'seven brown otters swim at night';

async function call(folder: string, settings: Parameters<typeof memoryEnvironment>[0] = {}, ...more: string[]) {
  const args = ['reset-password', '--data', folder, ...more];
  const { environment, written } = memoryEnvironment({ ...settings, args });
  return { code: await dispatch(environment), ...written };
}

const email = ['--email', 'ANA@example.com'];

/** The secret of a new link. */
async function made(folder: string): Promise<string> {
  await call(folder, {}, ...email);
  return new URL(readFileSync(join(folder, 'password-link.txt'), 'utf8').trim()).hash.slice(1);
}

t.test('the link goes to a terminal, or to a file that only its user can read', async (t) => {
  const plane = await oauthPlane(t);
  await firstOwner(plane);
  const shown = await call(plane.folder, { stdout: { isTTY: true } }, ...email);
  t.match(shown, { code: 0 });
  t.match(shown.stdout, new RegExp(`^open ${plane.url}/reset-password#[\\w-]{43} \\(good for 30 minutes, once\\)`));
  const kept = await call(plane.folder, {}, ...email);
  const file = join(plane.folder, 'password-link.txt');
  t.match(kept.stdout, file);
  t.notMatch(kept.stdout, /#/);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(JSON.parse((await call(plane.folder, {}, ...email, '--json')).stdout), { password_link_file: file });
});

t.test('beside a running control plane it sets a new password, once, and ends what went by the old one', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const { body: tokens } = await redeem(plane, await codeFor(ana, asked.url), asked);
  const [older, secret] = [await made(plane.folder), await made(plane.folder)];
  const one = realBrowser(plane.url);
  const ended = await one.api('POST', '/password-reset/look-up', { secret: older });
  t.equal((await ended.json()).code, 'LINK_ENDED', 'an earlier link has ended');
  const offer = await one.api('POST', '/password-reset/look-up', { secret });
  t.same(await offer.json(), { name: 'Ana', email: 'ana@example.com' });
  const weak = await one.api('POST', '/password-reset', { secret, password: 'password1234' });
  t.equal((await weak.json()).code, 'PASSWORD_WEAK');
  const set = await one.api('POST', '/password-reset', { secret, password: next });
  t.equal(set.status, 201);
  t.match(await (await one.api('GET', '/session')).json(), { role: 'owner', via: 'session' });
  t.equal((await ana.api('GET', '/session')).status, 401, 'the session of before');
  t.equal((await withToken(plane, tokens.access_token)).status, 401, 'the program of before');
  const again = await one.api('POST', '/password-reset', { secret, password: next });
  t.equal((await again.json()).code, 'LINK_ENDED');
  const other = realBrowser(plane.url);
  t.equal((await other.api('POST', '/session', { email: 'ana@example.com', password })).status, 403);
  t.equal((await other.api('POST', '/session', { email: 'ana@example.com', password: next })).status, 201);
  const told = plane.lines.find(({ security }) => security === 'password_reset');
  t.match(told, { address: '127.0.0.1', link_made_at: /^20/ });
  t.notMatch(JSON.stringify(plane.lines), secret);
});

t.test('an email without an account is refused with those that there are: RESET_PERSON_UNKNOWN', async (t) => {
  const plane = await oauthPlane(t);
  await firstOwner(plane);
  const { code, stderr } = await call(plane.folder, {}, '--email', 'eve@example.com');
  t.equal(code, 2);
  t.match(stderr, /eve@example\.com[\s\S]*ana@example\.com/);
  t.equal(
    JSON.parse((await call(plane.folder, {}, '--email', 'x@y.z', '--json')).stdout).error.code,
    'RESET_PERSON_UNKNOWN',
  );
  t.match((await call(plane.folder)).stderr, /--email is needed/);
  t.match((await call(t.testdir(), {}, ...email)).stderr, /no store/i);
  t.match(resetPasswordCommand.name, 'reset-password');
});

t.test('a link ends after half an hour', async (t) => {
  const { served } = await import('../server/served.ts');
  const { browser, setUp } = await import('../server/browser.ts');
  const { makePasswordSecret } = await import('../../src/identity/password-links.ts');
  const { systemClock } = await import('../../src/environment/clock.ts');
  const { systemRandom: random } = await import('../../src/environment/random.ts');
  let aheadMs = 0;
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
  const api = await served(t, { clock });
  await setUp(api);
  const { database, keyring } = api.control;
  const parts = { database, tokenHashKey: keyring.tokenHashKey, random, nowMs: clock.nowMs() };
  const secret = await makePasswordSecret(parts, 'ana@example.com');
  const ask = () => browser(api).ask('POST', '/api/v1/password-reset/look-up', { secret });
  t.equal((await ask()).status, 200);
  aheadMs = 30 * 60_000;
  t.equal((await ask()).status, 410);
});
