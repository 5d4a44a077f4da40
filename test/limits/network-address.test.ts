import t from 'tap';
import { toNetwork } from '../../src/limits/network-address.ts';

t.test('addresses of one IPv6 /64 have the same network in every notation', async (t) => {
  for (const address of [
    '2001:db8:1:2:aaaa::1',
    '2001:DB8:1:2::ffff',
    '2001:0db8:0001:0002:0:0:0:0',
    '2001:db8:1:2::%eth0',
  ])
    t.equal(toNetwork(address), '2001:db8:1:2::/64', address);
  t.equal(toNetwork('2001:db8::1'), toNetwork('2001:db8:0:0:1::'));
  t.equal(toNetwork('::1'), '0:0:0:0::/64');
  t.equal(toNetwork('2001:db8:1:3::1'), '2001:db8:1:3::/64');
});

t.test('a /56 holds 256 networks', async (t) => {
  t.equal(toNetwork('2001:db8:1:2::1', 56), '2001:db8:1:0::/56');
  t.equal(toNetwork('2001:db8:1:2ff::1', 56), '2001:db8:1:200::/56');
});

t.test('IPv4 addresses are networks of their own, also in their IPv6 notation', async (t) => {
  for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '::FFFF:0a00:0001', '0:0:0:0:0:ffff:a00:1'])
    t.equal(toNetwork(address), '10.0.0.1', address);
  t.equal(toNetwork('::ffff:10.0.0.1', 56), '10.0.0.1');
});

t.test('other texts stay as they are', async (t) => {
  for (const text of ['local', '', 'sign-in 1:2:3', '2001:db8::1::2']) t.equal(toNetwork(text), text);
});
