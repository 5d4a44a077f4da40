import t from 'tap';
import { filterHeaders } from '../../../src/replicas/forwarding/message-headers.ts';

t.test('headers of the connection stay behind, with those that it names', async (t) => {
  const headers = [
    ...['Host', 'vp.example', 'Connection', 'keep-alive, X-Private', 'Keep-Alive', 'timeout=5', 'x-private', '1'],
    ...['Upgrade', 'websocket', 'TE', 'trailers', 'Accept', 'a', 'Accept', 'b', 'Expect', '100-continue'],
  ];
  t.same(filterHeaders(headers), ['Host', 'vp.example', 'Accept', 'a', 'Accept', 'b']);
});

t.test('a connection option removes neither the target nor the length of a message', async (t) => {
  const headers = ['Connection', 'host, content-length, transfer-encoding', 'Host', 'h', 'Content-Length', '3'];
  t.same(filterHeaders(headers), ['Host', 'h', 'Content-Length', '3']);
});

t.test('given headers are removed in any case', async (t) => {
  t.same(filterHeaders(['VP-Replica-Hop', 'forged', 'A', '1'], ['vp-replica-hop']), ['A', '1']);
  t.same(filterHeaders(['Transfer-Encoding', 'chunked'], ['transfer-encoding']), []);
});
