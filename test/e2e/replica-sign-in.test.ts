/**
 * OAuth and single sign-on behind two replicas on PostgreSQL. The load balancer sends each request to the other replica, so that each step of
 * a sign-in is finished elsewhere than it was started, and requests at the same moment arrive at both.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { eventually } from '../eventually.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import { client, startOpenidProvider } from '../server/identity/openid-provider.ts';
import {
  buildAuthorization,
  callApi,
  createHttpBrowser,
  decideInteraction,
  type HttpBrowser,
  obtainCode,
  password,
  postForm,
  redeemCode,
} from '../server/oauth/oauth-control-plane.ts';
import { readLinkSecret } from '../server/test-browser.ts';
import { startLoadBalancer } from './load-balancer.ts';
import { findActiveReplica, ReplicaSet } from './replicas-rig.ts';
import { type Sandbox, sandboxTest } from './sandbox.ts';

const device = 'urn:ietf:params:oauth:grant-type:device_code';

type Plane = { readonly url: string };

async function startPair(t: Test, sandbox: Sandbox) {
  const balancer = await startLoadBalancer(t);
  const provider = await startOpenidProvider(t, `${balancer.url}/single-sign-on`);
  const secretFile = join(sandbox.folder, 'sso.secret');
  writeFileSync(secretFile, client.secret, { mode: 0o600 });
  const sso = ['--sso-issuer', provider.issuer, '--sso-client-id', client.id, '--sso-secret-file', secretFile];
  const set = new ReplicaSet(sandbox, (await createTestDatabase(t)).url);
  const start = () =>
    set.start({}, undefined, [
      '--public-url',
      balancer.url,
      ...sso,
      '--sso-role',
      'member',
      '--sso-domain',
      'example.com',
    ]);
  const replicas = await Promise.all([start(), start()]);
  const active = await findActiveReplica(replicas);
  const [, file = ''] = await active.running.waitForOutput(/"setup_link_file":"([^"]+)"/);
  balancer.setReplicas(replicas);
  const ana = createHttpBrowser(balancer.url);
  const secret = readLinkSecret(readFileSync(file, 'utf8').trim());
  const account = { name: 'Ana', email: 'ana@example.com', password };
  t.equal((await ana.api('POST', '/setup', { secret, ...account })).status, 201);
  const other = replicas.find((replica) => replica !== active) ?? active;
  return { plane: { url: balancer.url }, ana, active, other, provider };
}

/** Ends with the code that the provider gives; nothing of it has reached the control plane yet. */
async function signInAtProvider({ url }: Plane, browser: HttpBrowser): Promise<string> {
  const started = await browser.navigate(`${url}/api/v1/single-sign-on?back=/`);
  let address = started.headers.get('location') ?? '';
  const outside = createHttpBrowser(new URL(address).origin);
  for (let hops = 0; hops < 6 && !address.startsWith(`${url}/single-sign-on`); hops += 1) {
    const next = await outside.navigate(address);
    address = new URL(next.headers.get('location') ?? '', address).href;
  }
  return new URL(address).search;
}

const countOk = (responses: readonly { readonly status: number }[]): number =>
  responses.filter(({ status }) => status === 200).length;

sandboxTest('codes, refresh tokens and device codes are used once, whichever replicas get them', async (t, sandbox) => {
  const { plane, ana } = await startPair(t, sandbox);
  const authorization = buildAuthorization(plane);
  const { body: tokens, status } = await redeemCode(plane, await obtainCode(ana, authorization.url), authorization);
  t.equal(status, 200, 'started on one, finished on the other');
  t.equal((await callApi(plane, tokens.access_token)).status, 200);

  const second = buildAuthorization(plane);
  const code = await obtainCode(ana, second.url);
  const redeemed = await Promise.all([redeemCode(plane, code, second), redeemCode(plane, code, second)]);
  t.ok(countOk(redeemed) <= 1, 'one code, at both at once');
  for (const { body } of redeemed)
    if (body.access_token) t.equal((await callApi(plane, body.access_token)).status, 401, 'its tokens are revoked');

  const refresh = () =>
    postForm(plane, 'token', { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' });
  const refreshed = await Promise.all([refresh(), refresh()]);
  t.ok(countOk(refreshed) <= 1, 'one refresh token, at both at once');
  t.equal((await refresh()).status, 400);
  for (const { body } of [...refreshed, { body: tokens }])
    if (body.access_token) t.equal((await callApi(plane, body.access_token)).status, 401, 'the family is revoked');

  const { body: request } = await postForm(plane, 'device-authorization', { scope: 'api' });
  const poll = () => postForm(plane, 'token', { grant_type: device, device_code: request.device_code ?? '' });
  t.equal((await ana.api('POST', '/device', { user_code: request.user_code, allow: true })).status, 204);
  const polled = await Promise.all([poll(), poll()]);
  t.ok(countOk(polled) <= 1, 'one device code, at both at once');
  t.equal((await poll()).status, 400);
});

sandboxTest('a sign-in that was started before a replica is killed is finished after it', async (t, sandbox) => {
  const { plane, ana, active, other, provider } = await startPair(t, sandbox);
  provider.currentUser = { sub: 'max-1', email: 'max@example.com', email_verified: true, name: 'Max' };
  const max = createHttpBrowser(plane.url);
  const query = await signInAtProvider(plane, max);
  const late = createHttpBrowser(plane.url);
  const lateQuery = await signInAtProvider(plane, late);
  const post = (browser: HttpBrowser, text: string) => browser.api('POST', '/single-sign-on', { query: text });
  t.equal(
    countOk(await Promise.all([post(max, query), post(max, query)])),
    1,
    'one response of the provider, at both at once',
  );

  const authorization = buildAuthorization(plane);
  const consent = await decideInteraction(ana, await ana.navigate(authorization.url), true);
  const { body: request } = await postForm(plane, 'device-authorization', { scope: 'api' });
  t.equal((await ana.api('POST', '/device', { user_code: request.user_code, allow: true })).status, 204);
  await active.running.kill();
  await findActiveReplica([other]);
  await eventually(async () => (await ana.api('GET', '/session')).status === 200, {
    description: 'the session lives on',
  });
  const redirect = await decideInteraction(ana, consent, true);
  const code = new URL(redirect.headers.get('location') ?? '').searchParams.get('code') ?? '';
  t.equal((await redeemCode(plane, code, authorization)).status, 200);
  t.equal((await redeemCode(plane, code, authorization)).status, 400, 'and once');
  t.equal((await postForm(plane, 'token', { grant_type: device, device_code: request.device_code ?? '' })).status, 200);
  const finished = await post(late, lateQuery);
  t.match(await finished.json(), { signed_in: { person: { name: 'Max' } } });
  t.not((await post(max, query)).status, 200, 'a response that was used before the kill is not used again');
});
