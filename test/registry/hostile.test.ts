/** What strangers may send to a registry: whatever it is, it is answered, quickly, and nothing comes of it. */
import fc from 'fast-check';
import t from 'tap';
import { RegistryList } from '../../src/contract/registry-api.ts';
import { connectionFrom, remoteOffers } from '../../src/contract/registry-remote.ts';
import { validatorOf } from '../../src/http/validator.ts';
import { belongsTo, domainOf, reversed } from '../../src/registry/domain.ts';
import { proofRecords } from '../../src/registry/proof-record.ts';
import { readDocument } from '../../src/registry/server-document.ts';
import { isSignedBy } from '../../src/registry/signature.ts';
import { ask, registryServed } from '../server/registry-served.ts';
import { nameServer } from './name-server.ts';
import { aServer, put } from './published.ts';
import { publisher } from './publisher.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', '{slug}', 'https://{x}', '../..', '\u0000', 'latest', '\ud800'),
);
const anything = fc.jsonValue({ maxDepth: 5 });
const good = aServer('com.example/hub');

t.test(
  'documents: whatever stands in them, they are read or refused, and what is read fits into JSON and back',
  async (t) => {
    const member = fc.constantFrom(...Object.keys(good), 'icons', 'packages', '_meta', 'title', 'repository', 'other');
    fc.assert(
      fc.property(member, fc.oneof(anything, text), (name, value) => {
        const read = readDocument({ ...good, [name]: value });
        if ('document' in read) JSON.parse(JSON.stringify(read.document));
        else if (read.problems.length === 0 || read.problems.length > 100) throw new Error('refused without a reason');
      }),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(anything, (value) => void readDocument(value)),
      { numRuns: 1_000 },
    );
    t.pass('nothing was thrown');
  },
);

t.test('remotes: what people give for a variable of a path never leads to another host', async (t) => {
  const remote = { type: 'streamable-http', url: 'https://vp.example.com/hub/{slug}/mcp', variables: { slug: {} } };
  const [offer] = remoteOffers({ remotes: [remote] });
  if (!offer) throw new Error('nothing is offered');
  fc.assert(
    fc.property(text, (slug) => {
      const { connection } = connectionFrom(offer, { name: 'x', values: { slug } });
      if (!connection) return;
      const { host, pathname, search, hash } = new URL(connection.url ?? '');
      const isWithin = host === 'vp.example.com' && /^\/hub\/[^/]+\/mcp$/.test(pathname) && search + hash === '';
      if (!isWithin) throw new Error(`${slug} leads to ${connection.url}`);
    }),
    { numRuns: 1_000 },
  );
  t.pass('it was always within');
});

t.test('domains, records and signatures: strangers’ texts are none', async (t) => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const domain = domainOf(one);
      if (domain !== undefined && !belongsTo(`${reversed(domain)}/x`, domain)) throw new Error(one);
      for (const { key } of proofRecords([one, `v=MCPv1; k=ed25519; p=${one}`, `v=MCPv1; k=${one}; p=${other}`]))
        if (key && isSignedBy(key, one, other)) throw new Error(`${one} is no signature`);
    }),
    { numRuns: 1_000 },
  );
  t.pass('nothing was thrown');
});

t.test('every answer to a reader has the form of the API, and no question breaks it', async (t) => {
  const api = await registryServed(t, { readsAMinute: 100_000 });
  await put(api.control.database, [{ name: 'com.example/a' }, { name: 'com.example/b', status: 'deprecated' }]);
  const list = validatorOf<RegistryList>(RegistryList);
  const { body } = await ask(api, '/v0/servers');
  t.same(list.accepts(body) ? [] : list.faults(body, true), []);
  const wellFormed = text.filter((value) => value.isWellFormed());
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('search', 'cursor', 'version', 'updated_since', 'limit'),
      wellFormed,
      async (name, value) => {
        const { status } = await ask(api, `/v0/servers?${new URLSearchParams({ [name]: value })}`);
        if (status !== 200 && status !== 400) throw new Error(`${name}=${value}: ${status}`);
      },
    ),
    { numRuns: 200 },
  );
  await fc.assert(
    fc.asyncProperty(wellFormed, wellFormed, async (name, version) => {
      const path = `/v0/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
      const response = await api.fetch(new Request(`http://localhost:7700${path}`));
      await response.body?.cancel();
      if (![400, 404].includes(response.status)) throw new Error(`${path}: ${response.status}`);
    }),
    { numRuns: 200 },
  );
  t.same(
    api.lines.map(({ message }) => message),
    [],
    'and none was a fault of ours',
  );
});

t.test('a stranger who has no key gets nowhere with whatever they send as a proof', async (t) => {
  const server = await nameServer(t);
  publisher('example.com', server);
  const api = await registryServed(t, {
    settings: { domains: ['example.com'] },
    resolvers: [server.address],
    writesAMinute: 100_000,
  });
  const now = fc.constantFrom(new Date().toISOString(), new Date().toISOString().replace('Z', '+00:00'));
  const proof = fc.record({
    domain: fc.oneof(fc.constant('example.com'), text),
    timestamp: fc.oneof(now, text),
    signed_timestamp: fc.oneof(fc.string({ unit: fc.constantFrom('0', 'f'), minLength: 128, maxLength: 128 }), text),
  });
  await fc.assert(
    fc.asyncProperty(proof, async (body) => {
      const { status } = await ask(api, '/v0/auth/dns', { method: 'POST', body });
      if (![400, 401, 403].includes(status)) throw new Error(`${status}: ${JSON.stringify(body)}`);
    }),
    { numRuns: 150 },
  );
  const tokens = await api.control.database.read((sql) =>
    sql.prepare('SELECT count(*) AS n FROM registry_tokens').get(),
  );
  t.same(tokens, { n: 0 });
  t.same(new Set(server.asked), new Set(['example.com']), 'and only what is allowed was ever looked up');
});
