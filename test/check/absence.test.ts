import t from 'tap';
import { explainAbsence } from '../../src/check/absence.ts';
import type { Json } from '../../src/check/observed.ts';
import { parseField } from '../../src/check/parse-field.ts';

function why(text: string, body: Json): string {
  const path = parseField(text);
  if ('problem' in path) throw new Error(path.problem);
  return explainAbsence(body, path);
}

t.test('the fields that are there are named', async (t) => {
  t.equal(why('a', { b: 1, c: 2 }), 'no field `a`; there are: b, c');
  t.equal(why('a', {}), 'no field `a`; there are none');
  t.equal(why('b.a', { b: { c: 1 } }), 'no field `a` in `b`; there are: c');
  t.equal(why('b["x y"].a', { b: { 'x y': { c: 1 } } }), 'no field `a` in `b["x y"]`; there are: c');
});

t.test('many fields are named in part', async (t) => {
  const body = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, index]));
  t.equal(why('a', body), 'no field `a`; there are: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, and 8 more');
  t.ok(why('a', { ['x'.repeat(5000)]: 1 }).length < 300);
});

t.test('what stands in the way is named', async (t) => {
  t.equal(why('a.b', { a: 3 }), 'no field `b`: `a` is 3');
  t.equal(why('a.b', { a: null }), 'no field `b`: `a` is null');
  t.equal(why('a.b', { a: 'text' }), 'no field `b`: `a` is "text"');
  t.equal(why('a[0]', { a: { b: 1 } }), 'no element [0]: `a` is an object with 1 field');
  t.equal(why('a', 'text'), 'no field `a`: the body is "text"');
  t.equal(why('a', null), 'no field `a`: the body is null');
});

t.test('a list is told with how to name an element', async (t) => {
  t.equal(
    why('data.id', { data: [1, 2, 3] }),
    'no field `id`: `data` is a list of 3; name an element, such as `data[0]`',
  );
  t.equal(why('id', [1]), 'no field `id`: the body is a list of 1; name an element, such as `[0]`');
  t.equal(why('data[5]', { data: [1] }), 'no element [5]: `data` is a list of 1');
  t.equal(why('data[1].id', { data: [{ id: 1 }] }), 'no element [1]: `data` is a list of 1');
});

t.test('the reading that leads deepest is the one explained', async (t) => {
  t.equal(why('a.b.c', { 'a.b': { d: 1 }, a: {} }), 'no field `c` in `a.b`; there are: d');
  t.equal(why('a.b.c', { a: { b: { d: 1 } } }), 'no field `c` in `a.b`; there are: d');
});
