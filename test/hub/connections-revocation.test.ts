/** What is forgotten here is ended at the server that gave it: as well as that goes, and never instead of forgetting it. */
import t from 'tap';
import type { HubConnection } from '../../src/contract/hub-api.ts';
import type { HubSignInBegun } from '../../src/contract/hub-connect-api.ts';
import type { Browser } from '../server/browser.ts';
import { origin, type Served } from '../server/served.ts';
import { throughPages } from './hostile/guarded-server.ts';
import { json, putMember } from './hub-people.ts';
import { type Both, both, echo, finish, oauth, path, shown, signIn, wayBack } from './signing-in.ts';

const taking = { revocation: true };

/** The lines of the log of security about this, once there are `count`. */
async function told({ api }: Both, count = 1) {
  const lines = () => api.security.filter(({ event }) => /^hub_sign_in_revo/.test(event));
  for (let tries = 0; tries < 100 && lines().length < count; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  return lines();
}

/** Whether the server lets somebody in with each of the tokens that it was called with. */
async function statuses({ upstream }: Both): Promise<number[]> {
  const answers = [...upstream.tokens].map((token) =>
    fetch(upstream.mcp.url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' }),
  );
  return (await Promise.all(answers)).map(({ status }) => status);
}

/** Asks with somebody’s session, as a browser that knows the control plane by another name of its host. */
function underAnotherName({ cookies, proof }: Browser, api: Served, other: string) {
  const own = new Map(cookies);
  return async (method: string, to: string): Promise<Response> => {
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ');
    const proven: Record<string, string> = method === 'GET' ? {} : { 'x-vp-proof': proof ?? '' };
    const headers = { origin: other, cookie, ...proven };
    const answer = await api.fetch(new Request(`${other}${to}`, { method, headers }));
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      own.set(name, value);
    }
    return answer;
  };
}

for (const openIdOnly of [false, true]) {
  t.test(
    `a forgotten sign-in is ended at its server, described ${openIdOnly ? 'as OpenID' : 'as OAuth'}`,
    async (t) => {
      const home = await both(t, oauth, { ...taking, openIdOnly });
      const { ana, upstream } = home;
      await signIn(home, ana);
      t.equal(await echo(ana), 'ok');
      const { connection_id: connection } = await shown(ana);
      t.not((await statuses(home))[0], 401);
      t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
      t.match(await told(home), [
        {
          event: 'hub_sign_in_revoked',
          level: 'info',
          connection,
          name: 'tools',
          refresh: 'revoked',
          access: 'revoked',
        },
      ]);
      t.same(upstream.revocations, ['refresh_token 200', 'access_token 200'], 'the one that all comes of first');
      t.same(await statuses(home), [401]);
      const logs = JSON.stringify([home.api.security, home.lines, home.api.lines]);
      for (const token of upstream.tokens) t.notOk(logs.includes(token));
      await ana.ask('DELETE', `${path}/tools/sign-in`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      t.equal((await told(home)).length, 1, 'what is not there any more ends nowhere');
    },
  );
}

t.test('everybody’s own sign-in ends with the connection, with their membership, and with the hub', async (t) => {
  const home = await both(t, { ...oauth, sharing: 'per_user' }, taking);
  const { ana, max, vic, upstream } = home;
  for (const one of [ana, max]) {
    await signIn(home, one);
    t.equal(await echo(one), 'ok');
  }
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.equal((await told(home)).length, 1, 'whoever leaves takes their sign-in along');
  t.same((await statuses(home)).filter((status) => status === 401).length, 1);
  await signIn(home, vic);
  t.equal((await ana.ask('DELETE', `${path}/tools`)).status, 204);
  t.equal((await told(home, 3)).length, 3);
  t.same(await statuses(home), [401, 401]);
  const url = upstream.mcp.url;
  await json<HubConnection>(ana.ask('POST', path, { name: 'tools', kind: 'http', url, credential: oauth }));
  await signIn(home, ana);
  await ana.ask('PUT', `${path}/tools`, { credential: oauth });
  t.equal((await told(home, 4)).length, 4, 'another credential ends the one before');
  await signIn(home, ana);
  t.equal((await ana.ask('DELETE', '/api/v1/hubs/acme')).status, 204);
  t.match((await told(home, 5)).at(-1), { event: 'hub_sign_in_revoked', refresh: 'revoked' });
});

t.test('everybody’s own sign-in ends with their account, and nobody else’s', async (t) => {
  const own = { ...oauth, sharing: 'per_user' };
  const home = await both(t, own, taking);
  const { ana, max, upstream, ids } = home;
  for (const one of [max, ana]) {
    await signIn(home, one);
    t.equal(await echo(one), 'ok');
  }
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Max}`)).status, 204);
  t.match(await told(home), [{ event: 'hub_sign_in_revoked', name: 'tools', refresh: 'revoked', access: 'revoked' }]);
  t.same(
    (await statuses(home)).map((status) => status === 401),
    [true, false],
  );
  t.equal(await echo(ana), 'ok');
  t.equal(upstream.revocations.length, 2);
});

t.test('a sign-in of the whole hub outlasts the account of whoever made it', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, max, ids } = home;
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  await signIn(home, max);
  t.equal(await echo(ana), 'ok');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Max}`)).status, 204);
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.same(await told(home, 0), []);
  t.equal(await echo(ana), 'ok');
});

t.test('what a sign-in got is ended too where it comes too late to be kept', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, upstream } = home;
  upstream.meanwhile = () => ana.ask('DELETE', `${path}/tools`);
  t.match(await signIn(home, ana), /problem=CONNECTION_UNKNOWN/);
  t.match(await told(home), [{ event: 'hub_sign_in_revoked', refresh: 'revoked', access: 'revoked' }]);
});

t.test('a sign-in that is done anew ends what it replaced, and stays good', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, upstream } = home;
  for (const who of ['before', 'after']) {
    upstream.who = who;
    await signIn(home, ana);
    t.equal(await echo(ana), 'ok');
  }
  t.match(await told(home), [{ event: 'hub_sign_in_revoked', name: 'tools', refresh: 'left', access: 'revoked' }]);
  t.same(upstream.revocations, ['access_token 200'], 'by the other one a server may end all of this client’s');
  t.same(
    (await statuses(home)).map((status) => status === 401),
    [true, false],
  );
  t.equal(await echo(ana), 'ok');
  t.equal(upstream.subjects.at(-1), 'after');
});

t.test('with another client all of what was replaced is ended', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, api, upstream } = home;
  await signIn(home, ana);
  const other = origin.replace('localhost', '127.0.0.1');
  const elsewhere = underAnotherName(ana, api, other);
  const { authorization_url } = await json<HubSignInBegun>(elsewhere('POST', `${path}/tools/sign-in`));
  const { pathname, search } = new URL(await throughPages(authorization_url, upstream.issuer));
  t.match((await elsewhere('GET', `${pathname}${search}`)).headers.get('location'), /signed_in=tools/);
  t.equal(upstream.registrations(), 2);
  t.match(await told(home), [{ event: 'hub_sign_in_revoked', refresh: 'revoked', access: 'revoked' }]);
  t.equal(await echo(ana), 'ok');
});

t.test('the later one of two sign-ins that loses is ended so that the other one stays good', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, upstream } = home;
  const second = await wayBack(home, ana);
  const first = await wayBack(home, ana);
  upstream.meanwhile = () => finish(ana, second);
  t.match(await finish(ana, first), /problem=CONNECTION_SIGN_IN_OVER/);
  t.match(await told(home), [{ event: 'hub_sign_in_revoked', refresh: 'left', access: 'revoked' }]);
  t.equal(await echo(ana), 'ok');
});

t.test('a client of the owner’s own shows its secret there', async (t) => {
  const own = { client_id: 'given', client_secret: 'a secret that was given by hand' };
  const redirect_uris = ['http://localhost:7700/hubs/sign-in'];
  const clients = [{ ...own, redirect_uris, application_type: 'native' as const }];
  const home = await both(t, { ...oauth, ...own }, { ...taking, clients });
  await signIn(home, home.ana);
  await home.ana.ask('DELETE', `${path}/tools/sign-in`);
  t.match(await told(home), [{ event: 'hub_sign_in_revoked' }]);
  t.same(home.upstream.revocations, ['refresh_token 200', 'access_token 200']);
});

t.test('a server that fails or keeps silent delays nothing, and what was forgotten stays so', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, upstream } = home;
  for (const [takesBack, count, outcome] of [
    ['broken', 1, 'status 503'],
    ['never', 1, undefined],
  ] as const) {
    upstream.takesBack = takesBack;
    await signIn(home, ana);
    const began = performance.now();
    t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
    t.ok(performance.now() - began < 1500);
    t.match((await shown(ana)).sign_in, { signed_in: false });
    t.equal(await echo(ana), 'UPSTREAM_SIGN_IN_NEEDED');
    const lines = await told(home, count);
    t.equal(lines.length, 1, 'of the silent one nothing is known yet');
    if (outcome)
      t.match(lines, [{ event: 'hub_sign_in_revocation_failed', level: 'warn', refresh: outcome, access: outcome }]);
  }
  const began = performance.now();
  await home.gateway.drain();
  t.ok(performance.now() - began < 4000, 'stopping does not wait for it either');
  t.match((await told(home, 2)).at(-1), {
    event: 'hub_sign_in_revocation_failed',
    refresh: 'no answer',
    access: 'not tried',
  });
});

t.test('a server that takes no tokens back is not asked to', async (t) => {
  const home = await both(t);
  await signIn(home, home.ana);
  t.equal((await home.ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
  t.equal((await home.ana.ask('DELETE', `${path}/tools`)).status, 204);
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.same(await told(home, 0), []);
  t.same(home.upstream.revocations, []);
});

t.test('a sign-in of an earlier version is forgotten, and the log says that its server was not told', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, api, upstream } = home;
  await signIn(home, ana);
  const { connection_id: id } = await shown(ana);
  const { secrets } = api.hub.book;
  const was = await secrets.oauthState(id, undefined);
  const { tokens, ...rest } = JSON.parse(was ?? '');
  const { revocation_endpoint: endpoint, ...earlier } = tokens;
  t.type(endpoint, 'string');
  await secrets.keepOauthState(id, undefined, JSON.stringify({ ...rest, tokens: earlier }), { was });
  t.equal(await echo(ana), 'ok');
  t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
  t.match(await told(home), [{ event: 'hub_sign_in_revocation_failed', level: 'warn', refresh: 'endpoint unknown' }]);
  t.match((await shown(ana)).sign_in, { signed_in: false });
  t.same(upstream.revocations, []);
});
