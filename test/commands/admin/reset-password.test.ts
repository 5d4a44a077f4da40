import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { resetPasswordCommand } from '../../../src/commands/admin/reset-password.ts';
import { dispatch } from '../../../src/commands/dispatch.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import {
  buildAuthorization,
  callApi,
  createHttpBrowser,
  obtainCode,
  password,
  redeemCode,
  signInFirstOwner,
  startOAuthControlPlane,
} from '../../server/oauth/oauth-control-plane.ts';

const nextPassword = 'seven brown otters swim at night';

async function call(folder: string, settings: Parameters<typeof memoryEnvironment>[0] = {}, ...more: string[]) {
  const args = ['reset-password', '--data', folder, ...more];
  const { environment, written } = memoryEnvironment({ ...settings, args });
  return { code: await dispatch(environment), ...written };
}

const email = ['--email', 'ANA@example.com'];

/** The secret of a new link. */
async function createLinkSecret(folder: string): Promise<string> {
  await call(folder, {}, ...email);
  return new URL(readFileSync(join(folder, 'password-link.txt'), 'utf8').trim()).hash.slice(1);
}

t.test('the link is printed on a terminal, or written to a file that only its user can read', async (t) => {
  const plane = await startOAuthControlPlane(t);
  await signInFirstOwner(plane);
  const printed = await call(plane.folder, { stdout: { isTTY: true } }, ...email);
  t.match(printed, { code: 0 });
  t.match(printed.stdout, new RegExp(`^open ${plane.url}/reset-password#[\\w-]{43} \\(valid for 30 minutes, once\\)`));
  const written = await call(plane.folder, {}, ...email);
  const file = join(plane.folder, 'password-link.txt');
  t.match(written.stdout, file);
  t.notMatch(written.stdout, /#/);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(JSON.parse((await call(plane.folder, {}, ...email, '--json')).stdout), { password_link_file: file });
});

t.test(
  'while the control plane runs it sets a new password, once, and revokes existing sessions and apps',
  async (t) => {
    const plane = await startOAuthControlPlane(t);
    const ana = await signInFirstOwner(plane);
    const authorizationRequest = buildAuthorization(plane);
    const { body: tokens } = await redeemCode(
      plane,
      await obtainCode(ana, authorizationRequest.url),
      authorizationRequest,
    );
    const [older, secret] = [await createLinkSecret(plane.folder), await createLinkSecret(plane.folder)];
    const visitor = createHttpBrowser(plane.url);
    const ended = await visitor.api('POST', '/password-reset/look-up', { secret: older });
    t.equal((await ended.json()).code, 'LINK_ENDED', 'an earlier link has ended');
    const offer = await visitor.api('POST', '/password-reset/look-up', { secret });
    t.same(await offer.json(), { name: 'Ana', email: 'ana@example.com' });
    const weak = await visitor.api('POST', '/password-reset', { secret, password: 'password1234' });
    t.equal((await weak.json()).code, 'PASSWORD_WEAK');
    const set = await visitor.api('POST', '/password-reset', { secret, password: nextPassword });
    t.equal(set.status, 201);
    t.match(await (await visitor.api('GET', '/session')).json(), { role: 'owner', via: 'session' });
    t.equal((await ana.api('GET', '/session')).status, 401, 'the session of before');
    t.equal((await callApi(plane, tokens.access_token)).status, 401, 'the program of before');
    const reused = await visitor.api('POST', '/password-reset', { secret, password: nextPassword });
    t.equal((await reused.json()).code, 'LINK_ENDED');
    const anotherVisitor = createHttpBrowser(plane.url);
    t.equal((await anotherVisitor.api('POST', '/session', { email: 'ana@example.com', password })).status, 403);
    t.equal(
      (await anotherVisitor.api('POST', '/session', { email: 'ana@example.com', password: nextPassword })).status,
      201,
    );
    const logEntry = plane.lines.find(({ security }) => security === 'password_reset');
    t.match(logEntry, { address: '127.0.0.1', link_made_at: /^20/ });
    t.notMatch(JSON.stringify(plane.lines), secret);
  },
);

t.test('an unknown email is refused with the known ones: RESET_PERSON_UNKNOWN', async (t) => {
  const plane = await startOAuthControlPlane(t);
  await signInFirstOwner(plane);
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

t.test('a link expires after half an hour', async (t) => {
  const { startTestServer: served } = await import('../../server/test-server.ts');
  const { createBrowser: browser, setUpOwner: setUp } = await import('../../server/test-browser.ts');
  const { createPasswordLinkSecret: makePasswordSecret } = await import(
    '../../../src/identity/passwords/password-links.ts'
  );
  const { systemClock } = await import('../../../src/environment/clock.ts');
  const { systemRandom: random } = await import('../../../src/environment/random.ts');
  let aheadMs = 0;
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
  const api = await served(t, { clock });
  await setUp(api);
  const { database, keyring } = api.control;
  const dependencies = { database, tokenHashKey: keyring.tokenHashKey, random, nowMs: clock.nowMs() };
  const secret = await makePasswordSecret(dependencies, 'ana@example.com');
  const ask = () => browser(api).ask('POST', '/api/v1/password-reset/look-up', { secret });
  t.equal((await ask()).status, 200);
  aheadMs = 30 * 60_000;
  t.equal((await ask()).status, 410);
});
