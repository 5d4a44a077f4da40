/** Which paths scripts of an allowed origin may call. */
import t from 'tap';
import { createScriptAccessPolicy } from '../../../src/server/access/script-access.ts';
import { startOAuthControlPlane } from '../oauth/oauth-control-plane.ts';

const inspector = 'https://inspector.example';
const mcpAddresses = ['/mcp', '/agent/mcp', '/hub/acme/mcp', '/memory/mcp', '/memory/hub/acme/mcp'];
const metadata = '/.well-known/oauth-protected-resource';
const documents = [
  metadata,
  `${metadata}/mcp`,
  `${metadata}/hub/acme`,
  `${metadata}/hub/acme/mcp`,
  `${metadata}/memory/hub/acme`,
  `${metadata}/memory/hub/acme/mcp`,
  `/hub/acme${metadata}`,
  `/memory/hub/acme${metadata}`,
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
];
const endpoints = ['/oauth/token', '/oauth/register', '/oauth/revoke'];

t.test('scripts may call exactly the routes of MCP and of signing in to it', async (t) => {
  const plane = await startOAuthControlPlane(t, { allowOrigins: [inspector] });
  const own = { headers: { authorization: `Bearer ${plane.ownerKey}` } };
  const { paths }: { paths: object } = await (await fetch(`${plane.url}/api/openapi.json`, own)).json();
  const named = Object.keys(paths).map((path) => path.replace('{slug}', 'acme').replaceAll(/\{\w+\}/g, 'x'));
  const open = [...mcpAddresses, ...documents, ...endpoints];
  t.ok(named.length > 100, 'all routes are looked at');
  for (const path of new Set([...named, ...open, '/', '/hubs', '/oauth/authorize', '/oauth/device-authorization'])) {
    const response = await fetch(`${plane.url}${path}`, { method: 'OPTIONS', headers: preflight });
    t.equal(response.status, open.includes(path) ? 204 : 403, path);
    t.equal(response.headers.get('access-control-allow-origin'), open.includes(path) ? inspector : null, path);
    t.equal(response.headers.get('access-control-allow-credentials'), null);
  }
});

const preflight = { origin: inspector, 'access-control-request-method': 'POST' };

t.test('other spellings of these paths are refused', async (t) => {
  const access = createScriptAccessPolicy([inspector]);
  for (const path of ['/MCP', '/mcp/', '//mcp', '/hub/../mcp', '/hub/ACME/mcp', '/hub/%61cme/mcp', '/hub/a/b/mcp'])
    t.equal(access?.getMethods(path), undefined, path);
  t.equal(createScriptAccessPolicy([]), undefined, 'and nothing is, without an origin');
});

t.test('the headers of MCP are allowed, cookies and proofs of the console are not', async (t) => {
  const access = createScriptAccessPolicy([inspector]);
  const usual =
    'authorization content-type accept mcp-session-id mcp-protocol-version mcp-method mcp-name last-event-id';
  for (const header of [...usual.split(' '), 'mcp-param-city']) t.ok(access?.isAllowedHeader(header), header);
  for (const header of ['cookie', 'x-vp-proof', 'x-forwarded-for', 'mcp-other'])
    t.notOk(access?.isAllowedHeader(header));
});

t.test('a refusal is readable for the script too, with the metadata URL', async (t) => {
  const plane = await startOAuthControlPlane(t, { allowOrigins: [inspector] });
  const headers = { origin: inspector, 'content-type': 'application/json' };
  const refused = await fetch(`${plane.url}/hub/acme/mcp`, { method: 'POST', headers, body: '{}' });
  t.equal(refused.status, 401);
  t.equal(refused.headers.get('access-control-allow-origin'), inspector);
  t.equal(refused.headers.get('access-control-expose-headers'), 'Mcp-Session-Id, WWW-Authenticate, X-Request-Id');
  t.match(refused.headers.get('www-authenticate'), 'resource_metadata=');
  const token = await fetch(`${plane.url}/oauth/token`, {
    method: 'POST',
    headers: { origin: inspector },
    body: new URLSearchParams({ client_id: 'vp-cli', grant_type: 'refresh_token', refresh_token: 'x' }),
  });
  t.match(await token.json(), { error: 'invalid_grant' }, 'the origin is no reason to refuse');
  t.equal(token.headers.get('access-control-allow-origin'), inspector);
});
