/** A removed sign-in is also revoked at its server: best effort, and never a condition for removing it. */
import t from 'tap';
import type { StartHubSignInResponse } from '../../../src/contract/hubs/connection-use-api.ts';
import type { HubConnection } from '../../../src/contract/hubs/hubs-api.ts';
import { eventually } from '../../eventually.ts';
import type { TestBrowser } from '../../server/test-browser.ts';
import { origin, type TestServer } from '../../server/test-server.ts';
import { followSignInPages } from '../fixtures/guarded-server.ts';
import { putMember, readJson } from '../fixtures/hub-people.ts';
import {
  callEcho,
  finishSignIn,
  type GuardedHub,
  oauth,
  obtainCallbackPath,
  path,
  readConnection,
  signIn,
  startGuardedHub,
} from './guarded-hub.ts';

const withRevocation = { revocation: true };

/** The revocation events in the security log, once there are `count`. */
async function readRevocationEvents({ api }: GuardedHub, count = 1) {
  const readLines = () => api.security.filter(({ event }) => /^hub_sign_in_revo/.test(event));
  return eventually(readLines, { until: ({ length }) => length >= count });
}

/** The server's status for each token that it received. */
async function statuses({ upstream }: GuardedHub): Promise<number[]> {
  const responses = [...upstream.tokens].map((token) =>
    fetch(upstream.mcp.url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' }),
  );
  return (await Promise.all(responses)).map(({ status }) => status);
}

/** Uses a person's session under another host name of the control plane. */
function browseUnder({ cookies, proof }: TestBrowser, api: TestServer, otherOrigin: string) {
  const ownCookies = new Map(cookies);
  return async (method: string, url: string): Promise<Response> => {
    const cookie = [...ownCookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const proofHeaders: Record<string, string> = method === 'GET' ? {} : { 'x-vp-proof': proof ?? '' };
    const headers = { origin: otherOrigin, cookie, ...proofHeaders };
    const response = await api.fetch(new Request(`${otherOrigin}${url}`, { method, headers }));
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      ownCookies.set(name, value);
    }
    return response;
  };
}

for (const openIdOnly of [false, true]) {
  t.test(
    `a removed sign-in is revoked at its server, described ${openIdOnly ? 'as OpenID' : 'as OAuth'}`,
    async (t) => {
      const hub = await startGuardedHub(t, oauth, { ...withRevocation, openIdOnly });
      const { ana, upstream } = hub;
      await signIn(hub, ana);
      t.equal(await callEcho(ana), 'ok');
      const { connection_id: connection } = await readConnection(ana);
      t.not((await statuses(hub))[0], 401);
      t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
      t.match(await readRevocationEvents(hub), [
        {
          event: 'hub_sign_in_revoked',
          level: 'info',
          connection,
          name: 'tools',
          refresh: 'revoked',
          access: 'revoked',
        },
      ]);
      t.same(upstream.revocations, ['refresh_token 200', 'access_token 200'], 'the refresh token first');
      t.same(await statuses(hub), [401]);
      const logs = JSON.stringify([hub.api.security, hub.lines, hub.api.lines]);
      for (const token of upstream.tokens) t.notOk(logs.includes(token));
      await ana.ask('DELETE', `${path}/tools/sign-in`);
      await hub.gateway.drain();
      t.equal((await readRevocationEvents(hub)).length, 1, 'a removed sign-in is not revoked again');
    },
  );
}

t.test('personal sign-ins are revoked with the connection, the membership and the hub', async (t) => {
  const hub = await startGuardedHub(t, { ...oauth, sharing: 'per_user' }, withRevocation);
  const { ana, max, vic, upstream } = hub;
  for (const browser of [ana, max]) {
    await signIn(hub, browser);
    t.equal(await callEcho(browser), 'ok');
  }
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.equal((await readRevocationEvents(hub)).length, 1, 'a member who leaves loses their sign-in');
  t.same((await statuses(hub)).filter((status) => status === 401).length, 1);
  await signIn(hub, vic);
  t.equal((await ana.ask('DELETE', `${path}/tools`)).status, 204);
  t.equal((await readRevocationEvents(hub, 3)).length, 3);
  t.same(await statuses(hub), [401, 401]);
  const url = upstream.mcp.url;
  await readJson<HubConnection>(ana.ask('POST', path, { name: 'tools', kind: 'http', url, credential: oauth }));
  await signIn(hub, ana);
  await ana.ask('PUT', `${path}/tools`, { credential: oauth });
  t.equal((await readRevocationEvents(hub, 4)).length, 4, 'another credential revokes the previous sign-in');
  await signIn(hub, ana);
  t.equal((await ana.ask('DELETE', '/api/v1/hubs/acme')).status, 204);
  t.match((await readRevocationEvents(hub, 5)).at(-1), { event: 'hub_sign_in_revoked', refresh: 'revoked' });
});

t.test('personal sign-ins are revoked with their account, and no others', async (t) => {
  const perUser = { ...oauth, sharing: 'per_user' };
  const hub = await startGuardedHub(t, perUser, withRevocation);
  const { ana, max, upstream, ids } = hub;
  for (const browser of [max, ana]) {
    await signIn(hub, browser);
    t.equal(await callEcho(browser), 'ok');
  }
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Max}`)).status, 204);
  t.match(await readRevocationEvents(hub), [
    { event: 'hub_sign_in_revoked', name: 'tools', refresh: 'revoked', access: 'revoked' },
  ]);
  t.same(
    (await statuses(hub)).map((status) => status === 401),
    [true, false],
  );
  t.equal(await callEcho(ana), 'ok');
  t.equal(upstream.revocations.length, 2);
});

t.test('a sign-in of the hub outlives the account that made it', async (t) => {
  const hub = await startGuardedHub(t, oauth, withRevocation);
  const { ana, max, ids } = hub;
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  await signIn(hub, max);
  t.equal(await callEcho(ana), 'ok');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Max}`)).status, 204);
  t.equal(await callEcho(ana), 'ok');
  await hub.gateway.drain();
  t.same(await readRevocationEvents(hub, 0), []);
});

t.test('tokens that arrive too late to be stored are revoked', async (t) => {
  const hub = await startGuardedHub(t, oauth, withRevocation);
  const { ana, upstream } = hub;
  upstream.beforeTokenResponse = () => ana.ask('DELETE', `${path}/tools`);
  t.match(await signIn(hub, ana), /problem=CONNECTION_UNKNOWN/);
  t.match(await readRevocationEvents(hub), [{ event: 'hub_sign_in_revoked', refresh: 'revoked', access: 'revoked' }]);
});

t.test('a new sign-in revokes the one it replaced, and stays valid', async (t) => {
  const hub = await startGuardedHub(t, oauth, withRevocation);
  const { ana, upstream } = hub;
  for (const user of ['before', 'after']) {
    upstream.signedInUser = user;
    await signIn(hub, ana);
    t.equal(await callEcho(ana), 'ok');
  }
  t.match(await readRevocationEvents(hub), [
    { event: 'hub_sign_in_revoked', name: 'tools', refresh: 'left', access: 'revoked' },
  ]);
  t.same(
    upstream.revocations,
    ['access_token 200'],
    'revoking the refresh token could revoke all tokens of this client',
  );
  t.same(
    (await statuses(hub)).map((status) => status === 401),
    [true, false],
  );
  t.equal(await callEcho(ana), 'ok');
  t.equal(upstream.subjects.at(-1), 'after');
});

t.test('with another client everything that was replaced is revoked', async (t) => {
  const hub = await startGuardedHub(t, oauth, withRevocation);
  const { ana, api, upstream } = hub;
  await signIn(hub, ana);
  const otherOrigin = origin.replace('localhost', '127.0.0.1');
  const otherBrowser = browseUnder(ana, api, otherOrigin);
  const { authorization_url } = await readJson<StartHubSignInResponse>(otherBrowser('POST', `${path}/tools/sign-in`));
  const { pathname, search } = new URL(await followSignInPages(authorization_url, upstream.issuer));
  t.match((await otherBrowser('GET', `${pathname}${search}`)).headers.get('location'), /signed_in=tools/);
  t.equal(upstream.registrations(), 2);
  t.match(await readRevocationEvents(hub), [{ event: 'hub_sign_in_revoked', refresh: 'revoked', access: 'revoked' }]);
  t.equal(await callEcho(ana), 'ok');
});

t.test('of two concurrent sign-ins the loser is revoked, and the other stays valid', async (t) => {
  const hub = await startGuardedHub(t, oauth, withRevocation);
  const { ana, upstream } = hub;
  const secondCallback = await obtainCallbackPath(hub, ana);
  const firstCallback = await obtainCallbackPath(hub, ana);
  upstream.beforeTokenResponse = () => finishSignIn(ana, secondCallback);
  t.match(await finishSignIn(ana, firstCallback), /problem=CONNECTION_SIGN_IN_OVER/);
  t.match(await readRevocationEvents(hub), [{ event: 'hub_sign_in_revoked', refresh: 'left', access: 'revoked' }]);
  t.equal(await callEcho(ana), 'ok');
});

t.test('a configured client authenticates with its secret', async (t) => {
  const ownClient = { client_id: 'given', client_secret: 'a secret that was given by hand' };
  const redirect_uris = ['http://localhost:7700/hubs/sign-in'];
  const clients = [{ ...ownClient, redirect_uris, application_type: 'native' as const }];
  const hub = await startGuardedHub(t, { ...oauth, ...ownClient }, { ...withRevocation, clients });
  await signIn(hub, hub.ana);
  await hub.ana.ask('DELETE', `${path}/tools/sign-in`);
  t.match(await readRevocationEvents(hub), [{ event: 'hub_sign_in_revoked' }]);
  t.same(hub.upstream.revocations, ['refresh_token 200', 'access_token 200']);
});

t.test('a failing or silent server delays nothing, and the sign-in stays removed', async (t) => {
  const hub = await startGuardedHub(t, oauth, withRevocation);
  const { ana, upstream } = hub;
  for (const [takesBack, count, outcome] of [
    ['broken', 1, 'status 503'],
    ['never', 1, undefined],
  ] as const) {
    upstream.revocationBehavior = takesBack;
    await signIn(hub, ana);
    t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
    t.match((await readConnection(ana)).sign_in, { signed_in: false });
    t.equal(await callEcho(ana), 'UPSTREAM_SIGN_IN_NEEDED');
    const lines = await readRevocationEvents(hub, count);
    t.equal(lines.length, 1, 'the silent one has no outcome yet');
    if (outcome)
      t.match(lines, [{ event: 'hub_sign_in_revocation_failed', level: 'warn', refresh: outcome, access: outcome }]);
  }
  await hub.gateway.drain();
  t.match((await readRevocationEvents(hub, 2)).at(-1), {
    event: 'hub_sign_in_revocation_failed',
    refresh: 'no answer',
    access: 'not tried',
  });
});

t.test('a server without a revocation endpoint is not called', async (t) => {
  const hub = await startGuardedHub(t);
  await signIn(hub, hub.ana);
  t.equal((await hub.ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
  t.equal((await hub.ana.ask('DELETE', `${path}/tools`)).status, 204);
  await hub.gateway.drain();
  t.same(await readRevocationEvents(hub, 0), []);
  t.same(hub.upstream.revocations, []);
});

t.test('a sign-in of an earlier version is removed, and the log says that it was not revoked', async (t) => {
  const hub = await startGuardedHub(t, oauth, withRevocation);
  const { ana, api, upstream } = hub;
  await signIn(hub, ana);
  const { connection_id: id } = await readConnection(ana);
  const { secrets } = api.hub.connectionRepository;
  const previousState = await secrets.oauthState(id, undefined);
  const { tokens, ...otherState } = JSON.parse(previousState ?? '');
  const { revocation_endpoint: endpoint, ...olderTokens } = tokens;
  t.type(endpoint, 'string');
  await secrets.saveOauthState(id, undefined, JSON.stringify({ ...otherState, tokens: olderTokens }), {
    previous: previousState,
  });
  t.equal(await callEcho(ana), 'ok');
  t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
  t.match(await readRevocationEvents(hub), [
    { event: 'hub_sign_in_revocation_failed', level: 'warn', refresh: 'endpoint unknown' },
  ]);
  t.match((await readConnection(ana)).sign_in, { signed_in: false });
  t.same(upstream.revocations, []);
});
