/** OAuth access to one hub or its memory, by consent of a member. */
import t from 'tap';
import { advanceDate } from '../../environment/advance-date.ts';
import { authorizeClient, createRegisteredClient, startHubControlPlane } from './hub-client.ts';
import { decideInteraction, parseInteractionUid, postForm } from './oauth-control-plane.ts';

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'probe', version: '1' } },
};

t.test('a registered client reaches the hub that its person allowed, and the audit names it', async (t) => {
  const { plane, ana, post } = await startHubControlPlane(t);
  const program = await createRegisteredClient(plane, { client_name: 'Probe', client_uri: 'https://probe.example' });
  const { tokens, consentDetails } = await authorizeClient(plane, ana, program, `${plane.url}/hub/acme`);
  t.match(consentDetails, {
    kind: 'consent',
    client: {
      name: 'Probe',
      id: program.clientId,
      host: null,
      verified: false,
      uri: 'https://probe.example',
      registered: 'dynamic',
      redirect_host: '127.0.0.1:45678',
    },
    service: 'hub',
    hub: { slug: 'acme', name: 'Acme' },
    may: [/^see /, /^use /],
    lasts: { access_ms: 900_000, refresh_ms: 2_592_000_000 },
    member: true,
  });
  t.equal(tokens.scope, 'hub:read hub:call');
  t.equal((await post('/hub/acme/mcp', tokens.access_token, hello)).status, 200);
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'none__such', arguments: {} } };
  await (await post('/hub/acme/mcp', tokens.access_token, call)).text();
  const { items } = await (await ana.api('GET', '/hubs/acme/audit')).json();
  t.match(items[0], { person: 'Ana', via: 'grant', via_name: 'Probe', method: 'tools/call' });
  const { items: grants } = await (await ana.api('GET', '/grants')).json();
  t.match(grants, [
    {
      client_name: 'Probe',
      client: { registered: 'dynamic', verified: false },
      service: 'hub',
      hub: { slug: 'acme', name: 'Acme' },
      member: true,
      scopes: ['hub:read', 'hub:call'],
      last_address: '127.0.0.1',
    },
  ]);
  t.equal((await ana.api('DELETE', `/grants/${grants[0].grant_id}`)).status, 204);
  t.equal((await post('/hub/acme/mcp', tokens.access_token, hello)).status, 401, 'at once');
});

t.test('a token follows its hub to another slug, and is refused at the previous slug', async (t) => {
  const { plane, ana, post } = await startHubControlPlane(t);
  const program = await createRegisteredClient(plane);
  const { tokens } = await authorizeClient(plane, ana, program, `${plane.url}/hub/acme`);
  await ana.api('PUT', '/hubs/acme', { slug: 'renamed', name: 'Renamed' });
  t.equal((await post('/hub/renamed/mcp', tokens.access_token, hello)).status, 200);
  t.equal((await post('/hub/acme/mcp', tokens.access_token, hello)).status, 401);
  const renewed = await postForm(plane, 'token', {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token ?? '',
    client_id: program.clientId,
  });
  t.equal(
    (await post('/hub/renamed/mcp', renewed.body.access_token, hello)).status,
    200,
    'renewing it changes nothing',
  );
});

t.test('access to the memory of a hub is granted separately', async (t) => {
  const { plane, ana, post } = await startHubControlPlane(t);
  const program = await createRegisteredClient(plane);
  const { tokens, consentDetails } = await authorizeClient(plane, ana, program, `${plane.url}/memory/hub/acme`);
  t.match(consentDetails, { service: 'memory', hub: { slug: 'acme' } });
  t.equal(tokens.scope, 'memory:use');
  t.equal((await post('/memory/hub/acme/mcp', tokens.access_token, hello)).status, 200);
  for (const path of ['/hub/acme/mcp', '/memory/mcp', '/agent/mcp', '/memory/hub/other/mcp'])
    t.equal((await post(path, tokens.access_token, hello)).status, 401, path);
});

t.test('a read-only client is challenged at its first call (step-up)', async (t) => {
  const { plane, ana, post } = await startHubControlPlane(t);
  const program = await createRegisteredClient(plane);
  const { tokens } = await authorizeClient(plane, ana, program, `${plane.url}/hub/acme`, { scope: 'hub:read email' });
  t.equal(tokens.scope, 'hub:read');
  t.equal((await post('/hub/acme/mcp', tokens.access_token, hello)).status, 200);
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'x', arguments: {} } };
  for (const message of [call, [hello, call]]) {
    const refused = await post('/hub/acme/mcp', tokens.access_token, message);
    t.equal(refused.status, 403);
    t.equal(
      refused.headers.get('www-authenticate'),
      `Bearer realm="vp hub", error="insufficient_scope", scope="hub:read hub:call", resource_metadata="${plane.url}/hub/acme/.well-known/oauth-protected-resource"`,
    );
    t.match(await refused.json(), { code: 'insufficient_scope', error: 'insufficient_scope' });
  }
});

t.test('a flow without a hub is refused with the form of hub URLs', async (t) => {
  const { plane, ana } = await startHubControlPlane(t);
  const program = await createRegisteredClient(plane);
  for (const resource of [undefined, plane.url, `${plane.url}/`, `${plane.url}/mcp`, `${plane.url}/agent/mcp`]) {
    const answered = await ana.navigate(program.ask(resource).url);
    const { searchParams } = new URL(answered.headers.get('location') ?? '');
    t.equal(searchParams.get('error'), 'invalid_target', resource ?? 'none');
    t.match(searchParams.get('error_description'), `connect to ${plane.url}/hub/<slug>/mcp`, resource ?? 'none');
    t.equal(searchParams.get('iss'), plane.url);
  }
});

t.test('an expired token is reported as such, and does not count as a guess', async (t) => {
  const { plane, ana, post } = await startHubControlPlane(t, { accessTokenSeconds: 1 });
  const { tokens } = await authorizeClient(plane, ana, await createRegisteredClient(plane), `${plane.url}/hub/acme`);
  advanceDate(t, 2000);
  const refused = await post('/hub/acme/mcp', tokens.access_token, hello);
  t.match(refused.headers.get('www-authenticate'), 'error="invalid_token"');
  t.match(await refused.json(), { code: 'invalid_token', message: 'the access token has expired' });
  t.notOk(plane.lines.some(({ security }) => security === 'hub_token_refused'));
  await post('/hub/acme/mcp', 'x'.repeat(43), hello);
  t.ok(plane.lines.some(({ security }) => security === 'hub_token_refused'));
});

t.test('an unapproved redirect URI is never followed', async (t) => {
  const { plane, ana } = await startHubControlPlane(t);
  for (const redirect of ['https://evil.example/callback', 'evil://callback']) {
    const program = await createRegisteredClient(plane, { redirect_uris: [redirect] });
    const hub = `${plane.url}/hub/acme`;
    const spoiled: Record<string, string>[] = [{ prompt: 'none' }, { code_challenge_method: 'plain' }];
    for (const more of spoiled) {
      const answered = await ana.navigate(program.ask(hub, { ...more, redirect_uri: redirect }).url);
      t.equal(answered.status, 400);
      t.equal(answered.headers.get('location'), null);
      t.match(await answered.text(), /cannot be answered.*You were not redirected to <b class="mono">evil/s);
    }
    const authorization = program.ask(hub, { redirect_uri: redirect });
    const back = await decideInteraction(
      ana,
      await decideInteraction(ana, await ana.navigate(authorization.url), true),
      false,
    );
    t.match(back.headers.get('location'), redirect, 'whoever has been asked, and refused, is sent back');
  }
});

t.test('only members consent for a hub: HUB_MEMBERSHIP_NEEDED, whether it exists or not', async (t) => {
  const { plane, ana } = await startHubControlPlane(t);
  const program = await createRegisteredClient(plane);
  for (const slug of ['foreign', 'none']) {
    if (slug === 'foreign') await makeForeign(plane, ana);
    const start = await decideInteraction(ana, await ana.navigate(program.ask(`${plane.url}/hub/${slug}`).url), true);
    const consentDetails = await (await ana.api('GET', `/interactions/${parseInteractionUid(start)}`)).json();
    t.match(consentDetails, { hub: { slug, name: slug }, member: false });
    const refused = await ana.api('POST', `/interactions/${parseInteractionUid(start)}`, { allow: true });
    t.equal(refused.status, 403);
    t.equal((await refused.json()).code, 'HUB_MEMBERSHIP_NEEDED');
    const back = await decideInteraction(ana, start, false);
    t.match(back.headers.get('location'), /error=access_denied/);
  }
});

async function makeForeign(
  plane: { url: string },
  ana: Awaited<ReturnType<typeof startHubControlPlane>>['ana'],
): Promise<void> {
  const { createHttpBrowser: realBrowser, password } = await import('./oauth-control-plane.ts');
  const { url } = await (await ana.api('POST', '/invitations', { role: 'member' })).json();
  const eve = realBrowser(plane.url);
  const account = { secret: new URL(url).hash.slice(1), name: 'Eve', email: 'eve@example.com', password };
  await eve.api('POST', '/invitations/accept', account);
  await eve.api('POST', '/hubs', { slug: 'foreign', name: 'Secret plans' });
}
