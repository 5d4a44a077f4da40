/** A whole control plane whose hub has the tool `good__echo`, which needs an approval: Max calls it, Ana approves. */
import type { Test } from 'tap';
import type { UpstreamSettings } from '../../../src/assemble/control-plane/upstream-settings.ts';
import { toHubSettings } from '../../../src/commands/serve/hub-flags.ts';
import type { HubPolicy } from '../../../src/contract/hubs/policy-api.ts';
import {
  createHttpBrowser,
  password,
  signInFirstOwner,
  startOAuthControlPlane,
} from '../../server/oauth/oauth-control-plane.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const upstreams: UpstreamSettings = { allowPrivate: true, extraRoots: [], commands: new Map(), unsafeStdio: false };
export const approvalPlaneSettings = { upstreams, hubSettings: toHubSettings(upstreams) };

export async function startApprovalPlane(t: Test, rule: { readonly hold_s?: number } = {}) {
  const posted: string[] = [];
  const upstream = await startTestServer(t, createReferenceServer('newest').handle, 0, (_headers, body) =>
    posted.push(JSON.stringify(body)),
  );
  const plane = await startOAuthControlPlane(t, approvalPlaneSettings);
  const ana = await signInFirstOwner(plane);
  await ana.api('POST', '/hubs', { slug: 'acme', name: 'Acme' });
  await ana.api('POST', '/hubs/acme/connections', { name: 'good', kind: 'http', url: upstream.url });
  const { revision }: HubPolicy = await (await ana.api('GET', '/hubs/acme/policy')).json();
  const names = { accept_unknown_tools: true, accept_unknown_callers: true };
  const document = { approvals: [{ tools: 'good__echo', ...rule }] };
  const saved = await ana.api('PUT', '/hubs/acme/policy', { document, if_revision: revision, ...names });
  if (saved.status !== 200) throw new Error(`the policy is not accepted: ${saved.status}`);
  const { url } = await (await ana.api('POST', '/invitations', { role: 'member' })).json();
  const max = createHttpBrowser(plane.url);
  const account = { name: 'Max', email: 'max@example.com', password };
  await max.api('POST', '/invitations/accept', { secret: new URL(url).hash.slice(1), ...account });
  const { items } = await (await ana.api('GET', '/people')).json();
  const { person_id: id } = items.find(({ name }: { name: string }) => name === 'Max');
  await ana.api('PUT', `/hubs/acme/members/${id}`, { role: 'member' });
  const created = await max.api('POST', '/hubs/acme/tokens', { name: 'ci', expiry: '90 days' });
  const { token }: { token: string } = await created.json();
  return { plane, ana, max, token, sent: () => posted.filter((body) => body.includes('tools/call')).length };
}
