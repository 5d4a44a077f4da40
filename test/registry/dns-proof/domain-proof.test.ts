import t, { type Test } from 'tap';
import { signatureAlgorithms } from '../../../src/registry/dns-proof/signature.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { startNameServer } from '../name-server.ts';
import { openTestRegistry } from '../registry-fixture.ts';
import { createTestPublisher } from '../test-publisher.ts';
import { createServerDocument } from '../version-fixture.ts';

async function setUpRegistry(t: Test, domains = ['example.com']) {
  const server = await startNameServer(t);
  const clock = fakeClock();
  const testRegistry = await openTestRegistry(t, { clock, settings: { domains }, resolvers: [server.address] });
  return {
    ...testRegistry,
    server,
    clock,
    prove: (proof: Parameters<typeof testRegistry.registry.exchangeProof>[0]) =>
      testRegistry.registry.exchangeProof(proof, '192.0.2.1'),
  };
}

for (const algorithm of signatureAlgorithms) {
  t.test(
    `a timestamp signed with a key of the domain is exchanged for a token of 5 minutes: ${algorithm}`,
    async (t) => {
      const { registry, prove, server, clock, events } = await setUpRegistry(t);
      const ana = createTestPublisher('example.com', server, algorithm);
      const { registry_token: token, expires_at } = await prove(ana.proof(clock.nowMs()));
      t.equal(expires_at, Math.floor((clock.nowMs() + 300_000) / 1000));
      t.match(events, [{ event: 'registry_domain_proven', domain: 'example.com', key: new RegExp(`^${algorithm} `) }]);
      t.notMatch(JSON.stringify(events), token);
      await registry.writer.publish(token, createServerDocument('com.example/a'));
      clock.advance(300_000);
      await t.rejects(registry.writer.publish(token, createServerDocument('com.example/b')), {
        code: 'REGISTRY_TOKEN_INVALID',
      });
    },
  );
}

t.test('domains that the operator has not allowed are refused without a DNS lookup', async (t) => {
  const { prove, server, clock, events } = await setUpRegistry(t, []);
  const ana = createTestPublisher('example.com', server);
  await t.rejects(prove(ana.proof(clock.nowMs())), {
    code: 'REGISTRY_DOMAIN_CLOSED',
    cure: /vp serve --registry-domain example\.com/,
  });
  t.same(server.queriedNames, []);
  t.match(events, [
    { event: 'registry_proof_refused', level: 'warn', code: 'REGISTRY_DOMAIN_CLOSED', address: '192.0.2.1' },
  ]);
});

t.test(
  'an allowed domain allows neither its subdomains nor its parents, and invalid domains are refused',
  async (t) => {
    const { prove, server, clock } = await setUpRegistry(t);
    for (const domain of ['team.example.com', 'com.example', 'examplee.com', 'example.co'])
      await t.rejects(
        prove(createTestPublisher(domain, server).proof(clock.nowMs())),
        { code: 'REGISTRY_DOMAIN_CLOSED' },
        domain,
      );
    for (const domain of ['com', '127.0.0.1', 'ex\u0430mple.com', 'example.com.', 'example.com\u0000'])
      await t.rejects(
        prove(createTestPublisher(domain).proof(clock.nowMs())),
        { code: 'REGISTRY_DOMAIN_INVALID' },
        domain,
      );
    t.same(server.queriedNames, []);
    t.ok(await prove({ ...createTestPublisher('example.com', server).proof(clock.nowMs()), domain: 'EXAMPLE.com' }));
  },
);

t.test('a timestamp is accepted within 15 s of the clock, in RFC 3339 format', async (t) => {
  const { prove, server, clock } = await setUpRegistry(t);
  const ana = createTestPublisher('example.com', server);
  for (const differenceMs of [-15_000, 15_000]) t.ok(await prove(ana.proof(clock.nowMs() + differenceMs)));
  const refused = (problem: RegExp) => ({ code: 'REGISTRY_TIMESTAMP_REFUSED', message: problem });
  await t.rejects(prove(ana.proof(clock.nowMs() - 15_001)), refused(/15 s behind/));
  await t.rejects(prove(ana.proof(clock.nowMs() + 3_600_000)), refused(/3600 s ahead of/));
  for (const timestamp of [
    'now',
    '1763735412',
    '2026-11-20',
    '2026-11-20 14:30:12Z',
    '2026-13-40T99:99:99Z',
    'x'.repeat(60),
  ])
    await t.rejects(prove(ana.proof(0, { timestamp })), refused(/RFC 3339/), timestamp);
  t.same(server.queriedNames.length, 2, 'and no name server was asked for those');
});

t.test('each signed timestamp is accepted once: not again, not in another spelling, not after a restart', async (t) => {
  const { prove, reopen, server, clock, database } = await setUpRegistry(t, ['example.com', 'example.org']);
  const ana = createTestPublisher('example.com', server);
  const proof = ana.proof(clock.nowMs());
  await prove(proof);
  const alreadyUsed = { code: 'REGISTRY_TIMESTAMP_REFUSED', message: /used before/ };
  await t.rejects(prove(proof), alreadyUsed);
  await t.rejects(reopen().exchangeProof(proof, '192.0.2.1'), alreadyUsed, 'after a restart');
  clock.advance(14_000);
  await t.rejects(prove(proof), alreadyUsed);
  const otherSpelling = proof.timestamp.replace('Z', '+00:00');
  await t.rejects(prove(ana.proof(0, { timestamp: otherSpelling })), alreadyUsed, 'the same moment');
  server.records.set('example.org', [[ana.record]]);
  await t.rejects(
    prove({ ...proof, domain: 'example.org' }),
    alreadyUsed,
    'nor for another domain that shows the same key',
  );
  clock.advance(32 * 86_400_000);
  await prove(ana.proof(clock.nowMs()));
  const stored = await database.read((sql) => sql.get('SELECT count(*) AS n FROM registry_proofs'));
  t.same(stored, { n: 1 }, 'what can no longer be used again is forgotten');
});

t.test('of concurrent requests with one proof, one gets a token', async (t) => {
  const { prove, server, clock } = await setUpRegistry(t);
  const proof = createTestPublisher('example.com', server).proof(clock.nowMs());
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => prove(proof)));
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

t.test('the error tells a missing record from a malformed one and from records of other keys', async (t) => {
  const { prove, server, clock } = await setUpRegistry(t);
  const ana = createTestPublisher('example.com');
  await t.rejects(prove(ana.proof(clock.nowMs())), { code: 'REGISTRY_RECORD_MISSING', message: /TXT records$/ });
  server.records.set('example.com', [['v=MCPv1; k=rsa; p=x'], ['v=spf1 -all']]);
  await t.rejects(prove(ana.proof(clock.nowMs())), {
    code: 'REGISTRY_RECORD_MISSING',
    message: /1 look like one but are malformed/,
  });
  server.records.set('_mcp.example.com', [[ana.record]]);
  await t.rejects(prove(ana.proof(clock.nowMs())), { code: 'REGISTRY_RECORD_MISSING', cure: /itself, not below/ });
  createTestPublisher('example.com', server);
  await t.rejects(prove(ana.proof(clock.nowMs())), { code: 'REGISTRY_KEY_OTHER', message: /ed25519 \S{10}…/ });
  const copiedProof = ana.proof(clock.nowMs());
  await t.rejects(prove({ ...copiedProof, signed_timestamp: '00'.repeat(64) }), { code: 'REGISTRY_KEY_OTHER' });
  server.mode = 'failing';
  await t.rejects(prove(copiedProof), { code: 'REGISTRY_DNS_FAILED' });
});

t.test('a domain may have several keys, of both algorithms and in any order', async (t) => {
  const { prove, server, clock } = await setUpRegistry(t);
  server.records.set('example.com', [['v=MCPv1; k=ed25519; p=broken'], ['google-site-verification=abc']]);
  const publishers = [
    createTestPublisher('example.com', server),
    createTestPublisher('example.com', server, 'ecdsap384'),
    createTestPublisher('example.com', server),
  ];
  for (const testPublisher of publishers) t.ok(await prove(testPublisher.proof(clock.nowMs())));
  server.records.set('example.com', [
    ...Array.from({ length: 150 }, (_, index) => [`noise ${index}`]),
    [publishers[0]?.record ?? ''],
  ]);
  clock.advance(1000);
  await t.rejects(
    prove(createTestPublisher('example.com').proof(clock.nowMs())),
    { code: 'REGISTRY_RECORD_MISSING' },
    'a flood hides it',
  );
});

t.test('invalid tokens, and those of a domain that is no longer allowed, are refused', async (t) => {
  const { registry, reopen, prove, server, clock, database } = await setUpRegistry(t);
  const { registry_token: token } = await prove(createTestPublisher('example.com', server).proof(clock.nowMs()));
  const stored = await database.read((sql) => sql.all('SELECT * FROM registry_tokens'));
  t.notMatch(JSON.stringify(stored), token, 'it stands as a hash');
  for (const invalid of [
    undefined,
    '',
    'vpreg_',
    `${token}x`,
    token.slice(0, -1),
    `vph_${'a'.repeat(49)}`,
    'x'.repeat(900),
  ])
    await t.rejects(registry.writer.publish(invalid, createServerDocument('com.example/a')), {
      code: 'REGISTRY_TOKEN_INVALID',
    });
  const { writer: publishing } = reopen({ domains: ['example.org'] });
  await t.rejects(publishing.publish(token, createServerDocument('com.example/a')), { code: 'REGISTRY_DOMAIN_CLOSED' });
});
