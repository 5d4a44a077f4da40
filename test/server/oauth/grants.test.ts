/** Programs that act for a person, as the person sees and ends them. */
import t from 'tap';
import type { Grant } from '../../../src/contract/identity-api.ts';
import {
  buildAuthorization,
  callApi,
  type HttpBrowser,
  obtainCode,
  postForm,
  redeemCode,
  signInFirstOwner,
  startOAuthControlPlane,
} from './oauth-control-plane.ts';

async function listed(browser: HttpBrowser): Promise<Grant[]> {
  const { items } = await (await browser.api('GET', '/grants')).json();
  return items;
}

t.test('a person sees which clients act for them, since when, with which permissions and last use', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  t.same(await listed(ana), []);
  const authorization = buildAuthorization(plane);
  const code = await obtainCode(ana, authorization.url);
  t.same(await listed(ana), [], 'a program that has not come for its tokens has none');
  const { body: tokens } = await redeemCode(plane, code, authorization);
  const [unused] = await listed(ana);
  const usedMs = Date.now();
  t.match(unused, { client_name: 'vp on the command line', scopes: ['api'], last_used_at: null, last_address: null });
  t.equal((await callApi(plane, tokens.access_token)).status, 200);
  const [used] = await listed(ana);
  t.ok(used?.last_used_at && Date.parse(used.last_used_at) >= usedMs && Date.parse(used.last_used_at) <= Date.now());
  t.equal(used?.last_address, '127.0.0.1');
  t.ok(used && Date.parse(used.expires_at ?? '') > Date.now());
  const { body: renewed } = await postForm(plane, 'token', {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token ?? '',
  });
  t.ok(renewed.access_token);
  t.equal((await listed(ana)).length, 1, 'a renewal is the same grant');
  t.equal((await listed(ana))[0]?.last_used_at, used?.last_used_at);
});

t.test('revoking a grant revokes its tokens at once, and no others: GRANT_UNKNOWN afterwards', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const [first, second] = [buildAuthorization(plane), buildAuthorization(plane)];
  const { body: ended } = await redeemCode(plane, await obtainCode(ana, first.url), first);
  const [grant] = await listed(ana);
  const { body: remainingGrants } = await redeemCode(plane, await obtainCode(ana, second.url), second);
  const stream = await callApi(plane, ended.access_token, '/events');
  t.equal(stream.status, 200);
  t.equal((await ana.api('DELETE', `/grants/${grant?.grant_id}`)).status, 204);
  t.equal((await callApi(plane, ended.access_token)).status, 401);
  const refreshed = await postForm(plane, 'token', {
    grant_type: 'refresh_token',
    refresh_token: ended.refresh_token ?? '',
  });
  t.equal(refreshed.body.error, 'invalid_grant');
  t.equal((await callApi(plane, remainingGrants.access_token)).status, 200);
  t.equal((await listed(ana)).length, 1);
  await stream.text();
  t.pass('its open stream has ended');
  const again = await ana.api('DELETE', `/grants/${grant?.grant_id}`);
  t.equal((await again.json()).code, 'GRANT_UNKNOWN');
  t.ok(plane.lines.some(({ security }) => security === 'oauth_grant_ended'));
});

t.test('people see and revoke only their own grants, and clients see none', async (t) => {
  const plane = await startOAuthControlPlane(t);
  const ana = await signInFirstOwner(plane);
  const authorization = buildAuthorization(plane);
  const { body: tokens } = await redeemCode(plane, await obtainCode(ana, authorization.url), authorization);
  const [grant] = await listed(ana);
  const { url } = await (await ana.api('POST', '/invitations', { role: 'owner' })).json();
  const { createHttpBrowser: realBrowser, password } = await import('./oauth-control-plane.ts');
  const max = realBrowser(plane.url);
  const secret = new URL(url).hash.slice(1);
  await max.api('POST', '/invitations/accept', { secret, name: 'Max', email: 'max@example.com', password });
  t.same(await listed(max), []);
  t.equal((await max.api('DELETE', `/grants/${grant?.grant_id}`)).status, 404);
  t.equal((await callApi(plane, tokens.access_token, '/grants')).status, 403);
  t.equal((await callApi(plane, tokens.access_token)).status, 200);
});
