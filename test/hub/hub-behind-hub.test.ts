/** A hub as the upstream of another control plane's hub: both ends of OAuth are ours, over real listeners, with consent. */
import t, { type Test } from 'tap';
import { startControlPlane } from '../../src/assemble/control-plane.ts';
import type { HubSignInBegun, HubToolCalled } from '../../src/contract/hub-connect-api.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { answer, firstOwner, type OAuthPlane, type RealBrowser } from '../server/oauth-plane.ts';
import { cheap } from '../server/served.ts';

async function plane(t: Test, folder: string): Promise<OAuthPlane> {
  const { environment } = memoryEnvironment();
  const lines: OAuthPlane['lines'] = [];
  const keep = (fields: (typeof lines)[number]): void => void lines.push(fields);
  const log = { error: keep, warn: keep, info: keep, debug: keep };
  const upstreams = { allowPrivate: true, extraRoots: [], commands: new Map(), unsafeStdio: false };
  const settings = { identitySettings: cheap, hubSettings: { allowPrivateUpstreams: true }, upstreams };
  const started = await startControlPlane({ environment, folder, host: '127.0.0.1', port: 0, log, ...settings });
  t.teardown(() => started.close());
  return { ...started, lines, folder };
}

async function hubWith(one: RealBrowser, slug: string, connection: object): Promise<void> {
  const made = await one.api('POST', '/hubs', { slug });
  const added = await one.api('POST', `/hubs/${slug}/connections`, connection);
  if (made.status !== 201 || added.status !== 201) throw new Error(await added.text());
}

t.test('a hub signs in to another control plane’s hub and calls its tools; both audits have the call', async (t) => {
  const folder = t.testdir({ inner: {}, outer: {} });
  const inner = await plane(t, `${folder}/inner`);
  const outer = await plane(t, `${folder}/outer`);
  const bob = await firstOwner(inner);
  const ana = await firstOwner(outer);
  await hubWith(bob, 'store', { name: 'memory', kind: 'memory' });
  const credential = { kind: 'oauth', sharing: 'shared' };
  await hubWith(ana, 'front', { name: 'there', kind: 'http', url: `${inner.url}/hub/store/mcp`, credential });
  const begun: HubSignInBegun = await (await ana.api('POST', '/hubs/front/connections/there/sign-in')).json();
  t.ok(begun.authorization_url.startsWith(`${inner.url}/oauth/`), begun.authorization_url);
  // The same person in one browser: its cookies of one plane, then those of the other.
  let at = await bob.go(begun.authorization_url);
  for (let pages = 0; pages < 4 && at.headers.get('location')?.startsWith('/interaction/'); pages += 1)
    at = await answer(bob, at, true);
  const back = at.headers.get('location') ?? '';
  t.ok(back.startsWith(`${outer.url}/hubs/sign-in?`), back);
  const arrived = await ana.go(back);
  t.equal(`${arrived.status} ${arrived.headers.get('location')}`, '303 /hubs/front/connections?signed_in=there');
  const call = { name: 'there__memory__remember', arguments: { text: 'from the other side' } };
  const called = await ana.api('POST', '/hubs/front/tools/call', call);
  const result: HubToolCalled = await called.json();
  t.match(result, { is_error: false, result: { structuredContent: { memory: { text: 'from the other side' } } } });
  const audits = await Promise.all([bob.api('GET', '/hubs/store/audit'), ana.api('GET', '/hubs/front/audit')]);
  const [there, here] = await Promise.all(audits.map((one) => one.json()));
  t.match(there.items[0], { tool: 'remember', via: 'grant', outcome: 'ok' });
  t.match(here.items[0], { tool: 'memory__remember', via: 'console', outcome: 'ok', connection: 'there' });
  const code = new URL(back).searchParams.get('code') ?? 'none';
  t.notOk(JSON.stringify([inner.lines, outer.lines]).includes(code));
  const forgotten = await ana.api('DELETE', '/hubs/front/connections/there/sign-in');
  t.equal(forgotten.status, 204);
  const refused = await ana.api('POST', '/hubs/front/tools/call', call);
  t.equal((await refused.json()).code, 'UPSTREAM_SIGN_IN_NEEDED');
});
