import t from 'tap';
import type { Check } from '../../../src/check/check-kind.ts';
import { readJson } from '../../../src/check/json/read-json.ts';
import { schemaKind } from '../../../src/check/kinds/schema.ts';
import { createSchemaValidator } from '../../../src/executor/response/schema-validator.ts';
import { judgeCheck, observeBody, parseValid } from '../check-fixtures.ts';

const order = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['id', 'items'],
  properties: {
    id: { type: 'integer' },
    at: { type: 'string', format: 'date-time' },
    code: { type: 'string', pattern: '^[A-Z]{2}-\\d+$' },
    items: { type: 'array', items: { $ref: '#/$defs/item' }, minItems: 1 },
  },
  additionalProperties: false,
  $defs: { item: { type: 'object', required: ['sku'], properties: { price: { type: 'number', minimum: 0 } } } },
});

function readCheck(schema: string): Check {
  const check = schemaKind.withFile?.(schemaKind.parse('body matches schema a.json', () => {}) as never, schema);
  if (check === undefined || typeof check === 'string') throw new Error(String(check));
  return check;
}

const validateSchema = createSchemaValidator();
const judgeBody = (body: string, schema = order) =>
  judgeCheck(readCheck(schema), { ...observeBody(readJson(body)), validateSchema });

t.test('a body matches, numbers however they are written', async (t) => {
  t.match(judgeBody('{"id": 1, "items": [{"sku": "a", "price": 1.50}]}'), { passed: true, actual: 'it matches' });
  t.equal(judgeBody('{"id": 1.0, "items": [{"sku": "a"}]}').passed, true, 'an integer as JSON Schema defines it');
});

t.test('what does not match is named with its place', async (t) => {
  const wrong: readonly (readonly [body: string, pointer: string, actual: RegExp])[] = [
    ['{"items": [{"sku": "a"}]}', '', /must have required property 'id'/],
    ['{"id": "1", "items": [{"sku": "a"}]}', '/id', /must be integer/],
    ['{"id": 1.5, "items": [{"sku": "a"}]}', '/id', /must be integer/],
    ['{"id": 1, "items": []}', '/items', /fewer than 1/],
    ['{"id": 1, "items": [{"sku": "a", "price": -1}]}', '/items/0/price', />= 0/],
    ['{"id": 1, "items": [{"sku": "a"}], "leak": 1}', '', /additional properties: `leak`/],
    ['{"id": 1, "items": [{"sku": "a"}], "at": "yesterday"}', '/at', /date-time/],
    ['{"id": 1, "items": [{"sku": "a"}], "code": "de-1"}', '/code', /pattern/],
  ];
  for (const [body, pointer, actual] of wrong) t.match(judgeBody(body), { passed: false, pointer, actual }, body);
});

t.test('a schema that cannot be used never passes, and says why', async (t) => {
  const unusable: readonly (readonly [schema: string, message: RegExp])[] = [
    ['{"type": "strin"}', /the schema cannot be used: /],
    ['{"$ref": "https://example.org/a.json"}', /can't resolve reference/],
    ['{"$ref": "#/$defs/none"}', /can't resolve reference/],
    ['{"$async": true, "type": "string"}', /the schema cannot be used: .*\$async/],
    ['{"$async": true, "type": "integer"}', /the schema cannot be used: .*\$async/],
    ['{"pattern": "(?=a)"}', /the pattern \(\?=a\) cannot be used/],
  ];
  for (const [schema, actual] of unusable) t.match(judgeBody('"a"', schema), { passed: false, actual }, schema);
  t.equal(
    schemaKind.withFile?.(parseValid('body matches schema a.json') as never, '[]'),
    'it is not a JSON Schema, which is an object',
  );
  t.equal(schemaKind.withFile?.(parseValid('body matches schema a.json') as never, '{'), 'it is not JSON');
});

t.test('a file that would hold for every body is refused', async (t) => {
  const read = (schema: string) => schemaKind.withFile?.(parseValid('body matches schema a.json') as never, schema);
  t.equal(read('{"id": 7, "total": 3}'), 'it has no keyword of JSON Schema');
  t.equal(read('{"fields": {}, "title": "Order"}'), 'it has no keyword of JSON Schema');
  t.match(read('{"swagger": "2.0", "paths": {}, "definitions": {}}'), /OpenAPI 3/);
  t.match(read('{"openapi": "3.1.0", "webhooks": {}}'), /OpenAPI 3/);
  t.type(read('{}'), 'object');
  t.type(read('true'), 'object');
});

t.test('a keyword or a format that is misspelled is refused, because it would hold for every body', async (t) => {
  const read = (schema: object) =>
    schemaKind.withFile?.(parseValid('body matches schema a.json') as never, JSON.stringify(schema));
  const misspelled: readonly (readonly [schema: object, written: string, intended: string])[] = [
    [{ type: 'object', requried: ['id'] }, 'requried', 'required'],
    [{ properties: { a: { items: { anyOf: [{ minlength: 1 }] } } } }, 'minlength', 'minLength'],
    [
      { $defs: { a: { additonalProperties: false } }, $ref: '#/$defs/a' },
      'additonalProperties',
      'additionalProperties',
    ],
    [{ properties: { a: { ref: '#/$defs/a' } } }, 'ref', '$ref'],
    [{ if: { type: 'string' }, else: { patern: '^a' } }, 'patern', 'pattern'],
    [{ type: 'string', format: 'datetime' }, 'datetime', 'date-time'],
    [{ prefixItems: [{ format: 'e-mail' }] }, 'e-mail', 'email'],
  ];
  for (const [schema, written, intended] of misspelled) {
    const problem = String(read(schema));
    t.match(problem, `\`${written}\`, which says nothing: did you mean \`${intended}\`?`);
  }
  const other = {
    properties: { requried: { type: 'string', format: 'phone', note: 'x', enumNames: ['A'], 'x-requird': 1 } },
    type: 'object',
    example: { minlength: 1 },
    const: { patern: 1 },
  };
  t.type(read(other), 'object', 'names of properties, values and annotations are none');
});

t.test('without the file or the validator nothing passes', async (t) => {
  const observation = observeBody({});
  t.match(judgeCheck(parseValid('body matches schema a.json'), { ...observation, validateSchema }), { passed: false });
  t.match(judgeCheck(readCheck('{}'), observation), { passed: false, actual: 'the schema was not read' });
});

t.test('a pattern of the schema cannot take long, nor read a secret', async (t) => {
  const slow = JSON.stringify({ type: 'string', pattern: '^(a+)+$' });
  t.equal(judgeBody(JSON.stringify(`${'a'.repeat(50_000)}b`), slow).passed, false);
  const conceal = (text: string): string => text.replaceAll('s3cret', '[redacted]');
  const guess = readCheck(JSON.stringify({ properties: { token: { pattern: '^s' } } }));
  t.equal(judgeCheck(guess, { ...observeBody({ token: 's3cret' }), conceal, validateSchema }).passed, false);
});

t.test('earlier drafts and keywords of OpenAPI are read', async (t) => {
  const draft7 =
    '{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"type": "integer", "example": 1}}, "$ref": "#/definitions/a"}';
  t.equal(judgeBody('1', draft7).passed, true);
  t.equal(judgeBody('"1"', draft7).passed, false);
});

t.test('a schema with very many properties is compiled too', async (t) => {
  const member = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
  const properties = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`field_${index}`, member]));
  const wide = JSON.stringify({ type: 'object', properties });
  t.equal(judgeBody('{"field_1": {"a": "x"}}', wide).passed, true);
  t.match(judgeBody('{"field_1499": {}}', wide), { passed: false, pointer: '/field_1499' });
});

t.test('a schema whose code is too deep only when it first runs is compiled again, once', async (t) => {
  const createMember = (maxLength: number) => ({
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'string', maxLength } },
    required: ['a'],
  });
  const properties = Object.fromEntries(
    Array.from({ length: 2050 }, (_, index) => [`p${index}`, createMember(index + 1)]),
  );
  const schema = JSON.stringify({ type: 'object', properties, required: ['p0'] });
  t.match(judgeBody('{"p0": {"a": 1}}', schema), { passed: true });
  t.match(judgeBody('{"p0": {"a": "x"}}', schema), { passed: false, actual: /p0\.a/ });
  t.match(judgeBody('{}', schema), { passed: false });
});
