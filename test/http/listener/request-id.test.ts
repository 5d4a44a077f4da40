import t from 'tap';
import { createRequestIds } from '../../../src/http/listener/request-id.ts';

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
