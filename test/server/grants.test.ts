/** Programs that act for a person, as the person sees and ends them. */
import t from 'tap';
import type { Grant } from '../../src/contract/identity-api.ts';
import {
  authorization,
  codeFor,
  firstOwner,
  form,
  oauthPlane,
  type RealBrowser,
  redeem,
  withToken,
} from './oauth-plane.ts';

async function listed(one: RealBrowser): Promise<Grant[]> {
  const { items } = await (await one.api('GET', '/grants')).json();
  return items;
}

t.test('a person sees which programs act for them, since when, what they may do and when they did', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  t.same(await listed(ana), []);
  const asked = authorization(plane);
  const code = await codeFor(ana, asked.url);
  t.same(await listed(ana), [], 'a program that has not come for its tokens has none');
  const { body: tokens } = await redeem(plane, code, asked);
  const [unused] = await listed(ana);
  t.match(unused, { client_name: 'vp on the command line', scopes: ['api'], last_used_at: null, last_address: null });
  t.equal((await withToken(plane, tokens.access_token)).status, 200);
  const [used] = await listed(ana);
  t.ok(used?.last_used_at && Date.now() - Date.parse(used.last_used_at) < 60_000);
  t.equal(used?.last_address, '127.0.0.1');
  t.ok(used && Date.parse(used.expires_at ?? '') > Date.now());
  const { body: renewed } = await form(plane, 'token', {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token ?? '',
  });
  t.ok(renewed.access_token);
  t.equal((await listed(ana)).length, 1, 'a renewal is the same grant');
  t.equal((await listed(ana))[0]?.last_used_at, used?.last_used_at);
});

t.test('ending one ends its tokens at once, and no other: GRANT_UNKNOWN afterwards', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const [first, second] = [authorization(plane), authorization(plane)];
  const { body: ended } = await redeem(plane, await codeFor(ana, first.url), first);
  const [grant] = await listed(ana);
  const { body: kept } = await redeem(plane, await codeFor(ana, second.url), second);
  const stream = await withToken(plane, ended.access_token, '/events');
  t.equal(stream.status, 200);
  t.equal((await ana.api('DELETE', `/grants/${grant?.grant_id}`)).status, 204);
  t.equal((await withToken(plane, ended.access_token)).status, 401);
  const refreshed = await form(plane, 'token', {
    grant_type: 'refresh_token',
    refresh_token: ended.refresh_token ?? '',
  });
  t.equal(refreshed.body.error, 'invalid_grant');
  t.equal((await withToken(plane, kept.access_token)).status, 200);
  t.equal((await listed(ana)).length, 1);
  await stream.text();
  t.pass('its open stream has ended');
  const again = await ana.api('DELETE', `/grants/${grant?.grant_id}`);
  t.equal((await again.json()).code, 'GRANT_UNKNOWN');
  t.ok(plane.lines.some(({ security }) => security === 'oauth_grant_ended'));
});

t.test('nobody sees or ends the grant of somebody else, and no program sees any', async (t) => {
  const plane = await oauthPlane(t);
  const ana = await firstOwner(plane);
  const asked = authorization(plane);
  const { body: tokens } = await redeem(plane, await codeFor(ana, asked.url), asked);
  const [grant] = await listed(ana);
  const { url } = await (await ana.api('POST', '/invitations', { role: 'owner' })).json();
  const { realBrowser, password } = await import('./oauth-plane.ts');
  const max = realBrowser(plane.url);
  const secret = new URL(url).hash.slice(1);
  await max.api('POST', '/invitations/accept', { secret, name: 'Max', email: 'max@example.com', password });
  t.same(await listed(max), []);
  t.equal((await max.api('DELETE', `/grants/${grant?.grant_id}`)).status, 404);
  t.equal((await withToken(plane, tokens.access_token, '/grants')).status, 403);
  t.equal((await withToken(plane, tokens.access_token)).status, 200);
});
