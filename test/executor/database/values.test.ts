import t from 'tap';
import { Numeral } from '../../../src/check/numeral.ts';
import { jsonOf, valueTypes } from '../../../src/executor/database/values.ts';

const [bool, int8, int4, float8, numeric, json, jsonb, timestamptz, textArray] = [
  16, 20, 23, 701, 1700, 114, 3802, 1184, 1009,
];

t.test('numbers keep every digit', async (t) => {
  t.equal(jsonOf(int4, '-7'), -7);
  t.equal(jsonOf(int8, '42'), 42);
  t.same(jsonOf(int8, '9223372036854775807'), new Numeral('9223372036854775807'));
  t.same(jsonOf(numeric, '1.50'), new Numeral('1.50'));
  t.equal(jsonOf(numeric, '0.25'), 0.25);
  t.same(jsonOf(float8, '1e+20'), new Numeral('1e+20'));
  t.same(jsonOf(float8, '-0'), new Numeral('-0'));
  t.equal(JSON.stringify([jsonOf(numeric, '12345678901234567890.10')]), '[12345678901234567890.10]');
});

t.test('what is no number in JSON is a text', async (t) => {
  for (const text of ['NaN', 'Infinity', '-Infinity']) t.equal(jsonOf(float8, text), text);
});

t.test('booleans, documents, and texts of everything else', async (t) => {
  t.same([jsonOf(bool, 't'), jsonOf(bool, 'f')], [true, false]);
  t.same(jsonOf(json, ' {"a": [1, null]} '), { a: [1, null] });
  t.same(jsonOf(jsonb, '{"a": 1.0}'), { a: new Numeral('1.0') });
  t.equal(jsonOf(jsonb, 'null'), null);
  t.equal(jsonOf(timestamptz, '2026-01-02 03:04:05.6+00'), '2026-01-02 03:04:05.6+00');
  t.equal(jsonOf(textArray, '{a,"b c",NULL}'), '{a,"b c",NULL}');
  t.equal(jsonOf(0, '007'), '007');
});

t.test('a document that is too deep stays a text: nothing throws inside the reading of a row', async (t) => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  t.doesNotThrow(() => valueTypes.getTypeParser(jsonb, 'text')(deep));
  t.equal(jsonOf(jsonb, '{broken'), '{broken');
});
