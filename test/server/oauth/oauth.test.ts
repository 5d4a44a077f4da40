import t from 'tap';
import { advanceDate } from '../../environment/advance-date.ts';
import { copyStore } from '../../store/copy-store.ts';
import { createRegisteredClient } from './hub-client.ts';
import {
  buildAuthorization,
  callApi,
  createHttpBrowser,
  decideInteraction,
  obtainCode,
  parseInteractionUid,
  password,
  postForm,
  redeemCode,
  signInFirstOwner,
  startOAuthControlPlane,
} from './oauth-control-plane.ts';

const device = 'urn:ietf:params:oauth:grant-type:device_code';

t.test('a client gets tokens by sign-in and consent, and acts as the person', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const authorization = buildAuthorization(plane);
  const start = await ana.navigate(authorization.url);
  t.equal(start.status, 303);
  const signIn = await (await ana.api('GET', `/interactions/${parseInteractionUid(start)}`)).json();
  t.match(signIn, { kind: 'sign_in', client_name: 'vp on the command line', redirect_host: '127.0.0.1:45678' });
  const consent = await decideInteraction(ana, start, true);
  t.equal(consent.status, 303);
  t.match(await (await ana.api('GET', `/interactions/${parseInteractionUid(consent)}`)).json(), {
    kind: 'consent',
    scopes: ['api'],
  });
  const back = await decideInteraction(ana, consent, true);
  const landed = new URL(back.headers.get('location') ?? '');
  t.equal(landed.host, '127.0.0.1:45678', 'whatever port the program listens on');
  t.equal(landed.searchParams.get('state'), 'the-state');
  t.equal(landed.searchParams.get('iss'), plane.url);
  const { status, body } = await redeemCode(plane, landed.searchParams.get('code') ?? '', authorization);
  t.equal(status, 200);
  t.match(body, { token_type: 'Bearer', scope: 'api', access_token: /^[\w-]{43}$/, refresh_token: /^[\w-]{43}$/ });
  t.match(await (await callApi(plane, body.access_token)).json(), {
    person: { name: 'Ana' },
    via: 'grant',
    role: 'owner',
  });
  t.equal((await callApi(plane, body.access_token, '/invitations', 'POST')).status, 403, 'but invites nobody');
  t.equal((await callApi(plane, body.access_token, '/api-keys')).status, 403, 'and makes no further credentials');
  t.equal((await callApi(plane, body.refresh_token)).status, 401, 'a refresh token is no access token');
});

t.test('a refusal returns the client without a code', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const start = await ana.navigate(buildAuthorization(plane).url);
  const back = await decideInteraction(ana, await decideInteraction(ana, start, true), false);
  const landed = new URL(back.headers.get('location') ?? '');
  t.equal(landed.searchParams.get('error'), 'access_denied');
  t.equal(landed.searchParams.get('code'), null);
});

t.test('an authorization needs PKCE with S256, a known redirect and a known client', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const readError = async (more: Record<string, string>) => {
    const answered = await ana.navigate(buildAuthorization(plane, more).url);
    const location = answered.headers.get('location') ?? '';
    return URL.canParse(location)
      ? new URL(location).searchParams.get('error')
      : `${answered.status} ${await answered.text()}`;
  };
  t.equal(await readError({ code_challenge_method: 'plain' }), 'invalid_request');
  t.match(await readError({ redirect_uri: 'https://evil.example/callback' }), /^400 .*redirect_uri/s);
  t.match(await readError({ redirect_uri: 'http://127.0.0.1:1/elsewhere' }), /^400 /);
  t.match(await readError({ client_id: 'nobody' }), /^400 .*invalid_client/s);
  t.equal(await readError({ resource: `${plane.url}/hub/x/mcp` }), 'invalid_target');
  t.equal(await readError({ response_type: 'token' }), null, 'tokens never stand in an address');
  t.equal(await readError({ prompt: 'none' }), 'login_required');
});

t.test('an interaction belongs to its browser, and is decided by a signed-in page only', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const mallory = createHttpBrowser(plane.url);
  const uid = parseInteractionUid(await mallory.navigate(buildAuthorization(plane).url));
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? { allow: true } : undefined;
    const lured = await ana.api(method, `/interactions/${uid}`, body);
    t.equal(lured.status, 410, `${method}: a link to somebody else's request leads nowhere`);
    t.equal((await lured.json()).code, 'INTERACTION_ENDED');
  }
  t.equal((await mallory.api('POST', `/interactions/${uid}`, { allow: true })).status, 401);
});

t.test('only the person who signed in may consent', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const invited = await (await ana.api('POST', '/invitations', { role: 'viewer' })).json();
  const consent = await decideInteraction(ana, await ana.navigate(buildAuthorization(plane).url), true);
  const secret = new URL(invited.url).hash.slice(1);
  await ana.api('POST', '/invitations/accept', { secret, name: 'Vic', email: 'vic@example.com', password });
  const swapped = await ana.api('POST', `/interactions/${parseInteractionUid(consent)}`, { allow: true });
  t.equal((await swapped.json()).code, 'INTERACTION_ENDED');
});

t.test('a second authorization in the same browser belongs to the other person', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const invited = await (await ana.api('POST', '/invitations', { role: 'viewer' })).json();
  const first = buildAuthorization(plane);
  await redeemCode(plane, await obtainCode(ana, first.url), first);
  const secret = new URL(invited.url).hash.slice(1);
  await ana.api('POST', '/invitations/accept', { secret, name: 'Vic', email: 'vic@example.com', password });
  const second = buildAuthorization(plane);
  const { body } = await redeemCode(plane, await obtainCode(ana, second.url), second);
  t.match(await (await callApi(plane, body.access_token)).json(), { person: { name: 'Vic' }, role: 'viewer' });
});

t.test('a code is accepted once: its second use revokes the tokens of the first', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const authorization = buildAuthorization(plane);
  const code = await obtainCode(ana, authorization.url);
  t.match(await redeemCode(plane, code, { ...authorization, verifier: 'x'.repeat(43) }), {
    status: 400,
    body: { error: 'invalid_grant' },
  });
  const fresh = buildAuthorization(plane);
  const good = await obtainCode(ana, fresh.url);
  const { body } = await redeemCode(plane, good, fresh);
  t.equal((await callApi(plane, body.access_token)).status, 200);
  t.match(await redeemCode(plane, good, fresh), { status: 400, body: { error: 'invalid_grant' } });
  t.equal((await callApi(plane, body.access_token)).status, 401);
  t.ok(plane.lines.some(({ security }) => security === 'oauth_grant_revoked'));
});

t.test('a refresh token is rotated at each use; using an old one revokes the whole family', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const authorization = buildAuthorization(plane);
  const { body: first } = await redeemCode(plane, await obtainCode(ana, authorization.url), authorization);
  const refresh = (token = '') => postForm(plane, 'token', { grant_type: 'refresh_token', refresh_token: token });
  const { status, body: second } = await refresh(first.refresh_token);
  t.equal(status, 200);
  t.not(second.refresh_token, first.refresh_token);
  t.equal((await callApi(plane, second.access_token)).status, 200);
  const stream = await callApi(plane, second.access_token, '/events');
  const reader = stream.body?.getReader();
  await reader?.read();
  t.match(await refresh(first.refresh_token), { status: 400, body: { error: 'invalid_grant' } });
  t.equal((await callApi(plane, second.access_token)).status, 401, 'thief and owner cannot be told apart');
  t.match(await refresh(second.refresh_token), { status: 400 });
  t.equal((await reader?.read())?.done, true, 'a stream on that grant ends at once');
  t.ok(plane.lines.some(({ security, error }) => security === 'oauth_refused' && error === 'invalid_grant'));
});

t.test('of two uses of a refresh token at the same time one succeeds at most', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const authorization = buildAuthorization(plane);
  const { body } = await redeemCode(plane, await obtainCode(ana, authorization.url), authorization);
  const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' };
  const both = await Promise.all([postForm(plane, 'token', fields), postForm(plane, 'token', fields)]);
  t.ok(both.filter(({ status }) => status === 200).length <= 1);
});

t.test('revocation invalidates the tokens', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const authorization = buildAuthorization(plane);
  const { body } = await redeemCode(plane, await obtainCode(ana, authorization.url), authorization);
  t.equal((await postForm(plane, 'revoke', { token: body.refresh_token ?? '' })).status, 200);
  t.equal((await callApi(plane, body.access_token)).status, 401);
  t.equal((await postForm(plane, 'revoke', { token: 'never-was-one' })).status, 200);
});

t.test('an access token ends at expiry, with a new password, and with its person', async (t) => {
  const plane = await startOAuthControlPlane(t, { oauth: { accessTokenSeconds: 1 } });
  const ana = await signInFirstOwner(plane);
  const token = async () => {
    const authorization = buildAuthorization(plane);
    return (await redeemCode(plane, await obtainCode(ana, authorization.url), authorization)).body;
  };
  const { access_token: short } = await token();
  t.equal((await callApi(plane, short)).status, 200);
  const { refresh_token: refreshToken = '' } = await token();
  const next = 'window-otter-31-basalt';
  t.equal((await ana.api('PUT', '/session/password', { current: password, next })).status, 204);
  t.match(await postForm(plane, 'token', { grant_type: 'refresh_token', refresh_token: refreshToken }), {
    status: 400,
  });
  t.equal((await callApi(plane, short)).status, 401);
  const { access_token: last } = await token();
  advanceDate(t, 2000);
  t.equal((await callApi(plane, last)).status, 401);
});

t.test('the metadata describes the endpoints of the issuer at the root', async (t) => {
  const plane = await startOAuthControlPlane(t);
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

t.test('the guards protect the OAuth server too', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const { request } = await import('node:http');
  const requestStatus = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve) => {
      request(`${plane.url}/oauth/jwks`, { headers }, (answered) => {
        answered.resume();
        resolve(answered.statusCode);
      }).end();
    });
  t.equal(await requestStatus({}), 200);
  t.equal(await requestStatus({ host: 'evil.example' }), 421, 'a forged Host');
  t.equal(await requestStatus({ origin: 'http://127.0.0.1:3200' }), 403, 'another page of this host');
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

t.test('keys and records survive a restart; secrets are not readable in the store', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const authorization = buildAuthorization(plane);
  const { body } = await redeemCode(plane, await obtainCode(ana, authorization.url), authorization);
  const jwks = async (path: { url: string }) => (await fetch(`${path.url}/oauth/jwks`)).json();
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
  const again = await startOAuthControlPlane(t, { folder: plane.folder });
  t.same((await jwks(again)).keys, before);
  t.notOk(JSON.stringify(before).includes('"d"'), 'the public half only');
});

t.test('a device is allowed by its typed code, once', async (t) => {
  const plane = await startOAuthControlPlane(t, { oauth: { pollIntervalSeconds: 30 } });
  const ana = await signInFirstOwner(plane);
  const { body } = await postForm(plane, 'device-authorization', { scope: 'api' });
  t.match(body, { user_code: /^[A-Z]{4}-[A-Z]{4}$/, verification_uri: `${plane.url}/device`, device_code: /./ });
  t.notOk(body.verification_uri_complete, 'the code is typed, never followed as a link');
  const { user_code: code = '', device_code: deviceCode = '' } = body;
  const poll = () => postForm(plane, 'token', { grant_type: device, device_code: deviceCode });
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
  advanceDate(t, 31_000);
  const { status, body: tokens } = await poll();
  t.equal(status, 200);
  t.match(await (await callApi(plane, tokens.access_token)).json(), { person: { name: 'Ana' }, via: 'grant' });
  advanceDate(t, 31_000);
  t.match(await poll(), { status: 400, body: { error: 'invalid_grant' } }, 'a repeated device code');
  t.equal((await callApi(plane, tokens.access_token)).status, 401, 'ends what the first use gave');
});

t.test('a device that is refused gets nothing', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const { body: refused } = await postForm(plane, 'device-authorization', {});
  const poll = (code = '') => postForm(plane, 'token', { grant_type: device, device_code: code });
  t.equal((await ana.api('POST', '/device', { user_code: refused.user_code, allow: false })).status, 204);
  t.match(await poll(refused.device_code), { status: 400, body: { error: 'access_denied' } });
  t.match(await poll('never-was-one'), { status: 400, body: { error: 'invalid_grant' } });
});

t.test('a device whose code has expired gets nothing', async (t) => {
  const plane = await startOAuthControlPlane(t, { oauth: { deviceCodeSeconds: 1 } });
  const ana = await signInFirstOwner(plane);
  const { body: late } = await postForm(plane, 'device-authorization', {});
  advanceDate(t, 2000);
  t.equal(
    (await (await ana.api('POST', '/device/look-up', { user_code: late.user_code })).json()).code,
    'DEVICE_CODE_UNKNOWN',
  );
  const polled = await postForm(plane, 'token', { grant_type: device, device_code: late.device_code ?? '' });
  t.match(polled, { status: 400, body: { error: 'expired_token' } });
});

t.test('guessing codes is rate-limited and logged', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  let status = 404;
  for (let round = 0; round < 25 && status === 404; round += 1)
    status = (await ana.api('POST', '/device/look-up', { user_code: 'BBBB-BBBB' })).status;
  t.equal(status, 429);
  t.ok(plane.lines.some(({ security }) => security === 'device_codes_guessed'));
});

t.test('a restored copy does not revive revoked sessions', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const authorization = buildAuthorization(plane);
  const { body } = await redeemCode(plane, await obtainCode(ana, authorization.url), authorization);
  const { join } = await import('node:path');
  const { getControlStoreFile: controlStoreFile } = await import('../../../src/store/control/control-store.ts');
  const { restoreControl } = await import('../../../src/control/restore.ts');
  const { systemClock } = await import('../../../src/environment/clock.ts');
  const program = await createRegisteredClient(plane);
  const copy = join(plane.folder, 'copy.db');
  await copyStore(controlStoreFile(plane.folder), copy);
  await plane.close();
  await restoreControl({ backup: copy, folder: plane.folder, clock: systemClock, pid: process.pid });
  const again = await startOAuthControlPlane(t, { folder: plane.folder });
  const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token ?? '' };
  t.match(await postForm(again, 'token', fields), { status: 400, body: { error: 'invalid_grant' } });
  t.equal((await callApi(again, body.access_token)).status, 401);
  const signIn = await createHttpBrowser(again.url).api('POST', '/session', { email: 'ana@example.com', password });
  t.equal(signIn.status, 201, 'the account is there');
  const unknown = await postForm(again, 'token', { ...fields, client_id: program.clientId });
  t.equal(unknown.body.error, 'invalid_grant', 'a program is known still: it cannot be told to register again');
});
