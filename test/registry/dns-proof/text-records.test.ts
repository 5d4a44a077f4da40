import t from 'tap';
import { createTextRecordLookup } from '../../../src/registry/dns-proof/text-records.ts';
import { startNameServer } from '../name-server.ts';

t.test('the parts of a TXT record are joined', async (t) => {
  const server = await startNameServer(t);
  server.records.set('example.com', [['v=spf1 -all'], ['v=MCPv1; ', 'k=ed25519; p=x']]);
  t.same(await createTextRecordLookup([server.address])('example.com'), ['v=spf1 -all', 'v=MCPv1; k=ed25519; p=x']);
});

t.test('a domain without records and an unknown domain have none', async (t) => {
  const server = await startNameServer(t);
  server.records.set('empty.example.com', []);
  const look = createTextRecordLookup([server.address]);
  t.same(await look('empty.example.com'), []);
  t.same(await look('nowhere.example.com'), []);
  t.same(server.queriedNames, ['empty.example.com', 'nowhere.example.com'], 'no other name was tried in its place');
});

t.test('many records are read over TCP, and only the first ones are used', async (t) => {
  const server = await startNameServer(t);
  const flood = Array.from({ length: 600 }, (_, index) => [`record ${index} ${'x'.repeat(50)}`]);
  server.records.set('example.com', flood);
  const records = await createTextRecordLookup([server.address])('example.com');
  t.equal(records.length, 100);
  server.records.set('example.com', [Array.from({ length: 20 }, () => 'y'.repeat(255)), ['short']]);
  t.same(await createTextRecordLookup([server.address])('example.com'), ['short'], 'and nothing that is far too long');
});

t.test('a failing or absent name server does not mean that the record is missing', async (t) => {
  const server = await startNameServer(t);
  server.mode = 'failing';
  await t.rejects(createTextRecordLookup([server.address])('example.com'), {
    code: 'REGISTRY_DNS_FAILED',
    message: /ESERVFAIL/,
  });
  await t.rejects(createTextRecordLookup(['127.0.0.1:1'])('example.com'), { code: 'REGISTRY_DNS_FAILED' });
});
