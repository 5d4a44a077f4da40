import t from 'tap';
import { textRecords } from '../../src/registry/text-records.ts';
import { nameServer } from './name-server.ts';

t.test('TXT records are found with their parts put together', async (t) => {
  const server = await nameServer(t);
  server.records.set('example.com', [['v=spf1 -all'], ['v=MCPv1; ', 'k=ed25519; p=x']]);
  t.same(await textRecords([server.address])('example.com'), ['v=spf1 -all', 'v=MCPv1; k=ed25519; p=x']);
});

t.test('a domain without records, and one that is not there, have none', async (t) => {
  const server = await nameServer(t);
  server.records.set('empty.example.com', []);
  const look = textRecords([server.address]);
  t.same(await look('empty.example.com'), []);
  t.same(await look('nowhere.example.com'), []);
  t.same(server.asked, ['empty.example.com', 'nowhere.example.com'], 'no other name was tried in its place');
});

t.test('a flood of records is read by TCP, and only a part of it is looked at', async (t) => {
  const server = await nameServer(t);
  const flood = Array.from({ length: 600 }, (_, at) => [`record ${at} ${'x'.repeat(50)}`]);
  server.records.set('example.com', flood);
  const found = await textRecords([server.address])('example.com');
  t.equal(found.length, 100);
  server.records.set('example.com', [Array.from({ length: 20 }, () => 'y'.repeat(255)), ['short']]);
  t.same(await textRecords([server.address])('example.com'), ['short'], 'and nothing that is far too long');
});

t.test('a name server that fails, and one that is not there, are no proof that a record is missing', async (t) => {
  const server = await nameServer(t);
  server.mood = 'failing';
  await t.rejects(textRecords([server.address])('example.com'), { code: 'REGISTRY_DNS_FAILED', message: /ESERVFAIL/ });
  await t.rejects(textRecords(['127.0.0.1:1'])('example.com'), { code: 'REGISTRY_DNS_FAILED' });
});
