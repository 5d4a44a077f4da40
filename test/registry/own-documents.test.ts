import t from 'tap';
import { connectionFrom, remoteOffers } from '../../src/contract/registry-remote.ts';
import { ownDocument, ownServices } from '../../src/registry/own-documents.ts';
import { readDocument } from '../../src/registry/server-document.ts';

const options = { domain: 'hub.example.com', baseUrl: 'https://vp.example.com/', version: '0.4.0' };

for (const service of ownServices) {
  t.test(`the document of ${service} follows the schema and the rules`, async (t) => {
    const document = ownDocument(service, options);
    t.same(readDocument(JSON.parse(JSON.stringify(document))), { document });
    t.equal(document.name, `com.example.hub/${service}`);
    t.ok(document.description.length <= 100);
  });
}

t.test(
  'two remotes each: OAuth with the slug as a documented variable, then the token with its secret header',
  async (t) => {
    const urls = ownServices.map((service) => ownDocument(service, options).remotes?.map(({ url }) => url));
    t.same(urls, [
      ['https://vp.example.com/hub/{slug}/mcp', 'https://vp.example.com/agent/mcp'],
      ['https://vp.example.com/memory/hub/{slug}/mcp', 'https://vp.example.com/memory/mcp'],
    ]);
    const elsewhere = ownDocument('memory', { ...options, memoryUrl: 'https://memory.example.com' });
    t.equal(elsewhere.remotes?.[1]?.url, 'https://memory.example.com/mcp');
    const [oauth, token] = ownDocument('hub', options).remotes ?? [];
    t.match(oauth, { type: 'streamable-http', variables: { slug: { description: /Slug/, isRequired: true } } });
    t.notOk(oauth && 'headers' in oauth);
    t.match(token, { headers: [{ name: 'Authorization', isRequired: true, isSecret: true, value: 'Bearer {token}' }] });
  },
);

t.test('a hub connects another by what they say', async (t) => {
  const [oauth, token] = remoteOffers(ownDocument('hub', options));
  if (!oauth || !token) throw new Error('two remotes are offered');
  t.match(connectionFrom(oauth, { name: 'acme', values: { slug: 'acme' }, signIn: 'per_user' }), {
    connection: { url: 'https://vp.example.com/hub/acme/mcp', credential: { kind: 'oauth', sharing: 'per_user' } },
  });
  t.match(connectionFrom(token, { name: 'acme', values: { 'Authorization/token': 'vph_x' } }), {
    connection: {
      url: 'https://vp.example.com/agent/mcp',
      credential: { kind: 'header', header: 'Authorization', value: 'Bearer vph_x' },
    },
  });
});
