/** What changes while a server is asked for tokens: they are kept for what they were got for, or not at all. */
import t from 'tap';
import { origin } from '../server/served.ts';
import { served } from './hostile/listening.ts';
import { both, echo, finish, oauth, path, shown, signIn, wayBack } from './signing-in.ts';

const own = { ...oauth, sharing: 'per_user' };
const over = '303 /hubs/acme/connections?problem=CONNECTION_SIGN_IN_OVER&connection=tools';
const done = '303 /hubs/acme/connections?signed_in=tools';

t.test('an address that changes while a code is exchanged gets no token of the server before it', async (t) => {
  const home = await both(t, own);
  const { ana, max, upstream } = home;
  const elsewhere = await served(t, () => new Response('', { status: 500 }));
  const back = await wayBack(home, max);
  upstream.meanwhile = () => ana.ask('PUT', `${path}/tools`, { url: elsewhere.url, credential: own });
  t.equal(await finish(max, back), over);
  t.match((await shown(max)).sign_in, { signed_in: false });
  t.equal(await echo(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.same(
    elsewhere.seen.filter((headers) => headers.has('authorization')),
    [],
  );
});

t.test('who leaves the hub, or forgets their sign-in, while a code is exchanged gets nothing kept', async (t) => {
  const home = await both(t, own);
  const { ana, max, upstream, ids } = home;
  const { connection_id: id } = await shown(max);
  const { secrets } = home.api.hub.book;
  t.equal(await signIn(home, max), done);
  const back = await wayBack(home, max);
  upstream.meanwhile = () => max.ask('DELETE', `${path}/tools/sign-in`);
  t.equal(await finish(max, back), over);
  t.equal(await secrets.oauthState(id, ids.Max), undefined);
  const later = await wayBack(home, max);
  upstream.meanwhile = () => ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Max}`);
  t.match(await finish(max, later), /problem=HUB_UNKNOWN/);
  t.equal(await secrets.oauthState(id, ids.Max), undefined);
  t.equal(
    await secrets.keepOauthState(id, ids.Max, 'of nobody here', { was: undefined }),
    false,
    'not even if it is asked at the last moment',
  );
});

t.test('a renewal under way brings no forgotten sign-in back, and takes no newer one away', async (t) => {
  const home = await both(t, own);
  const { max, upstream } = home;
  upstream.who = 'before';
  t.equal(await signIn(home, max), done);
  t.equal(await echo(max), 'ok');
  upstream.revoke('access');
  upstream.meanwhile = () => max.ask('DELETE', `${path}/tools/sign-in`);
  t.equal(await echo(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.match((await shown(max)).sign_in, { signed_in: false });

  t.equal(await signIn(home, max), done);
  t.equal(await echo(max), 'ok');
  upstream.revoke('access');
  upstream.who = 'after';
  upstream.meanwhile = async () => t.equal(await signIn(home, max), done);
  // Signing in ends what was open with the tokens of before, this call among it.
  t.equal(await echo(max), 'UPSTREAM_UNREACHABLE');
  t.equal(await echo(max), 'ok');
  t.equal(upstream.subjects.at(-1), 'after');

  upstream.revoke('access');
  upstream.meanwhile = async () => {
    t.equal(await signIn(home, max), done);
    upstream.refuseOnce = true;
  };
  await echo(max);
  t.equal(await echo(max), 'ok', 'a refusal ends the one that was to be renewed');
  t.same(upstream.refused, 1);
});

t.test('a renewal under way does not keep a finished sign-in from being kept', async (t) => {
  const home = await both(t, own);
  const { max, upstream } = home;
  t.equal(await signIn(home, max), done);
  t.equal(await echo(max), 'ok');
  const back = await wayBack(home, max);
  upstream.revoke('access');
  upstream.meanwhile = () => echo(max);
  t.equal(await finish(max, back), done);
  t.equal(await echo(max), 'ok');
  t.same(upstream.grants, ['authorization_code', 'authorization_code', 'refresh_token']);
});

t.test('tokens go to the server that they are for, and to no other', async (t) => {
  const home = await both(t, own);
  const { ana, max, upstream, ids } = home;
  const { secrets } = home.api.hub.book;
  t.equal(await signIn(home, max), done);
  t.equal(await echo(max), 'ok');
  const { connection_id: id } = await shown(max);
  const text = await secrets.oauthState(id, ids.Max);
  const elsewhere = await served(t, () => new Response('', { status: 500 }));
  await ana.ask('PUT', `${path}/tools`, { url: elsewhere.url, credential: own });
  t.equal(await secrets.keepOauthState(id, ids.Max, text, { was: undefined }), true);
  t.equal(await echo(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.same(
    elsewhere.seen.filter((headers) => headers.has('authorization')),
    [],
  );
  await ana.ask('PUT', `${path}/tools`, { url: upstream.mcp.url, credential: own });
  await secrets.keepOauthState(id, ids.Max, text, { was: undefined });
  t.equal(await echo(max), 'ok', 'where they belong they are good');
});

t.test('a sign-in that is begun under another name of the host ends nobody’s', async (t) => {
  const home = await both(t, own);
  const { ana, max, api, upstream } = home;
  t.equal(await signIn(home, ana), done);
  t.equal(await echo(ana), 'ok');
  const other = origin.replace('localhost', '127.0.0.1');
  const cookie = [...max.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { origin: other, 'x-vp-proof': max.proof ?? '', cookie };
  const begun = await api.fetch(new Request(`${other}${path}/tools/sign-in`, { method: 'POST', headers }));
  t.equal(begun.status, 200);
  t.equal(upstream.registrations(), 2);
  upstream.revoke('access');
  t.equal(await echo(ana), 'ok');
  t.same(upstream.grants, ['authorization_code', 'refresh_token']);
});
