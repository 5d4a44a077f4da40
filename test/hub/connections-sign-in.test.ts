/** Signing in to upstreams: against a real authorization server in front of a real MCP server. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ClientMetadata } from 'oidc-provider';
import t from 'tap';
import type { HubSignInBegun } from '../../src/contract/hub-connect-api.ts';
import { password } from '../server/browser.ts';
import { json, makeToken, refusalOf } from './hub-people.ts';
import { begin, both, echo, finish, oauth, path, shown, signIn, wayBack } from './signing-in.ts';

t.test('an owner signs the hub in, and everybody’s calls use it; the sign-in can be forgotten', async (t) => {
  const home = await both(t);
  const { ana, max, upstream } = home;
  t.match(await shown(ana), {
    state: 'needs_sign_in',
    sign_in: { needed: true, by: 'shared', signed_in: false, expires_at: null },
  });
  t.equal(await echo(ana), 'UPSTREAM_SIGN_IN_NEEDED');
  const begun = await json<HubSignInBegun>(begin(ana));
  const asked = new URL(begun.authorization_url);
  t.equal(asked.origin, upstream.issuer);
  t.match(Object.fromEntries(asked.searchParams), {
    response_type: 'code',
    code_challenge_method: 'S256',
    resource: upstream.mcp.url,
    scope: 'tools offline_access',
    redirect_uri: 'http://localhost:7700/hubs/sign-in',
    state: /^[\w-]{43}$/,
  });
  t.ok(Date.parse(begun.expires_at) - Date.now() <= 600_000);
  t.equal(await signIn(home, ana), '303 /hubs/acme/connections?signed_in=tools');
  t.equal(upstream.registrations(), 1, 'registered once, however often it began');
  t.equal(await echo(ana), 'ok');
  t.equal(await echo(max), 'ok');
  t.same([...new Set(upstream.subjects)], ['somebody']);
  const { token } = await makeToken(max, 'acme');
  const client = await home.client(token);
  t.match(await client.callTool({ name: 'tools__echo', arguments: { text: 'y' } }), { content: [{ text: 'y' }] });
  t.match(await shown(max), {
    state: 'connected',
    sign_in: { needed: false, by: 'shared', signed_in: true, expires_at: null },
  });
  t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
  t.match(await shown(ana), { state: 'needs_sign_in', sign_in: { signed_in: false } });
  t.equal(await echo(max), 'UPSTREAM_SIGN_IN_NEEDED');
});

t.test('where sign-ins are of each person, nobody calls with another’s', async (t) => {
  const home = await both(t, { ...oauth, sharing: 'per_user' });
  const { ana, max, upstream } = home;
  upstream.who = 'ana-there';
  t.equal(await signIn(home, ana), '303 /hubs/acme/connections?signed_in=tools');
  t.match((await shown(ana)).sign_in, { by: 'user', signed_in: true });
  t.match((await shown(max)).sign_in, { by: 'user', signed_in: false, needed: true });
  t.equal(await echo(ana), 'ok');
  t.equal(await echo(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.equal((await shown(ana)).state, 'connected', 'what Max lacks says nothing about the connection');
  upstream.who = 'max-there';
  t.equal(await signIn(home, max), '303 /hubs/acme/connections?signed_in=tools');
  t.equal(upstream.registrations(), 1, 'one client for all of them');
  const before = upstream.subjects.length;
  await Promise.all([echo(ana), echo(max)]);
  t.same(new Set(upstream.subjects.slice(before)), new Set(['ana-there', 'max-there']));
  await max.ask('DELETE', `${path}/tools/sign-in`);
  t.equal(await echo(max), 'UPSTREAM_SIGN_IN_NEEDED');
  t.equal(await echo(ana), 'ok');
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.equal(await refusalOf(begin(max)), '404 HUB_UNKNOWN');
});

t.test('a client that the owner was given is used, with its secret, and nothing is registered', async (t) => {
  const given: ClientMetadata = {
    client_id: 'given-by-hand',
    client_secret: 'a secret that was given by hand',
    redirect_uris: ['http://localhost:7700/hubs/sign-in'],
    application_type: 'native',
  };
  const { client_id, client_secret } = given;
  const home = await both(t, { ...oauth, client_id, client_secret }, { clients: [given] });
  t.equal(await signIn(home, home.ana), '303 /hubs/acme/connections?signed_in=tools');
  t.equal(await echo(home.ana), 'ok');
  t.equal(home.upstream.registrations(), 0);
  home.upstream.revoke('access');
  t.equal(await echo(home.ana), 'ok', 'and renewed with it');
});

t.test('an expired or revoked token is renewed within the call, once for all calls that wait', async (t) => {
  const home = await both(t, oauth, { accessSeconds: 2 });
  const { ana, upstream } = home;
  await signIn(home, ana);
  t.equal(await echo(ana), 'ok');
  t.same(upstream.grants, ['authorization_code']);
  await setTimeout(1100);
  t.equal(await echo(ana), 'ok', 'what ends soon is renewed before it is sent');
  t.same(upstream.grants, ['authorization_code', 'refresh_token']);
  const lasting = await both(t);
  await signIn(lasting, lasting.ana);
  t.equal(await echo(lasting.ana), 'ok');
  t.same(lasting.upstream.grants, ['authorization_code']);
  lasting.upstream.revoke('access');
  const answers = await Promise.all(Array.from({ length: 8 }, () => echo(lasting.ana)));
  t.same(new Set(answers), new Set(['ok']));
  t.same(lasting.upstream.grants, ['authorization_code', 'refresh_token']);
});

t.test('a renewal that is refused asks for a new sign-in; a server that is away does not', async (t) => {
  const home = await both(t);
  const { ana, upstream } = home;
  await signIn(home, ana);
  t.equal(await echo(ana), 'ok');
  upstream.away = true;
  upstream.revoke('access');
  t.equal(await echo(ana), 'UPSTREAM_UNREACHABLE');
  t.match((await shown(ana)).sign_in, { signed_in: true });
  upstream.away = false;
  upstream.revoke('all');
  t.equal(await echo(ana), 'UPSTREAM_SIGN_IN_NEEDED');
  t.match(await shown(ana), {
    state: 'needs_sign_in',
    last_error: /lets nobody in without a sign-in.*: sign in to that server/,
    sign_in: { needed: true, signed_in: false },
  });
});

t.test(
  'no token, code, verifier or client secret is in a log, an answer, an address or in clear on the disk',
  async (t) => {
    const home = await both(t);
    const { ana, upstream } = home;
    const back = await wayBack(home, ana);
    const code = new URLSearchParams(back.split('?')[1]).get('code') ?? '';
    t.equal(await finish(ana, back), '303 /hubs/acme/connections?signed_in=tools');
    await echo(ana);
    const tokens = [...upstream.tokens];
    t.equal(tokens.length, 1);
    const { secrets } = home.api.hub.book;
    const { connection_id: id } = await shown(ana);
    const kept = JSON.parse((await secrets.oauthState(id, undefined)) ?? '{}');
    const secret = [...tokens, code, kept.tokens.refresh_token];
    t.ok(secret.every((one) => one.length > 20));
    const answers = JSON.stringify([await shown(ana), await json(ana.ask('GET', path))]);
    const logs = JSON.stringify([home.lines, home.api.lines, home.api.security]);
    const files = readdirSync(t.testdirName, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    for (const one of secret) {
      t.notOk(answers.includes(one) || logs.includes(one));
      for (const { parentPath, name } of files) t.notOk(readFileSync(join(parentPath, name)).includes(one), name);
    }
    t.match(logs, /hub_signed_in/);
  },
);

t.test('a server that echoes the token it is called with tells it to nobody, also when it was renewed', async (t) => {
  const home = await both(t);
  const { ana, max, upstream } = home;
  await signIn(home, ana);
  t.equal(await echo(ana), 'ok');
  const says = async (text: string) => {
    const call = { name: 'tools__echo', arguments: { text: `I got ${text}` } };
    return JSON.stringify(await json(max.ask('POST', '/api/v1/hubs/acme/tools/call', call)));
  };
  const [first = ''] = upstream.tokens;
  t.match(await says(first), /I got \[hidden\]/);
  upstream.revoke('access');
  t.equal(await echo(ana), 'ok');
  const [, second = ''] = upstream.tokens;
  t.ok(first.length > 20 && second.length > 20 && first !== second);
  for (const token of [first, second]) {
    const told = await says(token);
    t.match(told, /I got \[hidden\]/);
    t.notOk(told.includes(token));
  }
  const { token } = await makeToken(max, 'acme');
  const client = await home.client(token);
  const result = await client.callTool({ name: 'tools__echo', arguments: { text: second } });
  t.match(result, { content: [{ text: '[hidden]' }] });
});

t.test('a state is good once, in its browser, and for its time', async (t) => {
  const home = await both(t);
  const { ana, max, eve } = home;
  const over = '303 /hubs?problem=CONNECTION_SIGN_IN_OVER';
  const used = await wayBack(home, ana);
  t.equal(await finish(ana, used), '303 /hubs/acme/connections?signed_in=tools');
  t.equal(await finish(ana, used), over, 'used up');
  for (const other of [max, eve]) {
    const back = await wayBack(home, ana);
    t.equal(await finish(other, back), over, 'another browser has not begun it');
    t.equal(await finish(ana, back), over, 'and has used it up');
  }
  t.equal(await finish(ana, '/hubs/sign-in?code=x&state=made-up'), over);
  t.equal(await finish(ana, '/hubs/sign-in'), over);
  const left = await wayBack(home, ana);
  await ana.ask('DELETE', '/api/v1/session');
  t.equal(await finish(ana, left), over, 'it ends with the session that began it');
});

t.test('where another person signed in meanwhile in the same browser, nothing is kept for the first', async (t) => {
  const home = await both(t, { ...oauth, sharing: 'per_user' });
  const { ana, max } = home;
  const back = await wayBack(home, max);
  const answer = await max.enter('/api/v1/session', { email: 'ana@example.com', password });
  t.equal(answer.status, 201);
  t.equal(await finish(max, back), '303 /hubs?problem=CONNECTION_SIGN_IN_OVER');
  t.match((await shown(ana)).sign_in, { signed_in: false });
  t.equal(await signIn(home, max), '303 /hubs/acme/connections?signed_in=tools', 'Ana in that browser');
  t.match((await shown(ana)).sign_in, { signed_in: true });
});

t.test('browsers come back to the first public address, and begin there', async (t) => {
  const home = await both(t, oauth, {}, [new URL('https://vp.example.com'), new URL('http://localhost:7700')]);
  const { ana, api, upstream } = home;
  const refused = await begin(ana);
  t.equal(refused.status, 403);
  t.match(await refused.json(), {
    code: 'CONNECTION_SIGN_IN_BROWSER',
    cure: /https:\/\/vp\.example\.com\/hubs\/acme\/connections/,
  });
  t.equal(upstream.registrations(), 0, 'no other address is made known to that server');
  const cookie = [...ana.cookies].map(([name, value]) => `__Host-${name.replace('7700', '443')}=${value}`).join('; ');
  const headers = { origin: 'https://vp.example.com', 'x-vp-proof': ana.proof ?? '', cookie };
  const there = new Request(`http://vp.example.com${path}/tools/sign-in`, { method: 'POST', headers });
  const { authorization_url: url } = await json<HubSignInBegun>(api.fetch(there));
  t.equal(new URL(url).searchParams.get('redirect_uri'), 'https://vp.example.com/hubs/sign-in');
});

t.test('whoever loses their place meanwhile, or whose connection changed, gets nothing kept', async (t) => {
  const home = await both(t);
  const { ana, max, ids } = home;
  await ana.ask('PUT', `/api/v1/hubs/acme/members/${ids.Max}`, { role: 'owner' });
  const back = await wayBack(home, max);
  await ana.ask('PUT', `/api/v1/hubs/acme/members/${ids.Max}`, { role: 'member' });
  t.match(await finish(max, back), /problem=HUB_ROLE_INSUFFICIENT/);
  const changed = await wayBack(home, ana);
  await ana.ask('PUT', `${path}/tools`, { name: 'tools', credential: oauth });
  t.match(await finish(ana, changed), /problem=CONNECTION_SIGN_IN_OVER&connection=tools/);
  t.match((await shown(ana)).sign_in, { signed_in: false });
});

t.test('who may sign in, and from where', async (t) => {
  const home = await both(t);
  const { ana, max, eve, api } = home;
  t.equal(await refusalOf(begin(max)), '403 HUB_ROLE_INSUFFICIENT', 'the hub’s sign-in is its owners’');
  t.equal(await refusalOf(max.ask('DELETE', `${path}/tools/sign-in`)), '403 HUB_ROLE_INSUFFICIENT');
  t.equal(await refusalOf(begin(eve)), '404 HUB_UNKNOWN');
  t.equal(await refusalOf(ana.ask('POST', `${path}/none/sign-in`)), '404 CONNECTION_UNKNOWN');
  await ana.ask('POST', path, { name: 'plain', kind: 'http', url: 'http://127.0.0.1:9/mcp' });
  t.equal(await refusalOf(ana.ask('POST', `${path}/plain/sign-in`)), '422 CONNECTION_SIGN_IN_NONE');
  const { key } = await json<{ key: string }>(ana.ask('POST', '/api/v1/api-keys', { name: 'ci', role: 'owner' }));
  const byKey = await api.ask('POST', `${path}/tools/sign-in`, undefined, key);
  t.equal(byKey.status, 403);
  t.match(await byKey.json(), {
    code: 'CONNECTION_SIGN_IN_BROWSER',
    cure: /http:\/\/localhost:7700\/hubs\/acme\/connections/,
  });
  home.upstream.who = undefined;
  t.match(
    await signIn(home, ana),
    /^303 \/hubs\/acme\/connections\?problem=CONNECTION_SIGN_IN_REFUSED&connection=tools$/,
  );
  t.equal(await echo(ana), 'UPSTREAM_SIGN_IN_NEEDED');
});
