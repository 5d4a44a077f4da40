import t from 'tap';
import { Numeral } from '../../../src/check/json/json.ts';
import { parseValue, valueTypes } from '../../../src/executor/database/parse-value.ts';

const [bool, int8, int4, float8, numeric, json, jsonb, timestamptz, textArray] = [
  16, 20, 23, 701, 1700, 114, 3802, 1184, 1009,
];

t.test('numbers keep every digit', async (t) => {
  t.equal(parseValue(int4, '-7'), -7);
  t.equal(parseValue(int8, '42'), 42);
  t.same(parseValue(int8, '9223372036854775807'), new Numeral('9223372036854775807'));
  t.same(parseValue(numeric, '1.50'), new Numeral('1.50'));
  t.equal(parseValue(numeric, '0.25'), 0.25);
  t.same(parseValue(float8, '1e+20'), new Numeral('1e+20'));
  t.same(parseValue(float8, '-0'), new Numeral('-0'));
  t.equal(JSON.stringify([parseValue(numeric, '12345678901234567890.10')]), '[12345678901234567890.10]');
});

t.test('a value that is not a JSON number is a text', async (t) => {
  for (const text of ['NaN', 'Infinity', '-Infinity']) t.equal(parseValue(float8, text), text);
});

t.test('booleans, JSON documents, and text for all other types', async (t) => {
  t.same([parseValue(bool, 't'), parseValue(bool, 'f')], [true, false]);
  t.same(parseValue(json, ' {"a": [1, null]} '), { a: [1, null] });
  t.same(parseValue(jsonb, '{"a": 1.0}'), { a: new Numeral('1.0') });
  t.equal(parseValue(jsonb, 'null'), null);
  t.equal(parseValue(timestamptz, '2026-01-02 03:04:05.6+00'), '2026-01-02 03:04:05.6+00');
  t.equal(parseValue(textArray, '{a,"b c",NULL}'), '{a,"b c",NULL}');
  t.equal(parseValue(0, '007'), '007');
});

t.test('a document whose key occurs twice with different values stays a text', async (t) => {
  t.equal(parseValue(json, '{"state": "paid", "state": "open"}'), '{"state": "paid", "state": "open"}');
  t.same(parseValue(json, '{"state": "paid", "state": "paid"}'), { state: 'paid' });
});

t.test('a document that is nested too deeply stays a text: parsing a row never throws', async (t) => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  t.doesNotThrow(() => valueTypes.getTypeParser(jsonb, 'text')(deep));
  t.equal(parseValue(jsonb, '{broken'), '{broken');
});
