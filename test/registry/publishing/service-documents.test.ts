import t from 'tap';
import { buildConnectionRequest, listRemoteOffers } from '../../../src/contract/registry/remote-connection.ts';
import { readServerDocument } from '../../../src/registry/document/server-document.ts';
import { createServiceDocument, publishableServices } from '../../../src/registry/publishing/service-documents.ts';

const options = { domain: 'hub.example.com', baseUrl: 'https://vp.example.com/', version: '0.4.0' };

for (const service of publishableServices) {
  t.test(`the document of ${service} is valid`, async (t) => {
    const document = createServiceDocument(service, options);
    t.same(readServerDocument(JSON.parse(JSON.stringify(document))), { document });
    t.equal(document.name, `com.example.hub/${service}`);
    t.ok(document.description.length <= 100);
  });
}

t.test(
  'each document has two remotes: OAuth with the slug as a variable, then a token in a secret header',
  async (t) => {
    const urls = publishableServices.map((service) =>
      createServiceDocument(service, options).remotes?.map(({ url }) => url),
    );
    t.same(urls, [
      ['https://vp.example.com/hub/{slug}/mcp', 'https://vp.example.com/agent/mcp'],
      ['https://vp.example.com/memory/hub/{slug}/mcp', 'https://vp.example.com/memory/mcp'],
    ]);
    const elsewhere = createServiceDocument('memory', { ...options, memoryUrl: 'https://memory.example.com' });
    t.equal(elsewhere.remotes?.[1]?.url, 'https://memory.example.com/mcp');
    const [oauth, token] = createServiceDocument('hub', options).remotes ?? [];
    t.match(oauth, { type: 'streamable-http', variables: { slug: { description: /Slug/, isRequired: true } } });
    t.notOk(oauth && 'headers' in oauth);
    t.match(token, { headers: [{ name: 'Authorization', isRequired: true, isSecret: true, value: 'Bearer {token}' }] });
  },
);

t.test('a hub can connect another one through these remotes', async (t) => {
  const [oauth, token] = listRemoteOffers(createServiceDocument('hub', options));
  if (!oauth || !token) throw new Error('two remotes are offered');
  t.match(buildConnectionRequest(oauth, { name: 'acme', values: { slug: 'acme' }, signIn: 'per_user' }), {
    connection: { url: 'https://vp.example.com/hub/acme/mcp', credential: { kind: 'oauth', sharing: 'per_user' } },
  });
  t.match(buildConnectionRequest(token, { name: 'acme', values: { 'Authorization/token': 'vph_x' } }), {
    connection: {
      url: 'https://vp.example.com/agent/mcp',
      credential: { kind: 'header', header: 'Authorization', value: 'Bearer vph_x' },
    },
  });
});
