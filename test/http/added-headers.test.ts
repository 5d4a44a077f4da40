import t from 'tap';
import { LazyHeaders } from '../../src/http/added-headers.ts';

t.test('headers are added to those of the response', async (t) => {
  const headers = new LazyHeaders();
  headers.append('Set-Cookie', 'a=1');
  headers.delete('Set-Cookie');
  headers.append('Set-Cookie', 'b=2');
  headers.append('Set-Cookie', 'c=3');
  const response = new Response('', { headers: { 'X-Own': '1' } });
  headers.addTo(response);
  t.same(response.headers.getSetCookie(), ['b=2', 'c=3']);
  t.equal(response.headers.get('x-own'), '1');
});

t.test('without any, the headers of the response are not read', async (t) => {
  const headers = new LazyHeaders();
  headers.delete('Set-Cookie');
  const response = new Response('');
  Object.defineProperty(response, 'headers', { get: () => t.fail('the headers were read') });
  headers.addTo(response);
});
