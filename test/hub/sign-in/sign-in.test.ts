/** Sign-ins to upstreams, with a real authorization server and a real MCP server. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientMetadata } from 'oidc-provider';
import t from 'tap';
import type { StartHubSignInResponse } from '../../../src/contract/hubs/connection-use-api.ts';
import { advanceDate } from '../../environment/advance-date.ts';
import { eventually } from '../../eventually.ts';
import { password } from '../../server/test-browser.ts';
import { createToken, readJson, readRefusal } from '../fixtures/hub-people.ts';
import {
  callEcho,
  finishSignIn,
  oauth,
  obtainCallbackPath,
  path,
  readConnection,
  signIn,
  startGuardedHub,
  startSignIn,
} from './guarded-hub.ts';

t.test('an owner signs in the hub, everybody’s calls use it, and the sign-in can be removed', async (t) => {
  const hub = await startGuardedHub(t);
  const { ana, max, upstream } = hub;
  t.match(await readConnection(ana), {
    state: 'needs_sign_in',
    sign_in: { needed: true, by: 'shared', signed_in: false, expires_at: null },
  });
  t.equal(await callEcho(ana), 'UPSTREAM_SIGN_IN_NEEDED');
  const started = await readJson<StartHubSignInResponse>(startSignIn(ana));
  const authorizationUrl = new URL(started.authorization_url);
  t.equal(authorizationUrl.origin, upstream.issuer);
  t.match(Object.fromEntries(authorizationUrl.searchParams), {
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: upstream.mcp.url,
    scope: 'tools offline_access',
    redirect_uri: 'http://localhost:7700/hubs/sign-in',
    state: /^[\w-]{43}$/,
  });
  t.ok(Date.parse(started.expires_at) - Date.now() <= 600_000);
  t.equal(await signIn(hub, ana), '303 /hubs/acme/connections?signed_in=tools');
  t.equal(upstream.registrations(), 1, 'registered once');
  t.equal(await callEcho(ana), 'ok');
  t.equal(await callEcho(max), 'ok');
  t.same([...new Set(upstream.subjects)], ['somebody']);
  const { token } = await createToken(max, 'acme');
  const client = await hub.client(token);
  t.match(await client.callTool({ name: 'tools__echo', arguments: { text: 'y' } }), { content: [{ text: 'y' }] });
  t.match(await readConnection(max), {
    state: 'connected',
    sign_in: { needed: false, by: 'shared', signed_in: true, expires_at: null },
  });
  t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
  t.match(await readConnection(ana), { state: 'needs_sign_in', sign_in: { signed_in: false } });
  t.equal(await callEcho(max), 'UPSTREAM_SIGN_IN_NEEDED');
});

t.test('with personal sign-ins nobody calls with another person’s', async (t) => {
  const hub = await startGuardedHub(t, { ...oauth, sharing: 'per_user' });
  const { ana, max, upstream } = hub;
  upstream.signedInUser = 'ana-there';
  t.equal(await signIn(hub, ana), '303 /hubs/acme/connections?signed_in=tools');
  t.match((await readConnection(ana)).sign_in, { by: 'user', signed_in: true });
  t.match((await readConnection(max)).sign_in, { by: 'user', signed_in: false, needed: true });
  t.equal(await callEcho(ana), 'ok');
  t.equal(await callEcho(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.equal((await readConnection(ana)).state, 'connected', 'a missing sign-in of Max does not affect the connection');
  upstream.signedInUser = 'max-there';
  t.equal(await signIn(hub, max), '303 /hubs/acme/connections?signed_in=tools');
  t.equal(upstream.registrations(), 1, 'one client for all of them');
  const previousCount = upstream.subjects.length;
  await Promise.all([callEcho(ana), callEcho(max)]);
  t.same(new Set(upstream.subjects.slice(previousCount)), new Set(['ana-there', 'max-there']));
  await max.ask('DELETE', `${path}/tools/sign-in`);
  t.equal(await callEcho(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.equal(await callEcho(ana), 'ok');
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.equal(await readRefusal(startSignIn(max)), '404 HUB_UNKNOWN');
});

t.test('a configured client is used with its secret, and nothing is registered', async (t) => {
  const registeredClient: ClientMetadata = {
    client_id: 'given-by-hand',
    client_secret: 'a secret that was given by hand',
    redirect_uris: ['http://localhost:7700/hubs/sign-in'],
    application_type: 'native',
  };
  const { client_id, client_secret } = registeredClient;
  const hub = await startGuardedHub(t, { ...oauth, client_id, client_secret }, { clients: [registeredClient] });
  t.equal(await signIn(hub, hub.ana), '303 /hubs/acme/connections?signed_in=tools');
  t.equal(await callEcho(hub.ana), 'ok');
  t.equal(hub.upstream.registrations(), 0);
  hub.upstream.revoke('access');
  t.equal(await callEcho(hub.ana), 'ok', 'also for refreshing');
});

t.test('an expired or revoked token is refreshed within the call, once for all waiting calls', async (t) => {
  const hub = await startGuardedHub(t, oauth, { accessSeconds: 2 });
  const { ana, upstream } = hub;
  await signIn(hub, ana);
  t.equal(await callEcho(ana), 'ok');
  t.same(upstream.grants, ['authorization_code']);
  advanceDate(t, 1100);
  t.equal(await callEcho(ana), 'ok', 'a token that expires soon is refreshed before it is sent');
  t.same(upstream.grants, ['authorization_code', 'refresh_token']);
  const longLivedHub = await startGuardedHub(t);
  await signIn(longLivedHub, longLivedHub.ana);
  t.equal(await callEcho(longLivedHub.ana), 'ok');
  t.same(longLivedHub.upstream.grants, ['authorization_code']);
  longLivedHub.upstream.revoke('access');
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => callEcho(longLivedHub.ana)));
  t.same(new Set(outcomes), new Set(['ok']));
  t.same(longLivedHub.upstream.grants, ['authorization_code', 'refresh_token']);
});

t.test('a rejected refresh requires a new sign-in; an unreachable server does not', async (t) => {
  const hub = await startGuardedHub(t);
  const { ana, upstream } = hub;
  await signIn(hub, ana);
  t.equal(await callEcho(ana), 'ok');
  upstream.isUnavailable = true;
  upstream.revoke('access');
  t.equal(await callEcho(ana), 'UPSTREAM_UNREACHABLE');
  t.match((await readConnection(ana)).sign_in, { signed_in: true });
  upstream.isUnavailable = false;
  upstream.revoke('all');
  t.equal(await callEcho(ana), 'UPSTREAM_SIGN_IN_NEEDED');
  // A list that was requested while the server was unavailable may record its failure after the call did.
  const connection = await eventually(
    async () => {
      t.equal(await callEcho(ana), 'UPSTREAM_SIGN_IN_NEEDED');
      return readConnection(ana);
    },
    { until: ({ last_error }) => /requires a sign-in/.test(String(last_error)) },
  );
  t.match(connection, {
    state: 'needs_sign_in',
    last_error: /requires a sign-in.*: sign in to that server/,
    sign_in: { needed: true, signed_in: false },
  });
});

t.test(
  'no token, code, verifier or client secret is in a log, a response, a URL or unsealed on the disk',
  async (t) => {
    const hub = await startGuardedHub(t);
    const { ana, upstream } = hub;
    const callbackPath = await obtainCallbackPath(hub, ana);
    const code = new URLSearchParams(callbackPath.split('?')[1]).get('code') ?? '';
    t.equal(await finishSignIn(ana, callbackPath), '303 /hubs/acme/connections?signed_in=tools');
    await callEcho(ana);
    const tokens = [...upstream.tokens];
    t.equal(tokens.length, 1);
    const { secrets } = hub.api.hub.connectionRepository;
    const { connection_id: id } = await readConnection(ana);
    const storedState = JSON.parse((await secrets.oauthState(id, undefined)) ?? '{}');
    const secret = [...tokens, code, storedState.tokens.refresh_token];
    t.ok(secret.every((secretValue) => secretValue.length > 20));
    const answers = JSON.stringify([await readConnection(ana), await readJson(ana.ask('GET', path))]);
    const logs = JSON.stringify([hub.lines, hub.api.lines, hub.api.security]);
    const files = readdirSync(t.testdirName, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    for (const file of secret) {
      t.notOk(answers.includes(file) || logs.includes(file));
      for (const { parentPath, name } of files) t.notOk(readFileSync(join(parentPath, name)).includes(file), name);
    }
    t.match(logs, /hub_signed_in/);
  },
);

t.test('a token that a server echoes reaches no caller, also after a refresh', async (t) => {
  const hub = await startGuardedHub(t);
  const { ana, max, upstream } = hub;
  await signIn(hub, ana);
  t.equal(await callEcho(ana), 'ok');
  const echoText = async (text: string) => {
    const call = { name: 'tools__echo', arguments: { text: `I got ${text}` } };
    return JSON.stringify(await readJson(max.ask('POST', '/api/v1/hubs/acme/tools/call', call)));
  };
  const [firstToken = ''] = upstream.tokens;
  t.match(await echoText(firstToken), /I got \[hidden\]/);
  upstream.revoke('access');
  t.equal(await callEcho(ana), 'ok');
  const [, secondToken = ''] = upstream.tokens;
  t.ok(firstToken.length > 20 && secondToken.length > 20 && firstToken !== secondToken);
  for (const token of [firstToken, secondToken]) {
    const echoed = await echoText(token);
    t.match(echoed, /I got \[hidden\]/);
    t.notOk(echoed.includes(token));
  }
  const { token } = await createToken(max, 'acme');
  const client = await hub.client(token);
  const result = await client.callTool({ name: 'tools__echo', arguments: { text: secondToken } });
  t.match(result, { content: [{ text: '[hidden]' }] });
});

t.test('a state is valid once, in its browser, and for its lifetime', async (t) => {
  const hub = await startGuardedHub(t);
  const { ana, max, eve } = hub;
  const overRedirect = '303 /hubs?problem=CONNECTION_SIGN_IN_OVER';
  const usedCallback = await obtainCallbackPath(hub, ana);
  t.equal(await finishSignIn(ana, usedCallback), '303 /hubs/acme/connections?signed_in=tools');
  t.equal(await finishSignIn(ana, usedCallback), overRedirect, 'used');
  for (const otherBrowser of [max, eve]) {
    const callbackPath = await obtainCallbackPath(hub, ana);
    t.equal(await finishSignIn(otherBrowser, callbackPath), overRedirect, 'another browser did not start it');
    t.equal(await finishSignIn(ana, callbackPath), overRedirect, 'and has used it up');
  }
  t.equal(await finishSignIn(ana, '/hubs/sign-in?code=x&state=made-up'), overRedirect);
  t.equal(await finishSignIn(ana, '/hubs/sign-in'), overRedirect);
  const unusedCallback = await obtainCallbackPath(hub, ana);
  await ana.ask('DELETE', '/api/v1/session');
  t.equal(await finishSignIn(ana, unusedCallback), overRedirect, 'it ends with the session that started it');
});

t.test('nothing is stored if another person signed in meanwhile in the same browser', async (t) => {
  const hub = await startGuardedHub(t, { ...oauth, sharing: 'per_user' });
  const { ana, max } = hub;
  const callbackPath = await obtainCallbackPath(hub, max);
  const response = await max.signIn('/api/v1/session', { email: 'ana@example.com', password });
  t.equal(response.status, 201);
  t.equal(await finishSignIn(max, callbackPath), '303 /hubs?problem=CONNECTION_SIGN_IN_OVER');
  t.match((await readConnection(ana)).sign_in, { signed_in: false });
  t.equal(await signIn(hub, max), '303 /hubs/acme/connections?signed_in=tools', 'Ana in that browser');
  t.match((await readConnection(ana)).sign_in, { signed_in: true });
});

t.test('browsers start and return at the first public address', async (t) => {
  const hub = await startGuardedHub(t, oauth, {}, [
    new URL('https://vp.example.com'),
    new URL('http://localhost:7700'),
  ]);
  const { ana, api, upstream } = hub;
  const refused = await startSignIn(ana);
  t.equal(refused.status, 403);
  t.match(await refused.json(), {
    code: 'CONNECTION_SIGN_IN_BROWSER',
    cure: /https:\/\/vp\.example\.com\/hubs\/acme\/connections/,
  });
  t.equal(upstream.registrations(), 0, 'no other address is registered at the server');
  const cookie = [...ana.cookies].map(([name, value]) => `__Host-${name.replace('7700', '443')}=${value}`).join('; ');
  const headers = { origin: 'https://vp.example.com', 'x-vp-proof': ana.proof ?? '', cookie };
  const signInRequest = new Request(`http://vp.example.com${path}/tools/sign-in`, { method: 'POST', headers });
  const { authorization_url: url } = await readJson<StartHubSignInResponse>(api.fetch(signInRequest));
  t.equal(new URL(url).searchParams.get('redirect_uri'), 'https://vp.example.com/hubs/sign-in');
});

t.test('nothing is stored if the role or the connection changed meanwhile', async (t) => {
  const hub = await startGuardedHub(t);
  const { ana, max, ids } = hub;
  await ana.ask('PUT', `/api/v1/hubs/acme/members/${ids.Max}`, { role: 'owner' });
  const callbackPath = await obtainCallbackPath(hub, max);
  await ana.ask('PUT', `/api/v1/hubs/acme/members/${ids.Max}`, { role: 'member' });
  t.match(await finishSignIn(max, callbackPath), /problem=HUB_ROLE_INSUFFICIENT/);
  const staleCallback = await obtainCallbackPath(hub, ana);
  await ana.ask('PUT', `${path}/tools`, { name: 'tools', credential: oauth });
  t.match(await finishSignIn(ana, staleCallback), /problem=CONNECTION_SIGN_IN_OVER&connection=tools/);
  t.match((await readConnection(ana)).sign_in, { signed_in: false });
});

t.test('an authorization server that does not answer is named, and no refusal', async (t) => {
  const hub = await startGuardedHub(t);
  const { ana, upstream } = hub;
  upstream.isUnavailable = true;
  t.equal(await readRefusal(startSignIn(ana)), '502 CONNECTION_SIGN_IN_UNANSWERED');
  upstream.isUnavailable = false;
  const callbackPath = await obtainCallbackPath(hub, ana);
  upstream.isUnavailable = true;
  t.match(await finishSignIn(ana, callbackPath), /problem=CONNECTION_SIGN_IN_UNANSWERED&connection=tools$/);
  upstream.isUnavailable = false;
  await signIn(hub, ana);
  t.equal(await callEcho(ana), 'ok');
  upstream.isUnavailable = true;
  upstream.revoke('access');
  t.equal(await callEcho(ana), 'UPSTREAM_UNREACHABLE');
  // It is stored behind the answer.
  const named = /its authorization server, 127\.0\.0\.1:\d+, does not renew the sign-in/;
  await eventually(async () => named.test(String((await readConnection(ana)).last_error)));
});

t.test(
  'an error page of an authorization server is no answer with 5xx and 429, else a refusal that ends no sign-in',
  async (t) => {
    const hub = await startGuardedHub(t);
    const { ana, upstream } = hub;
    for (const [status, code] of [
      [503, 'CONNECTION_SIGN_IN_UNANSWERED'],
      [429, 'CONNECTION_SIGN_IN_UNANSWERED'],
      [404, 'CONNECTION_SIGN_IN_REFUSED'],
    ] as const) {
      upstream.errorPageStatus = undefined;
      const callbackPath = await obtainCallbackPath(hub, ana);
      upstream.errorPageStatus = status;
      t.match(await finishSignIn(ana, callbackPath), new RegExp(`problem=${code}&`), String(status));
    }
    upstream.errorPageStatus = undefined;
    await signIn(hub, ana);
    t.equal(await callEcho(ana), 'ok');
    upstream.revoke('access');
    upstream.errorPageStatus = 404;
    t.equal(await callEcho(ana), 'UPSTREAM_UNREACHABLE');
    upstream.errorPageStatus = undefined;
    t.equal(await callEcho(ana), 'ok', 'the sign-in is still valid');
  },
);

t.test('who may sign in, and from where', async (t) => {
  const hub = await startGuardedHub(t);
  const { ana, max, eve, api } = hub;
  t.equal(await readRefusal(startSignIn(max)), '403 HUB_ROLE_INSUFFICIENT', 'only owners sign in the hub');
  t.equal(await readRefusal(max.ask('DELETE', `${path}/tools/sign-in`)), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await readRefusal(startSignIn(eve)), '404 HUB_UNKNOWN');
  t.equal(await readRefusal(ana.ask('POST', `${path}/none/sign-in`)), '404 CONNECTION_UNKNOWN');
  await ana.ask('POST', path, { name: 'plain', kind: 'http', url: 'http://127.0.0.1:9/mcp' });
  t.equal(await readRefusal(ana.ask('POST', `${path}/plain/sign-in`)), '422 CONNECTION_SIGN_IN_NONE');
  const { key } = await readJson<{ key: string }>(ana.ask('POST', '/api/v1/api-keys', { name: 'ci', role: 'owner' }));
  const keyResponse = await api.ask('POST', `${path}/tools/sign-in`, undefined, key);
  t.equal(keyResponse.status, 403);
  t.match(await keyResponse.json(), {
    code: 'CONNECTION_SIGN_IN_BROWSER',
    cure: /http:\/\/localhost:7700\/hubs\/acme\/connections/,
  });
  hub.upstream.signedInUser = undefined;
  t.match(
    await signIn(hub, ana),
    /^303 \/hubs\/acme\/connections\?problem=CONNECTION_SIGN_IN_REFUSED&connection=tools$/,
  );
  t.equal(await callEcho(ana), 'UPSTREAM_SIGN_IN_NEEDED');
});
