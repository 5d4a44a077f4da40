import t, { type Test } from 'tap';
import { algorithms } from '../../src/registry/signature.ts';
import { fakeClock } from '../environment/fake-clock.ts';
import { nameServer } from './name-server.ts';
import { opened } from './opened.ts';
import { aServer } from './published.ts';
import { publisher } from './publisher.ts';

async function setUp(t: Test, domains = ['example.com']) {
  const server = await nameServer(t);
  const clock = fakeClock();
  const own = await opened(t, { clock, settings: { domains }, resolvers: [server.address] });
  return {
    ...own,
    server,
    clock,
    prove: (proof: Parameters<typeof own.registry.prove>[0]) => own.registry.prove(proof, '192.0.2.1'),
  };
}

for (const algorithm of algorithms) {
  t.test(
    `whoever signs the present moment with a key of the domain gets a token for 5 minutes: ${algorithm}`,
    async (t) => {
      const { registry, prove, server, clock, events } = await setUp(t);
      const ana = publisher('example.com', server, algorithm);
      const { registry_token: token, expires_at } = await prove(ana.proof(clock.nowMs()));
      t.equal(expires_at, Math.floor((clock.nowMs() + 300_000) / 1000));
      t.match(events, [{ event: 'registry_domain_proven', domain: 'example.com', key: new RegExp(`^${algorithm} `) }]);
      t.notMatch(JSON.stringify(events), token);
      await registry.publishing.publish(token, aServer('com.example/a'));
      clock.advance(300_000);
      await t.rejects(registry.publishing.publish(token, aServer('com.example/b')), { code: 'REGISTRY_TOKEN_INVALID' });
    },
  );
}

t.test('nobody is allowed unless the operator says so, and no name server is asked for them', async (t) => {
  const { prove, server, clock, events } = await setUp(t, []);
  const ana = publisher('example.com', server);
  await t.rejects(prove(ana.proof(clock.nowMs())), {
    code: 'REGISTRY_DOMAIN_CLOSED',
    cure: /vp serve --registry-domain example\.com/,
  });
  t.same(server.asked, []);
  t.match(events, [
    { event: 'registry_proof_refused', level: 'warn', code: 'REGISTRY_DOMAIN_CLOSED', address: '192.0.2.1' },
  ]);
});

t.test(
  'a domain that is allowed opens neither its subdomains nor its parents, and what is no domain is none',
  async (t) => {
    const { prove, server, clock } = await setUp(t);
    for (const domain of ['team.example.com', 'com.example', 'examplee.com', 'example.co'])
      await t.rejects(
        prove(publisher(domain, server).proof(clock.nowMs())),
        { code: 'REGISTRY_DOMAIN_CLOSED' },
        domain,
      );
    for (const domain of ['com', '127.0.0.1', 'ex\u0430mple.com', 'example.com.', 'example.com\u0000'])
      await t.rejects(prove(publisher(domain).proof(clock.nowMs())), { code: 'REGISTRY_DOMAIN_INVALID' }, domain);
    t.same(server.asked, []);
    t.ok(await prove({ ...publisher('example.com', server).proof(clock.nowMs()), domain: 'EXAMPLE.com' }));
  },
);

t.test('a timestamp is taken within 15 s of the clock, either way, and written as RFC 3339 has it', async (t) => {
  const { prove, server, clock } = await setUp(t);
  const ana = publisher('example.com', server);
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
  t.same(server.asked.length, 2, 'and no name server was asked for those');
});

t.test('each signed moment is taken once: not again, not in another spelling, not after a restart', async (t) => {
  const { prove, again, server, clock, database } = await setUp(t, ['example.com', 'example.org']);
  const ana = publisher('example.com', server);
  const proof = ana.proof(clock.nowMs());
  await prove(proof);
  const used = { code: 'REGISTRY_TIMESTAMP_REFUSED', message: /used before/ };
  await t.rejects(prove(proof), used);
  await t.rejects(again().prove(proof, '192.0.2.1'), used, 'after a restart');
  clock.advance(14_000);
  await t.rejects(prove(proof), used);
  const respelt = proof.timestamp.replace('Z', '+00:00');
  await t.rejects(prove(ana.proof(0, { timestamp: respelt })), used, 'the same moment');
  server.records.set('example.org', [[ana.record]]);
  await t.rejects(prove({ ...proof, domain: 'example.org' }), used, 'nor for another domain that shows the same key');
  clock.advance(20_000);
  await prove(ana.proof(clock.nowMs()));
  const kept = await database.read((sql) => sql.prepare('SELECT count(*) AS n FROM registry_proofs').get());
  t.same(kept, { n: 1 }, 'what can no longer be used again is forgotten');
});

t.test('of two at once with one proof, one gets a token', async (t) => {
  const { prove, server, clock } = await setUp(t);
  const proof = publisher('example.com', server).proof(clock.nowMs());
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => prove(proof)));
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

t.test('without a record, with a broken one, and with those of others, it is said which', async (t) => {
  const { prove, server, clock } = await setUp(t);
  const ana = publisher('example.com');
  await t.rejects(prove(ana.proof(clock.nowMs())), { code: 'REGISTRY_RECORD_MISSING', message: /TXT records$/ });
  server.records.set('example.com', [['v=MCPv1; k=rsa; p=x'], ['v=spf1 -all']]);
  await t.rejects(prove(ana.proof(clock.nowMs())), {
    code: 'REGISTRY_RECORD_MISSING',
    message: /1 that want to be one/,
  });
  server.records.set('_mcp.example.com', [[ana.record]]);
  await t.rejects(prove(ana.proof(clock.nowMs())), { code: 'REGISTRY_RECORD_MISSING', cure: /itself, not below/ });
  publisher('example.com', server);
  await t.rejects(prove(ana.proof(clock.nowMs())), { code: 'REGISTRY_KEY_OTHER', message: /ed25519 \S{10}…/ });
  const stolen = ana.proof(clock.nowMs());
  await t.rejects(prove({ ...stolen, signed_timestamp: '00'.repeat(64) }), { code: 'REGISTRY_KEY_OTHER' });
  server.mood = 'failing';
  await t.rejects(prove(stolen), { code: 'REGISTRY_DNS_FAILED' });
});

t.test('a domain may show several keys, of both kinds and in any order, and each is good', async (t) => {
  const { prove, server, clock } = await setUp(t);
  server.records.set('example.com', [['v=MCPv1; k=ed25519; p=broken'], ['google-site-verification=abc']]);
  const all = [
    publisher('example.com', server),
    publisher('example.com', server, 'ecdsap384'),
    publisher('example.com', server),
  ];
  for (const one of all) t.ok(await prove(one.proof(clock.nowMs())));
  server.records.set('example.com', [
    ...Array.from({ length: 150 }, (_, at) => [`noise ${at}`]),
    [all[0]?.record ?? ''],
  ]);
  clock.advance(1000);
  await t.rejects(
    prove(publisher('example.com').proof(clock.nowMs())),
    { code: 'REGISTRY_RECORD_MISSING' },
    'a flood hides it',
  );
});

t.test('tokens that are none, and those of a domain that is allowed no longer, publish nothing', async (t) => {
  const { registry, again, prove, server, clock, database } = await setUp(t);
  const { registry_token: token } = await prove(publisher('example.com', server).proof(clock.nowMs()));
  const stored = await database.read((sql) => sql.prepare('SELECT * FROM registry_tokens').all());
  t.notMatch(JSON.stringify(stored), token, 'it stands as a hash');
  for (const bad of [
    undefined,
    '',
    'vpreg_',
    `${token}x`,
    token.slice(0, -1),
    `vph_${'a'.repeat(49)}`,
    'x'.repeat(900),
  ])
    await t.rejects(registry.publishing.publish(bad, aServer('com.example/a')), { code: 'REGISTRY_TOKEN_INVALID' });
  const { publishing } = again({ domains: ['example.org'] });
  await t.rejects(publishing.publish(token, aServer('com.example/a')), { code: 'REGISTRY_DOMAIN_CLOSED' });
});
