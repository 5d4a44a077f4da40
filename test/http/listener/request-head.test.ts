import t from 'tap';
import { createRequestIds, getPeerAddress } from '../../../src/http/listener/request-head.ts';

t.test('each request has its own id', async (t) => {
  const createId = createRequestIds({ token: () => 'abcdefgh' });
  t.equal(createId(undefined), 'abcdefgh-1');
  t.equal(createId(undefined), 'abcdefgh-2');
});

t.test('a harmless id of the caller is used; anything else is replaced', async (t) => {
  const createId = createRequestIds({ token: () => 'x' });
  t.equal(createId('tr-20261120T143012345-abc'), 'tr-20261120T143012345-abc');
  for (const sent of ['', 'a b', 'a\nb', 'ä', '"', 'x'.repeat(65), ['a', 'b']]) t.match(createId(sent), /^x-\w+$/);
});

const createRequest = (remoteAddress: string | undefined, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
});

t.test('the address is that of the connection, whatever the headers say', async (t) => {
  t.equal(getPeerAddress(createRequest('10.0.0.1')), '10.0.0.1');
  t.equal(getPeerAddress(createRequest('10.0.0.1', '1.2.3.4')), '10.0.0.1');
  t.equal(getPeerAddress(createRequest('10.0.0.1', '1.2.3.4'), ['127.0.0.1']), '10.0.0.1');
  t.equal(getPeerAddress(createRequest(undefined)), 'local');
});

t.test('from a trusted proxy the last address is used, which it added itself', async (t) => {
  const proxies = ['127.0.0.1', '::1'];
  t.equal(getPeerAddress(createRequest('127.0.0.1', '6.6.6.6, 1.2.3.4'), proxies), '1.2.3.4');
  t.equal(getPeerAddress(createRequest('::1', '2001:db8::7'), proxies), '2001:db8::7');
  t.equal(getPeerAddress(createRequest('127.0.0.1'), proxies), '127.0.0.1');
  t.equal(getPeerAddress(createRequest('127.0.0.1', 'unknown'), proxies), '127.0.0.1');
  t.equal(getPeerAddress(createRequest('127.0.0.1', ''), proxies), '127.0.0.1');
});
