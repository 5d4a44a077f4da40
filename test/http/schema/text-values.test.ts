import { Type } from '@sinclair/typebox';
import t from 'tap';
import { parseHeaders, parseParams, parseQuery } from '../../../src/http/schema/text-values.ts';

const properties = {
  limit: Type.Integer(),
  all: Type.Boolean(),
  name: Type.String(),
  state: Type.Array(Type.String()),
};

t.test('text becomes numbers, booleans and lists where the schema requires them', async (t) => {
  t.same(parseQuery('http://localhost/x?limit=12&all=false&name=12&state=a&state=b%20c', properties), {
    limit: 12,
    all: false,
    name: '12',
    state: ['a', 'b c'],
  });
  t.same(parseQuery('http://localhost/x?limit=-3&state=a', properties), { limit: -3, state: ['a'] });
  t.same(parseQuery('http://localhost/x', properties), {});
  t.same(parseParams({ limit: '7', name: 'x', other: '1' }, properties), { limit: 7, name: 'x', other: '1' });
  t.same(parseHeaders(new Headers({ Limit: '7', Other: 'x' }), properties), { limit: 7 });
});

t.test('text that is not a number stays text, for the schema to refuse', async (t) => {
  for (const text of ['', ' ', '1.5', '0x10', '1e3', 'NaN', 'Infinity', '+1', '1234567890123456', '1 ']) {
    t.same(parseParams({ limit: text }, properties), { limit: text });
  }
  t.same(parseParams({ all: 'yes' }, properties), { all: 'yes' });
});

t.test('an unknown or repeated parameter is refused', async (t) => {
  const refusal = { code: 'REQUEST_INVALID' };
  t.throws(() => parseQuery('http://localhost/?limit=1&limit=1', properties), refusal);
  t.throws(() => parseQuery('http://localhost/?state%5B%5D=a', properties), refusal);
  t.throws(() => parseQuery('http://localhost/?constructor=1', properties), refusal);
  t.throws(() => parseQuery('http://localhost/?=1', properties), refusal);
});
