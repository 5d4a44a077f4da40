/** Changes while tokens are requested: they are stored for what they were issued for, or not at all. */
import t from 'tap';
import { origin } from '../../server/test-server.ts';
import { startTestServer } from '../fixtures/test-server.ts';
import {
  callEcho,
  finishSignIn,
  oauth,
  obtainCallbackPath,
  path,
  readConnection,
  signIn,
  startGuardedHub,
} from './guarded-hub.ts';

const perUser = { ...oauth, sharing: 'per_user' };
const overRedirect = '303 /hubs/acme/connections?problem=CONNECTION_SIGN_IN_OVER&connection=tools';
const doneRedirect = '303 /hubs/acme/connections?signed_in=tools';

t.test('if the address changes while a code is exchanged, no token of the previous server is used', async (t) => {
  const hub = await startGuardedHub(t, perUser);
  const { ana, max, upstream } = hub;
  const otherServer = await startTestServer(t, () => new Response('', { status: 500 }));
  const callbackPath = await obtainCallbackPath(hub, max);
  upstream.beforeTokenResponse = () => ana.ask('PUT', `${path}/tools`, { url: otherServer.url, credential: perUser });
  t.equal(await finishSignIn(max, callbackPath), overRedirect);
  t.match((await readConnection(max)).sign_in, { signed_in: false });
  t.equal(await callEcho(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.same(
    otherServer.receivedHeaders.filter((headers) => headers.has('authorization')),
    [],
  );
});

t.test('nothing is stored for a person who leaves the hub or removes the sign-in during the exchange', async (t) => {
  const hub = await startGuardedHub(t, perUser);
  const { ana, max, upstream, ids } = hub;
  const { connection_id: id } = await readConnection(max);
  const { secrets } = hub.api.hub.connectionRepository;
  t.equal(await signIn(hub, max), doneRedirect);
  const callbackPath = await obtainCallbackPath(hub, max);
  upstream.beforeTokenResponse = () => max.ask('DELETE', `${path}/tools/sign-in`);
  t.equal(await finishSignIn(max, callbackPath), overRedirect);
  t.equal(await secrets.oauthState(id, ids.Max), undefined);
  const laterCallback = await obtainCallbackPath(hub, max);
  upstream.beforeTokenResponse = () => ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Max}`);
  t.match(await finishSignIn(max, laterCallback), /problem=HUB_UNKNOWN/);
  t.equal(await secrets.oauthState(id, ids.Max), undefined);
  t.equal(
    await secrets.saveOauthState(id, ids.Max, 'of nobody here', { previous: undefined }),
    false,
    'not even at the last moment',
  );
});

t.test('a refresh in progress neither restores a removed sign-in nor replaces a newer one', async (t) => {
  const hub = await startGuardedHub(t, perUser);
  const { max, upstream } = hub;
  upstream.signedInUser = 'before';
  t.equal(await signIn(hub, max), doneRedirect);
  t.equal(await callEcho(max), 'ok');
  upstream.revoke('access');
  upstream.beforeTokenResponse = () => max.ask('DELETE', `${path}/tools/sign-in`);
  t.equal(await callEcho(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.match((await readConnection(max)).sign_in, { signed_in: false });

  t.equal(await signIn(hub, max), doneRedirect);
  t.equal(await callEcho(max), 'ok');
  upstream.revoke('access');
  upstream.signedInUser = 'after';
  upstream.beforeTokenResponse = async () => t.equal(await signIn(hub, max), doneRedirect);
  // Signing in closes what was open with the previous tokens, including this call.
  t.equal(await callEcho(max), 'UPSTREAM_CLOSED');
  t.equal(await callEcho(max), 'ok');
  t.equal(upstream.subjects.at(-1), 'after');

  upstream.revoke('access');
  upstream.beforeTokenResponse = async () => {
    t.equal(await signIn(hub, max), doneRedirect);
    upstream.refuseNextToken = true;
  };
  await callEcho(max);
  t.equal(await callEcho(max), 'ok', 'a refusal removes only the sign-in that was being refreshed');
  t.same(upstream.refusedTokens, 1);
});

t.test('a refresh in progress does not prevent a finished sign-in from being stored', async (t) => {
  const hub = await startGuardedHub(t, perUser);
  const { max, upstream } = hub;
  t.equal(await signIn(hub, max), doneRedirect);
  t.equal(await callEcho(max), 'ok');
  const callbackPath = await obtainCallbackPath(hub, max);
  upstream.revoke('access');
  upstream.beforeTokenResponse = () => callEcho(max);
  t.equal(await finishSignIn(max, callbackPath), doneRedirect);
  t.equal(await callEcho(max), 'ok');
  t.same(upstream.grants, ['authorization_code', 'authorization_code', 'refresh_token']);
});

t.test('tokens are sent only to the server that they are for', async (t) => {
  const hub = await startGuardedHub(t, perUser);
  const { ana, max, upstream, ids } = hub;
  const { secrets } = hub.api.hub.connectionRepository;
  t.equal(await signIn(hub, max), doneRedirect);
  t.equal(await callEcho(max), 'ok');
  const { connection_id: id } = await readConnection(max);
  const text = await secrets.oauthState(id, ids.Max);
  const otherServer = await startTestServer(t, () => new Response('', { status: 500 }));
  await ana.ask('PUT', `${path}/tools`, { url: otherServer.url, credential: perUser });
  t.equal(await secrets.saveOauthState(id, ids.Max, text, { previous: undefined }), true);
  t.equal(await callEcho(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.same(
    otherServer.receivedHeaders.filter((headers) => headers.has('authorization')),
    [],
  );
  await ana.ask('PUT', `${path}/tools`, { url: upstream.mcp.url, credential: perUser });
  await secrets.saveOauthState(id, ids.Max, text, { previous: undefined });
  t.equal(await callEcho(max), 'ok', 'at their own server they are valid');
});

t.test('a sign-in started under another host name does not invalidate others', async (t) => {
  const hub = await startGuardedHub(t, perUser);
  const { ana, max, api, upstream } = hub;
  t.equal(await signIn(hub, ana), doneRedirect);
  t.equal(await callEcho(ana), 'ok');
  const otherOrigin = origin.replace('localhost', '127.0.0.1');
  const cookie = [...max.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { origin: otherOrigin, 'x-vp-proof': max.proof ?? '', cookie };
  const started = await api.fetch(new Request(`${otherOrigin}${path}/tools/sign-in`, { method: 'POST', headers }));
  t.equal(started.status, 200);
  t.equal(upstream.registrations(), 2);
  upstream.revoke('access');
  t.equal(await callEcho(ana), 'ok');
  t.same(upstream.grants, ['authorization_code', 'refresh_token']);
});
