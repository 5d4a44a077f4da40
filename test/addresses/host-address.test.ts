import t from 'tap';
import { isLoopbackHost, loopbackNames, parseIPv6Groups } from '../../src/addresses/host-address.ts';

t.test('loopback hosts are known in every spelling', async (t) => {
  for (const host of [...loopbackNames, 'LOCALHOST', '::1', '127.1.2.3']) t.ok(isLoopbackHost(host), host);
  for (const host of [
    '',
    '0.0.0.0',
    '::',
    '[::]',
    '[::2]',
    '128.0.0.1',
    '127.0.0.1.example',
    'localhost.example',
    '10.0.0.1',
  ])
    t.notOk(isLoopbackHost(host), host);
});

t.test('an IPv6 address has eight groups, however it is abbreviated', async (t) => {
  t.same(parseIPv6Groups('::'), [0, 0, 0, 0, 0, 0, 0, 0]);
  t.same(parseIPv6Groups('2001:db8::7'), [0x2001, 0xdb8, 0, 0, 0, 0, 0, 7]);
  t.same(parseIPv6Groups('2001:DB8:0:0:0:0:0:7'), [0x2001, 0xdb8, 0, 0, 0, 0, 0, 7]);
  t.same(parseIPv6Groups('::ffff:192.0.2.1'), [0, 0, 0, 0, 0, 0xffff, 0xc000, 0x201]);
  t.same(parseIPv6Groups('1:2:3:4:5:6:7::'), [1, 2, 3, 4, 5, 6, 7, 0]);
});
