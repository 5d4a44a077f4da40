/** Resource indicators are compared exactly. */
import t from 'tap';
import {
  buildResourceIndicator,
  buildResourceMetadataUrl,
  isSlug,
  parseResource,
} from '../../../../src/identity/oauth/resources/resources.ts';

const issuer = 'https://vp.example.com';

t.test('a resource indicator is parsed back to its resource', async (t) => {
  for (const resource of [{ kind: 'api' }, { kind: 'hub', slug: 'acme' }, { kind: 'memory', slug: 'a-1' }] as const) {
    t.same(parseResource(issuer, buildResourceIndicator(issuer, resource)), resource);
  }
  t.equal(buildResourceIndicator(issuer, { kind: 'hub', slug: 'acme' }), 'https://vp.example.com/hub/acme');
  t.equal(
    buildResourceMetadataUrl(issuer, { kind: 'none' }),
    'https://vp.example.com/.well-known/oauth-protected-resource',
  );
});

t.test('our URLs without a hub are recognized', async (t) => {
  for (const path of ['', '/', '/mcp', '/agent/mcp', '/memory/mcp'])
    t.same(parseResource(issuer, issuer + path), { kind: 'none' });
});

t.test('the URL of an endpoint names its hub', async (t) => {
  t.same(parseResource(issuer, 'https://vp.example.com/hub/acme/mcp'), { kind: 'hub', slug: 'acme' });
  t.same(parseResource(issuer, 'https://vp.example.com/memory/hub/acme/mcp'), { kind: 'memory', slug: 'acme' });
});

t.test('similar URLs are not resource indicators', async (t) => {
  for (const indicator of [
    'https://vp.example.com/hub/acme/',
    'https://vp.example.com/hub/acme/mcp/',
    'https://vp.example.com/hub/acme/mcp/mcp',
    'https://vp.example.com/hub/acme?x=1',
    'https://vp.example.com/hub/acme#x',
    'https://vp.example.com/hub/ACME',
    'https://vp.example.com/hub/',
    'https://vp.example.com/hub/a--b',
    `https://vp.example.com/hub/${'a'.repeat(41)}`,
    'https://vp.example.com/hub/..%2facme',
    'https://vp.example.com//hub/acme',
    'https://vp.example.com/HUB/acme',
    'https://vp.example.com/api/v1/',
    'https://vp.example.com:443/hub/acme',
    'https://VP.example.com/hub/acme',
    'https://vp.example.com.evil.example/hub/acme',
    'https://vp.example.com@evil.example/hub/acme',
    'https://evil.example/hub/acme',
    'http://vp.example.com/hub/acme',
    'http://localhost/hub/acme',
    'hub/acme',
    '',
  ])
    t.equal(parseResource(issuer, indicator), undefined, indicator);
});

t.test('loopback names are equivalent on the same port', async (t) => {
  const local = 'http://127.0.0.1:7700';
  for (const origin of ['http://localhost:7700', 'http://[::1]:7700', local])
    t.same(parseResource(local, `${origin}/hub/acme`), { kind: 'hub', slug: 'acme' }, origin);
  for (const origin of ['http://localhost:7701', 'https://localhost:7700', 'http://127.0.0.2:7700', 'http://localhost'])
    t.equal(parseResource(local, `${origin}/hub/acme`), undefined, origin);
});

t.test('only valid hub slugs are accepted', async (t) => {
  t.ok(isSlug('a-1'));
  for (const slug of ['', '-a', 'a-', 'a--b', 'A', 'ä', 'a b', 'a'.repeat(41)]) t.notOk(isSlug(slug), slug);
});
