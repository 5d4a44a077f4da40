import t from 'tap';
import { explainAbsence } from '../../../src/check/json/explain-absence.ts';
import type { Json } from '../../../src/check/json/json.ts';
import { parseField } from '../../../src/check/json/parse-field-path.ts';

function explain(text: string, body: Json): string {
  const path = parseField(text);
  if ('problem' in path) throw new Error(path.problem);
  return explainAbsence(body, path);
}

t.test('the existing fields are listed', async (t) => {
  t.equal(explain('a', { b: 1, c: 2 }), 'no field `a`; there are: b, c');
  t.equal(explain('a', {}), 'no field `a`; there are none');
  t.equal(explain('b.a', { b: { c: 1 } }), 'no field `a` in `b`; there are: c');
  t.equal(explain('b["x y"].a', { b: { 'x y': { c: 1 } } }), 'no field `a` in `b["x y"]`; there are: c');
});

t.test('a long list of fields is shortened', async (t) => {
  const body = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, index]));
  t.equal(explain('a', body), 'no field `a`; there are: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, and 8 more');
  t.ok(explain('a', { ['x'.repeat(5000)]: 1 }).length < 300);
});

t.test('the value that ends the path is named', async (t) => {
  t.equal(explain('a.b', { a: 3 }), 'no field `b`: `a` is 3');
  t.equal(explain('a.b', { a: null }), 'no field `b`: `a` is null');
  t.equal(explain('a.b', { a: 'text' }), 'no field `b`: `a` is "text"');
  t.equal(explain('a[0]', { a: { b: 1 } }), 'no element [0]: `a` is an object with 1 field');
  t.equal(explain('a', 'text'), 'no field `a`: the body is "text"');
  t.equal(explain('a', null), 'no field `a`: the body is null');
});

t.test('for a list the message shows how to name an element', async (t) => {
  t.equal(
    explain('data.id', { data: [1, 2, 3] }),
    'no field `id`: `data` is a list of 3; name an element, such as `data[0]`, or all of them with `body every`',
  );
  t.equal(
    explain('id', [1]),
    'no field `id`: the body is a list of 1; name an element, such as `[0]`, or all of them with `body every`',
  );
  t.equal(explain('data[5]', { data: [1] }), 'no element [5]: `data` is a list of 1');
  t.equal(explain('data[1].id', { data: [{ id: 1 }] }), 'no element [1]: `data` is a list of 1');
});

t.test('the deepest reading of the path is explained', async (t) => {
  t.equal(explain('a.b.c', { 'a.b': { d: 1 }, a: {} }), 'no field `c` in `a.b`; there are: d');
  t.equal(explain('a.b.c', { a: { b: { d: 1 } } }), 'no field `c` in `a.b`; there are: d');
});
