import t from 'tap';
import { parseIds, parseTexts } from '../../src/store/json-column.ts';

t.test('a list keeps its order, and elements of another type are left out', async (t) => {
  t.same(parseTexts('["b","a","b"]'), ['b', 'a', 'b']);
  t.same(parseTexts('["a",1,null,["b"],"c"]'), ['a', 'c']);
  t.same(parseIds('[3,"4",1,null]'), [3, 1]);
});

t.test('a document that is no list is an empty one, and text that is not JSON throws', async (t) => {
  for (const json of ['null', '{"0":"a"}', '"a"', '7']) {
    t.same(parseTexts(json), [], json);
    t.same(parseIds(json), [], json);
  }
  t.throws(() => parseTexts('["a"'), SyntaxError);
});
