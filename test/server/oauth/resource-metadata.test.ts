/** Where MCP clients learn how to sign in to a hub. */
import t from 'tap';
import { signInFirstOwner, startOAuthControlPlane } from './oauth-control-plane.ts';

const plane = await startOAuthControlPlane(t);
const ana = await signInFirstOwner(plane);
await ana.api('POST', '/hubs', { slug: 'acme', name: 'Acme' });

async function document(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${plane.url}${path}`);
  return response.status === 200 ? response.json() : { status: response.status };
}

const forms = (path: string): string[] => [
  `${path}/.well-known/oauth-protected-resource`,
  `/.well-known/oauth-protected-resource${path}`,
  `/.well-known/oauth-protected-resource${path}/mcp`,
];

t.test('each hub is a resource of its own, at every URL that clients try', async (t) => {
  for (const path of forms('/hub/acme')) {
    t.same(
      await document(path),
      {
        resource: `${plane.url}/hub/acme`,
        authorization_servers: [plane.url],
        scopes_supported: ['hub:read', 'hub:call'],
        bearer_methods_supported: ['header'],
        resource_name: 'Tools of a hub',
      },
      path,
    );
  }
});

t.test('the memory of a hub and URLs without a hub are resources too', async (t) => {
  for (const path of forms('/memory/hub/acme')) {
    const { resource, scopes_supported: scopes } = await document(path);
    t.same([resource, scopes], [`${plane.url}/memory/hub/acme`, ['memory:use']], path);
  }
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])
    t.equal((await document(path)).resource, plane.url, path);
});

t.test('the existence of a hub is not revealed', async (t) => {
  for (const path of forms('/hub/none')) t.equal((await document(path)).resource, `${plane.url}/hub/none`, path);
  const challenges = await Promise.all(
    ['acme', 'none'].map(async (slug) => {
      const response = await fetch(`${plane.url}/hub/${slug}/mcp`, { method: 'POST', body: '{}' });
      const body = await response.text();
      return [response.status, body, response.headers.get('www-authenticate')?.replaceAll(slug, '…')];
    }),
  );
  t.same(challenges[0], challenges[1]);
  for (const slug of ['ACME', 'a--b', '-a', 'a'.repeat(41), 'a%22b'])
    t.same(await document(`/hub/${slug}/.well-known/oauth-protected-resource`), { status: 404 }, slug);
});

t.test('a refusal at a hub contains the metadata URL and the scope', async (t) => {
  const post = (path: string, bearer?: string) =>
    fetch(`${plane.url}${path}`, {
      method: 'POST',
      headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      body: '{}',
    });
  const fetchAt = `resource_metadata="${plane.url}/hub/acme/.well-known/oauth-protected-resource"`;
  const bare = await post('/hub/acme/mcp');
  t.equal(bare.status, 401);
  t.equal(bare.headers.get('www-authenticate'), `Bearer realm="vp hub", scope="hub:read hub:call", ${fetchAt}`);
  const wrong = await post('/hub/acme/mcp', 'x'.repeat(43));
  t.equal(
    wrong.headers.get('www-authenticate'),
    `Bearer realm="vp hub", error="invalid_token", scope="hub:read hub:call", ${fetchAt}`,
  );
  t.equal((await wrong.json()).code, 'invalid_token');
  const memory = await post('/memory/hub/acme/mcp');
  t.match(memory.headers.get('www-authenticate'), `${plane.url}/memory/hub/acme/.well-known/oauth-protected-resource`);
  for (const path of ['/agent/mcp', '/memory/mcp'])
    t.equal((await post(path)).headers.get('www-authenticate'), 'Bearer realm="vp hub"', path);
  t.same(await document('/.well-known/oauth-protected-resource/agent/mcp'), { status: 404 });
});

t.test('an invalid slug is never reflected in a response', async (t) => {
  const slugs = ['%E4%B8%AD', 'a%0d%0ab', 'a%22,%20x=%22', 'a%5c', 'ACME', '-a', 'a'.repeat(41)];
  for (const path of ['/hub', '/memory/hub']) {
    for (const slug of slugs) {
      for (const authorization of [undefined, `Bearer ${'x'.repeat(43)}`]) {
        const headers = new Headers(authorization === undefined ? {} : { authorization });
        const response = await fetch(`${plane.url}${path}/${slug}/mcp`, { method: 'POST', headers, body: '{}' });
        t.match(await response.json(), { code: 'ROUTE_UNKNOWN' }, `${path} ${slug}`);
        t.equal(response.status, 404);
        t.equal(response.headers.get('www-authenticate'), null);
      }
    }
  }
  t.notOk(plane.lines.some(({ err }) => err !== undefined));
});

t.test('by another name of this machine the resource has that name, because clients compare them', async (t) => {
  const local = plane.url.replace('127.0.0.1', 'localhost');
  const response = await fetch(`${local}/hub/acme/mcp`, { method: 'POST', body: '{}' });
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '') ?? [];
  const documents = await (await fetch(metadata)).json();
  t.same([documents.resource, documents.authorization_servers], [`${local}/hub/acme`, [plane.url]]);
});

t.test('the authorization server metadata is at its issuer only', async (t) => {
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    const metadata = await document(`/.well-known/${name}`);
    t.match(metadata, {
      issuer: plane.url,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    const metadataUrl = Object.entries(metadata).filter(([key]) => /_(endpoint|uri)$/.test(key));
    t.same(metadataUrl.map(([key]) => key).sort(), [
      'authorization_endpoint',
      'device_authorization_endpoint',
      'jwks_uri',
      'registration_endpoint',
      'revocation_endpoint',
      'token_endpoint',
    ]);
    for (const [key, url] of metadataUrl) {
      const get = key === 'jwks_uri' || key === 'authorization_endpoint';
      t.not((await fetch(String(url), { method: get ? 'GET' : 'POST' })).status, 404, key);
    }
    t.notOk('dpop_signing_alg_values_supported' in metadata, 'tokens are bearer tokens');
    for (const path of [`/.well-known/${name}/hub/acme/mcp`, `/hub/acme/.well-known/${name}`])
      t.same(await document(path), { status: 404 }, 'clients refuse a document whose issuer is another address');
  }
});
