/** Addresses of internal networks are recognized in every notation. */
import fc from 'fast-check';
import t from 'tap';
import { type AddressKind, classifyAddress, classifyHost, isAddressAllowed } from '../../src/outbound/address-guard.ts';

const verdicts: Readonly<Record<string, AddressKind>> = {
  '8.8.8.8': 'public',
  '172.15.255.255': 'public',
  '172.32.0.0': 'public',
  '100.63.255.255': 'public',
  '2606:4700:4700::1111': 'public',
  '127.0.0.1': 'loopback',
  '127.255.255.254': 'loopback',
  '::1': 'loopback',
  '0:0:0:0:0:0:0:1': 'loopback',
  '::ffff:127.0.0.1': 'loopback',
  '::FFFF:7f00:1': 'loopback',
  '::127.0.0.1': 'loopback',
  '64:ff9b::7f00:1': 'loopback',
  '2002:7f00:1::': 'loopback',
  '10.0.0.1': 'private',
  '172.16.0.1': 'private',
  '172.31.255.255': 'private',
  '192.168.1.1': 'private',
  '100.64.0.1': 'private',
  '::ffff:10.0.0.1': 'private',
  '::ffff:0:10.0.0.1': 'private',
  'fd12:3456::1': 'private',
  'fec0::1': 'private',
  '64:ff9b:1::a00:1': 'private',
  '64:ff9b:1::808:808': 'private',
  '64:ff9b:1:2::808:808': 'private',
  '64:ff9b:1::7f00:1': 'loopback',
  '169.254.169.254': 'link_local',
  '::ffff:a9fe:a9fe': 'link_local',
  '64:ff9b:1::a9fe:a9fe': 'link_local',
  'fe80::1': 'link_local',
  'fe80::1%eth0': 'link_local',
  'febf::1': 'link_local',
  '100.100.100.200': 'metadata',
  '::ffff:100.100.100.200': 'metadata',
  '64:ff9b:1::6464:64c8': 'metadata',
  '168.63.129.16': 'metadata',
  '192.0.0.192': 'metadata',
  'fd00:ec2::254': 'metadata',
  'fd20:ce::254': 'metadata',
  'fd00:42::42': 'metadata',
  '0.0.0.0': 'reserved',
  '::': 'reserved',
  '224.0.0.1': 'reserved',
  '255.255.255.255': 'reserved',
  '198.18.0.1': 'reserved',
  'ff02::1': 'reserved',
  '2001:db8::1': 'reserved',
  '2001::1': 'reserved',
  '4000::1': 'reserved',
  '64:ff9b::808:808': 'public',
  '010.0.0.1': 'no_address',
  '127.1': 'no_address',
  'example.com': 'no_address',
  '': 'no_address',
};

t.test('addresses are classified by network, also IPv4 addresses within IPv6', async (t) => {
  for (const [ip, verdict] of Object.entries(verdicts)) t.equal(classifyAddress(ip), verdict, ip);
});

t.test('an IPv4 address is classified equally in every IPv6 notation', async () => {
  const octet = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), ([a, b, c, d]) => {
      const plain = `${a}.${b}.${c}.${d}`;
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const dresses = [`::ffff:${plain}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`];
      return dresses.every((dress) => classifyAddress(dress) === classifyAddress(plain));
    }),
    { numRuns: 500 },
  );
});

t.test('the host of a URL is classified in every notation', async (t) => {
  const loopbacks = [
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '１２７.0.0.1',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ];
  for (const host of loopbacks) t.equal(classifyHost(new URL(`http://${host}/mcp`)), 'loopback', host);
  t.equal(classifyHost(new URL('http://169.254.169.254./')), 'link_local');
  t.equal(classifyHost(new URL('http://0/')), 'reserved');
  t.equal(classifyHost(new URL('https://tools.example.com/mcp')), undefined);
});

t.test(
  'the operator may allow private and loopback addresses, but never those at which clouds publish credentials',
  async (t) => {
    const all: AddressKind[] = ['public', 'loopback', 'private', 'link_local', 'metadata', 'reserved', 'no_address'];
    t.same(
      all.filter((verdict) => isAddressAllowed(verdict, false)),
      ['public'],
    );
    t.same(
      all.filter((verdict) => isAddressAllowed(verdict, true)),
      ['public', 'loopback', 'private'],
    );
  },
);
