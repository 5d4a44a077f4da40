import t from 'tap';
import { listFields } from '../../../src/console/scenarios/use-response-fields.ts';

t.test('fields of a body are listed as checks name them, lists by their first element', async (t) => {
  t.same(listFields('{"data":[{"id":1,"a b":{"c":null}},{"id":2}],"count":2}'), [
    'data',
    'data[0]',
    'data[0].id',
    'data[0]["a b"]',
    'data[0]["a b"].c',
    'count',
  ]);
  t.same(listFields('[{"x":1}]'), ['[0]', '[0].x']);
  t.same(listFields('<html>'), []);
  t.same(listFields('{"cut": "of'), []);
  t.equal(
    listFields(JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n])))).length,
    200,
  );
});
