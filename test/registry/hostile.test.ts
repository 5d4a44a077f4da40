/** Arbitrary input to a registry: it is answered quickly and has no effect. */
import fc from 'fast-check';
import t from 'tap';
import { RegistryList } from '../../src/contract/registry/registry-api.ts';
import { buildConnectionRequest, listRemoteOffers } from '../../src/contract/registry/remote-connection.ts';
import { createValidator } from '../../src/http/schema/validator.ts';
import { isNameOfDomain, parseDomain, reverseDomain } from '../../src/registry/dns-proof/domain.ts';
import { parseProofRecords } from '../../src/registry/dns-proof/proof-record.ts';
import { isSignedBy } from '../../src/registry/dns-proof/signature.ts';
import { readServerDocument } from '../../src/registry/document/server-document.ts';
import { requestRegistry, startRegistryServer } from '../server/registry/registry-server.ts';
import { startNameServer } from './name-server.ts';
import { createTestPublisher } from './test-publisher.ts';
import { createServerDocument, insertVersions } from './version-fixture.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', '{slug}', 'https://{x}', '../..', '\u0000', 'latest', '\ud800'),
);
const anyJson = fc.jsonValue({ maxDepth: 5 });
const validDocument = createServerDocument('com.example/hub');

t.test('any document is accepted or refused with problems, and accepted ones survive JSON serialization', async (t) => {
  const member = fc.constantFrom(
    ...Object.keys(validDocument),
    'icons',
    'packages',
    '_meta',
    'title',
    'repository',
    'other',
  );
  fc.assert(
    fc.property(member, fc.oneof(anyJson, text), (name, value) => {
      const read = readServerDocument({ ...validDocument, [name]: value });
      if ('document' in read) JSON.parse(JSON.stringify(read.document));
      else if (read.problems.length === 0 || read.problems.length > 100) throw new Error('refused without a reason');
    }),
    { numRuns: 1_000 },
  );
  fc.assert(
    fc.property(anyJson, (value) => void readServerDocument(value)),
    { numRuns: 1_000 },
  );
  t.pass('nothing was thrown');
});

t.test('a value for a path variable never leads to another host', async (t) => {
  const remote = { type: 'streamable-http', url: 'https://vp.example.com/hub/{slug}/mcp', variables: { slug: {} } };
  const [offer] = listRemoteOffers({ remotes: [remote] });
  if (!offer) throw new Error('nothing is offered');
  fc.assert(
    fc.property(text, (slug) => {
      const { connection } = buildConnectionRequest(offer, { name: 'x', values: { slug } });
      if (!connection) return;
      const { host, pathname, search, hash } = new URL(connection.url ?? '');
      const isWithin = host === 'vp.example.com' && /^\/hub\/[^/]+\/mcp$/.test(pathname) && search + hash === '';
      if (!isWithin) throw new Error(`${slug} leads to ${connection.url}`);
    }),
    { numRuns: 1_000 },
  );
  t.pass('it was always within');
});

t.test('arbitrary texts are never valid domains, records or signatures', async (t) => {
  fc.assert(
    fc.property(text, text, (first, second) => {
      const domain = parseDomain(first);
      if (domain !== undefined && !isNameOfDomain(`${reverseDomain(domain)}/x`, domain)) throw new Error(first);
      for (const { key } of parseProofRecords([
        first,
        `v=MCPv1; k=ed25519; p=${first}`,
        `v=MCPv1; k=${first}; p=${second}`,
      ]))
        if (key && isSignedBy(key, first, second)) throw new Error(`${first} is no signature`);
    }),
    { numRuns: 1_000 },
  );
  t.pass('nothing was thrown');
});

t.test('every response matches the API schema, for any query', async (t) => {
  const api = await startRegistryServer(t, { readsPerMinute: 100_000 });
  await insertVersions(api.control.database, [
    { name: 'com.example/a' },
    { name: 'com.example/b', status: 'deprecated' },
  ]);
  const list = createValidator<RegistryList>(RegistryList);
  const { body } = await requestRegistry(api, '/v0/servers');
  t.same(list.isValid(body) ? [] : list.listViolations(body, true), []);
  const wellFormed = text.filter((value) => value.isWellFormed());
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('search', 'cursor', 'version', 'updated_since', 'limit'),
      wellFormed,
      async (name, value) => {
        const { status } = await requestRegistry(api, `/v0/servers?${new URLSearchParams({ [name]: value })}`);
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

t.test('arbitrary proofs without a key are refused', async (t) => {
  const server = await startNameServer(t);
  createTestPublisher('example.com', server);
  const api = await startRegistryServer(t, {
    settings: { domains: ['example.com'] },
    resolvers: [server.address],
    writesPerMinute: 100_000,
  });
  const timestamps = fc.constantFrom(new Date().toISOString(), new Date().toISOString().replace('Z', '+00:00'));
  const proof = fc.record({
    domain: fc.oneof(fc.constant('example.com'), text),
    timestamp: fc.oneof(timestamps, text),
    signed_timestamp: fc.oneof(fc.string({ unit: fc.constantFrom('0', 'f'), minLength: 128, maxLength: 128 }), text),
  });
  await fc.assert(
    fc.asyncProperty(proof, async (body) => {
      const { status } = await requestRegistry(api, '/v0/auth/dns', { method: 'POST', body });
      if (![400, 401, 403].includes(status)) throw new Error(`${status}: ${JSON.stringify(body)}`);
    }),
    { numRuns: 150 },
  );
  const tokens = await api.control.database.read((sql) => sql.get('SELECT count(*) AS n FROM registry_tokens'));
  t.same(tokens, { n: 0 });
  t.same(new Set(server.queriedNames), new Set(['example.com']), 'and only what is allowed was ever looked up');
});
