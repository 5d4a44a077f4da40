/**
 * A hub as the upstream of another control plane's hub: both ends of OAuth are ours, over real listeners, with consent.
 */
import t, { type Test } from 'tap';
import { startControlPlane } from '../../../src/assemble/control-plane/control-plane.ts';
import type { CallHubToolResponse, StartHubSignInResponse } from '../../../src/contract/hubs/connection-use-api.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import {
  decideInteraction,
  type HttpBrowser,
  type OAuthControlPlane,
  signInFirstOwner,
} from '../../server/oauth/oauth-control-plane.ts';
import { cheapIdentitySettings } from '../../server/test-server.ts';
import { patientListTimeoutMs } from '../fixtures/test-gateway.ts';

async function startPlane(t: Test, folder: string): Promise<OAuthControlPlane> {
  const { environment } = memoryEnvironment();
  const lines: OAuthControlPlane['lines'] = [];
  const record = (fields: (typeof lines)[number]): void => void lines.push(fields);
  const log = { error: record, warn: record, info: record, debug: record };
  const upstreams = {
    allowPrivate: true,
    extraRoots: [],
    commands: new Map(),
    unsafeStdio: false,
    listTimeoutMs: patientListTimeoutMs,
  };
  const settings = { identitySettings: cheapIdentitySettings, hubSettings: { allowPrivateUpstreams: true }, upstreams };
  const controlPlane = await startControlPlane({ environment, folder, host: '127.0.0.1', port: 0, log, ...settings });
  t.teardown(() => controlPlane.close());
  return { ...controlPlane, lines, folder };
}

async function createHubWithConnection(browser: HttpBrowser, slug: string, connection: object): Promise<void> {
  const created = await browser.api('POST', '/hubs', { slug });
  const added = await browser.api('POST', `/hubs/${slug}/connections`, connection);
  if (created.status !== 201 || added.status !== 201) throw new Error(await added.text());
}

t.test('a hub signs in to another control plane’s hub and calls its tools; both audits have the call', async (t) => {
  const folder = t.testdir({ inner: {}, outer: {} });
  const inner = await startPlane(t, `${folder}/inner`);
  const outer = await startPlane(t, `${folder}/outer`);
  const bob = await signInFirstOwner(inner);
  const ana = await signInFirstOwner(outer);
  await createHubWithConnection(bob, 'store', { name: 'memory', kind: 'memory' });
  const credential = { kind: 'oauth', sharing: 'shared' };
  await createHubWithConnection(ana, 'front', {
    name: 'there',
    kind: 'http',
    url: `${inner.url}/hub/store/mcp`,
    credential,
  });
  const started: StartHubSignInResponse = await (await ana.api('POST', '/hubs/front/connections/there/sign-in')).json();
  t.ok(started.authorization_url.startsWith(`${inner.url}/oauth/`), started.authorization_url);
  // The same person in one browser, with cookies of both control planes.
  let page = await bob.navigate(started.authorization_url);
  for (let pages = 0; pages < 4 && page.headers.get('location')?.startsWith('/interaction/'); pages += 1)
    page = await decideInteraction(bob, page, true);
  const callbackUrl = page.headers.get('location') ?? '';
  t.ok(callbackUrl.startsWith(`${outer.url}/hubs/sign-in?`), callbackUrl);
  const callbackResponse = await ana.navigate(callbackUrl);
  t.equal(
    `${callbackResponse.status} ${callbackResponse.headers.get('location')}`,
    '303 /hubs/front/connections?signed_in=there',
  );
  const call = { name: 'there__memory__remember', arguments: { text: 'from the other side' } };
  const callResponse = await ana.api('POST', '/hubs/front/tools/call', call);
  const result: CallHubToolResponse = await callResponse.json();
  t.match(result, { is_error: false, result: { structuredContent: { memory: { text: 'from the other side' } } } });
  const audits = await Promise.all([bob.api('GET', '/hubs/store/audit'), ana.api('GET', '/hubs/front/audit')]);
  const [innerAudit, outerAudit] = await Promise.all(audits.map((browser) => browser.json()));
  t.match(innerAudit.items[0], { tool: 'remember', via: 'grant', outcome: 'ok' });
  t.match(outerAudit.items[0], { tool: 'memory__remember', via: 'console', outcome: 'ok', connection: 'there' });
  const code = new URL(callbackUrl).searchParams.get('code') ?? 'none';
  t.notOk(JSON.stringify([inner.lines, outer.lines]).includes(code));
  const removed = await ana.api('DELETE', '/hubs/front/connections/there/sign-in');
  t.equal(removed.status, 204);
  const refused = await ana.api('POST', '/hubs/front/tools/call', call);
  t.equal((await refused.json()).code, 'UPSTREAM_SIGN_IN_NEEDED');
});
