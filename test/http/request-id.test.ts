import t from 'tap';
import { requestIds } from '../../src/http/request-id.ts';

t.test('each request has an id of its own', async (t) => {
  const idOf = requestIds({ token: () => 'abcdefgh' });
  t.equal(idOf(undefined), 'abcdefgh-1');
  t.equal(idOf(undefined), 'abcdefgh-2');
});

t.test('a harmless id that was sent is kept; anything else is replaced', async (t) => {
  const idOf = requestIds({ token: () => 'x' });
  t.equal(idOf('tr-20261120T143012345-abc'), 'tr-20261120T143012345-abc');
  for (const sent of ['', 'a b', 'a\nb', 'ä', '"', 'x'.repeat(65), ['a', 'b']]) t.match(idOf(sent), /^x-\w+$/);
});
