import t from 'tap';
import { peerAddress } from '../../src/http/peer-address.ts';

const from = (remoteAddress: string | undefined, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
});

t.test('the connection says where a request comes from, whatever its headers say', async (t) => {
  t.equal(peerAddress(from('10.0.0.1')), '10.0.0.1');
  t.equal(peerAddress(from('10.0.0.1', '1.2.3.4')), '10.0.0.1');
  t.equal(peerAddress(from('10.0.0.1', '1.2.3.4'), ['127.0.0.1']), '10.0.0.1');
  t.equal(peerAddress(from(undefined)), 'local');
});

t.test('of a proxy that is believed the last address is taken, which it added itself', async (t) => {
  const proxies = ['127.0.0.1', '::1'];
  t.equal(peerAddress(from('127.0.0.1', '6.6.6.6, 1.2.3.4'), proxies), '1.2.3.4');
  t.equal(peerAddress(from('::1', '2001:db8::7'), proxies), '2001:db8::7');
  t.equal(peerAddress(from('127.0.0.1'), proxies), '127.0.0.1');
  t.equal(peerAddress(from('127.0.0.1', 'unknown'), proxies), '127.0.0.1');
  t.equal(peerAddress(from('127.0.0.1', ''), proxies), '127.0.0.1');
});
