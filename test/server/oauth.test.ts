import t from 'tap';
import { clientOf } from './hub-program.ts';
import {
  answer,
  authorization,
  codeFor,
  firstOwner,
  form,
  oauthPlane,
  password,
  realBrowser,
  redeem,
  uidOf,
  withToken,
} from './oauth-plane.ts';

const device = 'urn:ietf:params:oauth:grant-type:device_code';

t.test('a program gets tokens by way of sign-in and consent, and acts as the person', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const start = await ana.go(asked.url);
  t.equal(start.status, 303);
  const signIn = await (await ana.api('GET', `/interactions/${uidOf(start)}`)).json();
  t.match(signIn, { kind: 'sign_in', client_name: 'vp on the command line', redirect_host: '127.0.0.1:45678' });
  const consent = await answer(ana, start, true);
  t.equal(consent.status, 303);
  t.match(await (await ana.api('GET', `/interactions/${uidOf(consent)}`)).json(), { kind: 'consent', scopes: ['api'] });
  const back = await answer(ana, consent, true);
  const landed = new URL(back.headers.get('location') ?? '');
  t.equal(landed.host, '127.0.0.1:45678', 'whatever port the program listens on');
  t.equal(landed.searchParams.get('state'), 'the-state');
  t.equal(landed.searchParams.get('iss'), plane.url);
  const { status, body } = await redeem(plane, landed.searchParams.get('code') ?? '', asked);
  t.equal(status, 200);
  t.match(body, { token_type: 'Bearer', scope: 'api', access_token: /^[\w-]{43}$/, refresh_token: /^[\w-]{43}$/ });
  t.match(await (await withToken(plane, body.access_token)).json(), {
    person: { name: 'Ana' },
    via: 'grant',
    role: 'owner',
  });
  t.equal((await withToken(plane, body.access_token, '/invitations', 'POST')).status, 403, 'but invites nobody');
  t.equal((await withToken(plane, body.access_token, '/api-keys')).status, 403, 'and makes no further credentials');
  t.equal((await withToken(plane, body.refresh_token)).status, 401, 'a refresh token is no access token');
});

t.test('who refuses sends the program back with nothing', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const start = await ana.go(authorization(plane).url);
  const back = await answer(ana, await answer(ana, start, true), false);
  const landed = new URL(back.headers.get('location') ?? '');
  t.equal(landed.searchParams.get('error'), 'access_denied');
  t.equal(landed.searchParams.get('code'), null);
});

t.test('an authorization needs PKCE with S256, a known redirect and a known client', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const errorOf = async (more: Record<string, string>) => {
    const answered = await ana.go(authorization(plane, more).url);
    const location = answered.headers.get('location') ?? '';
    return URL.canParse(location)
      ? new URL(location).searchParams.get('error')
      : `${answered.status} ${await answered.text()}`;
  };
  t.equal(await errorOf({ code_challenge_method: 'plain' }), 'invalid_request');
  t.match(await errorOf({ redirect_uri: 'https://evil.example/callback' }), /^400 .*redirect_uri/s);
  t.match(await errorOf({ redirect_uri: 'http://127.0.0.1:1/elsewhere' }), /^400 /);
  t.match(await errorOf({ client_id: 'nobody' }), /^400 .*invalid_client/s);
  t.equal(await errorOf({ resource: `${plane.url}/hub/x/mcp` }), 'invalid_target');
  t.equal(await errorOf({ response_type: 'token' }), null, 'tokens never stand in an address');
  t.equal(await errorOf({ prompt: 'none' }), 'login_required');
});

t.test('an interaction belongs to its browser, and is asked of a signed-in page only', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const mallory = realBrowser(plane.url);
  const uid = uidOf(await mallory.go(authorization(plane).url));
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? { allow: true } : undefined;
    const lured = await ana.api(method, `/interactions/${uid}`, body);
    t.equal(lured.status, 410, `${method}: a link to somebody else's request leads nowhere`);
    t.equal((await lured.json()).code, 'INTERACTION_ENDED');
  }
  t.equal((await mallory.api('POST', `/interactions/${uid}`, { allow: true })).status, 401);
});

t.test('who consents must be who signed in', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const made = await (await ana.api('POST', '/invitations', { role: 'viewer' })).json();
  const consent = await answer(ana, await ana.go(authorization(plane).url), true);
  const secret = new URL(made.url).hash.slice(1);
  await ana.api('POST', '/invitations/accept', { secret, name: 'Vic', email: 'vic@example.com', password });
  const swapped = await ana.api('POST', `/interactions/${uidOf(consent)}`, { allow: true });
  t.equal((await swapped.json()).code, 'INTERACTION_ENDED');
});

t.test('a second authorization in the same browser, by somebody else, is theirs', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const made = await (await ana.api('POST', '/invitations', { role: 'viewer' })).json();
  const first = authorization(plane);
  await redeem(plane, await codeFor(ana, first.url), first);
  const secret = new URL(made.url).hash.slice(1);
  await ana.api('POST', '/invitations/accept', { secret, name: 'Vic', email: 'vic@example.com', password });
  const second = authorization(plane);
  const { body } = await redeem(plane, await codeFor(ana, second.url), second);
  t.match(await (await withToken(plane, body.access_token)).json(), { person: { name: 'Vic' }, role: 'viewer' });
});

t.test('a code is good once: its second use ends what the first gave', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const code = await codeFor(ana, asked.url);
  t.match(await redeem(plane, code, { ...asked, verifier: 'x'.repeat(43) }), {
    status: 400,
    body: { error: 'invalid_grant' },
  });
  const fresh = authorization(plane);
  const good = await codeFor(ana, fresh.url);
  const { body } = await redeem(plane, good, fresh);
  t.equal((await withToken(plane, body.access_token)).status, 200);
  t.match(await redeem(plane, good, fresh), { status: 400, body: { error: 'invalid_grant' } });
  t.equal((await withToken(plane, body.access_token)).status, 401);
  t.ok(plane.lines.some(({ security }) => security === 'oauth_grant_revoked'));
});

t.test('a refresh token is replaced at each use; using an old one ends the whole family', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const { body: first } = await redeem(plane, await codeFor(ana, asked.url), asked);
  const refresh = (token = '') => form(plane, 'token', { grant_type: 'refresh_token', refresh_token: token });
  const { status, body: second } = await refresh(first.refresh_token);
  t.equal(status, 200);
  t.not(second.refresh_token, first.refresh_token);
  t.equal((await withToken(plane, second.access_token)).status, 200);
  const stream = await withToken(plane, second.access_token, '/events');
  const reader = stream.body?.getReader();
  await reader?.read();
  t.match(await refresh(first.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  t.equal((await withToken(plane, second.access_token)).status, 401, 'thief and owner cannot be told apart');
  t.match(await refresh(second.refresh_token), { status: 400 });
  t.equal((await reader?.read())?.done, true, 'a stream on that grant ends at once');
  t.ok(plane.lines.some(({ security, error }) => security === 'oauth_refused' && error === 'invalid_grant'));
});

t.test('of two uses of a refresh token at the same time one succeeds at most', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const { body } = await redeem(plane, await codeFor(ana, asked.url), asked);
  const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' };
  const both = await Promise.all([form(plane, 'token', fields), form(plane, 'token', fields)]);
  t.ok(both.filter(({ status }) => status === 200).length <= 1);
});

t.test('revoking ends the tokens', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const { body } = await redeem(plane, await codeFor(ana, asked.url), asked);
  t.equal((await form(plane, 'revoke', { token: body.refresh_token ?? '' })).status, 200);
  t.equal((await withToken(plane, body.access_token)).status, 401);
  t.equal((await form(plane, 'revoke', { token: 'never-was-one' })).status, 200);
});

t.test('an access token ends by itself, with a new password, and with its person', async (t) => {
  const plane = await oauthPlane(t, { oauth: { accessSeconds: 1 } });
  const ana = await firstOwner(plane);
  const token = async () => {
    const asked = authorization(plane);
    return (await redeem(plane, await codeFor(ana, asked.url), asked)).body;
  };
  const { access_token: short } = await token();
  t.equal((await withToken(plane, short)).status, 200);
  const { refresh_token: refreshToken = '' } = await token();
  const next = 'window-otter-31-basalt';
  t.equal((await ana.api('PUT', '/session/password', { current: password, next })).status, 204);
  t.match(await form(plane, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken }), { status: 400 });
  t.equal((await withToken(plane, short)).status, 401);
  const { access_token: last } = await token();
  await new Promise((resolve) => setTimeout(resolve, 1100));
  t.equal((await withToken(plane, last)).status, 401);
});

t.test('the metadata say what there is, for the issuer at the root', async (t) => {
  const plane = await oauthPlane(t);
  for (const path of ['oauth-authorization-server', 'openid-configuration']) {
    const metadata = await (await fetch(`${plane.url}/.well-known/${path}`)).json();
    t.match(metadata, {
      issuer: plane.url,
      authorization_endpoint: `${plane.url}/oauth/authorize`,
      token_endpoint: `${plane.url}/oauth/token`,
      revocation_endpoint: `${plane.url}/oauth/revoke`,
      device_authorization_endpoint: `${plane.url}/oauth/device-authorization`,
      registration_endpoint: `${plane.url}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
    });
  }
});

t.test('the guards stand before the OAuth server too', async (t) => {
  const plane = await oauthPlane(t);
  const { request } = await import('node:http');
  const asked = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve) => {
      request(`${plane.url}/oauth/jwks`, { headers }, (answered) => {
        answered.resume();
        resolve(answered.statusCode);
      }).end();
    });
  t.equal(await asked({}), 200);
  t.equal(await asked({ host: 'evil.example' }), 421, 'a forged Host');
  t.equal(await asked({ origin: 'http://127.0.0.1:3200' }), 403, 'another page of this host');
  const metadata = await fetch(`${plane.url}/.well-known/oauth-authorization-server`, {
    headers: { 'x-forwarded-host': 'evil.example' },
  });
  t.equal((await metadata.json()).token_endpoint, `${plane.url}/oauth/token`);
  t.equal(metadata.headers.get('x-frame-options'), 'DENY');
  let status = 200;
  for (let round = 0; round < 305 && status === 200; round += 1) {
    const answered = await fetch(`${plane.url}/oauth/jwks`);
    status = answered.status;
    await answered.body?.cancel();
  }
  t.equal(status, 429);
  t.equal(plane.lines.filter(({ security }) => security === 'oauth_calls_limited').length, 1);
});

t.test('keys and records outlive a restart; nothing in the store can be used as it is', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const { body } = await redeem(plane, await codeFor(ana, asked.url), asked);
  const jwks = async (at: { url: string }) => (await fetch(`${at.url}/oauth/jwks`)).json();
  const { keys: before } = await jwks(plane);
  const secrets = [
    body.access_token,
    body.refresh_token,
    ana.proof,
    ...[...ana.cookies.values()].map(({ value }) => value),
  ];
  await plane.close();
  const { readFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const bytes = readFileSync(join(plane.folder, 'control.db')).toString('latin1');
  for (const secret of secrets) t.notOk(bytes.includes(secret ?? ''), 'no secret stands in the store');
  const again = await oauthPlane(t, { folder: plane.folder });
  t.same((await jwks(again)).keys, before);
  t.notOk(JSON.stringify(before).includes('"d"'), 'the public half only');
});

t.test('a device is let in by its typed code, once', async (t) => {
  const plane = await oauthPlane(t, { oauth: { pollSeconds: 0.6 } });
  const ana = await firstOwner(plane);
  const { body } = await form(plane, 'device-authorization', { scope: 'api' });
  t.match(body, { user_code: /^[A-Z]{4}-[A-Z]{4}$/, verification_uri: `${plane.url}/device`, device_code: /./ });
  t.notOk(body.verification_uri_complete, 'the code is typed, never followed as a link');
  const { user_code: code = '', device_code: deviceCode = '' } = body;
  const poll = () => form(plane, 'token', { grant_type: device, device_code: deviceCode });
  t.match(await poll(), { status: 400, body: { error: 'authorization_pending' } });
  t.match(await poll(), { status: 400, body: { error: 'slow_down' } }, 'asking at once again');
  const typed = code.toLowerCase().replace('-', ' ');
  t.match(await (await ana.api('POST', '/device/look-up', { user_code: typed })).json(), {
    client_name: 'vp on the command line',
    address: '127.0.0.1',
    scopes: ['api'],
  });
  t.equal((await ana.api('POST', '/device', { user_code: typed, allow: true })).status, 204);
  const again = await ana.api('POST', '/device', { user_code: typed, allow: false });
  t.equal((await again.json()).code, 'DEVICE_CODE_UNKNOWN', 'answered once');
  await new Promise((resolve) => setTimeout(resolve, 150));
  const { status, body: tokens } = await poll();
  t.equal(status, 200);
  t.match(await (await withToken(plane, tokens.access_token)).json(), { person: { name: 'Ana' }, via: 'grant' });
  await new Promise((resolve) => setTimeout(resolve, 150));
  t.match(await poll(), { status: 400, body: { error: 'invalid_grant' } }, 'a repeated device code');
  t.equal((await withToken(plane, tokens.access_token)).status, 401, 'ends what the first use gave');
});

t.test('a device that is refused gets nothing', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const { body: refused } = await form(plane, 'device-authorization', {});
  const poll = (code = '') => form(plane, 'token', { grant_type: device, device_code: code });
  t.equal((await ana.api('POST', '/device', { user_code: refused.user_code, allow: false })).status, 204);
  t.match(await poll(refused.device_code), { status: 400, body: { error: 'access_denied' } });
  t.match(await poll('never-was-one'), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('a device whose code has expired gets nothing', async (t) => {
  const plane = await oauthPlane(t, { oauth: { deviceSeconds: 1 } });
  const ana = await firstOwner(plane);
  const { body: late } = await form(plane, 'device-authorization', {});
  await new Promise((resolve) => setTimeout(resolve, 1100));
  t.equal(
    (await (await ana.api('POST', '/device/look-up', { user_code: late.user_code })).json()).code,
    'DEVICE_CODE_UNKNOWN',
  );
  const polled = await form(plane, 'token', { grant_type: device, device_code: late.device_code ?? '' });
  t.match(polled, { status: 400, body: { error: 'expired_token' } });
});

t.test('typing codes at random is slowed down and told', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  let status = 404;
  for (let round = 0; round < 25 && status === 404; round += 1)
    status = (await ana.api('POST', '/device/look-up', { user_code: 'BBBB-BBBB' })).status;
  t.equal(status, 429);
  t.ok(plane.lines.some(({ security }) => security === 'device_codes_guessed'));
});

t.test('a restored copy lets nobody in again who has signed out since', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const { body } = await redeem(plane, await codeFor(ana, asked.url), asked);
  const { join } = await import('node:path');
  const { controlStoreFile } = await import('../../src/store/control/open.ts');
  const { copyStore } = await import('../../src/store/copy.ts');
  const { restoreControl } = await import('../../src/control/restore.ts');
  const { systemClock } = await import('../../src/environment/clock.ts');
  const program = await clientOf(plane);
  const copy = join(plane.folder, 'copy.db');
  await copyStore(controlStoreFile(plane.folder), copy, () => {});
  await plane.close();
  await restoreControl(copy, plane.folder, systemClock, process.pid);
  const again = await oauthPlane(t, { folder: plane.folder });
  const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' };
  t.match(await form(again, 'token', fields), { status: 400, body: { error: 'invalid_grant' } });
  t.equal((await withToken(again, body.access_token)).status, 401);
  const signIn = await realBrowser(again.url).api('POST', '/session', { email: 'ana@example.com', password });
  t.equal(signIn.status, 201, 'the account is there');
  const unknown = await form(again, 'token', { ...fields, client_id: program.clientId });
  t.equal(unknown.body.error, 'invalid_grant', 'a program is known still: it cannot be told to register again');
});
