import { Type } from '@sinclair/typebox';
import t from 'tap';
import { toDraft2020 } from '../../../src/http/schema/draft-2020.ts';
import { createValidator } from '../../../src/http/schema/validator.ts';

const nullable = Type.Union([Type.Object({ kind: Type.String() }), Type.Null()]);
const schema = Type.Object({
  id: Type.String({ pattern: '^[a-z]+$' }),
  state: Type.Union([Type.Literal('on'), Type.Literal('off')]),
  at: Type.Optional(Type.String({ format: 'date-time' })),
  failure: Type.Optional(nullable),
  headers: Type.Optional(Type.Array(Type.Tuple([Type.String(), Type.String()]), { maxItems: 2 })),
  version: Type.Optional(Type.Literal(1)),
});
const validator = createValidator(schema);
const validValue = { id: 'a', state: 'on' };

function listViolations(value: unknown, collectAll = true): string[] {
  if (validator.isValid(value)) return [];
  return validator.listViolations(value, collectAll).map(({ where, problem }) => `${where} ${problem}`);
}

t.test('valid values are accepted', async (t) => {
  t.ok(validator.isValid(validValue));
  t.ok(validator.isValid({ ...validValue, headers: [['a', 'b']], failure: null, version: 1 }));
  t.ok(validator.isValid({ ...validValue, failure: { kind: 'x' }, at: '2026-11-20T14:30:12.345Z' }));
});

t.test('invalid values are reported with their location', async (t) => {
  t.same(listViolations({ id: 'A', state: 'dim' }), [
    '.id must match pattern "^[a-z]+$"',
    '.state must be one of on, off',
  ]);
  t.same(listViolations({}), [' lacks `id`', ' lacks `state`']);
  t.same(listViolations([]), [' must be object']);
  t.same(listViolations({ ...validValue, version: 2 }), ['.version must be 1']);
  t.same(listViolations({ ...validValue, at: '2026-13-20T14:30:12Z' }), ['.at must match format "date-time"']);
});

t.test('a union with null reports the value only', async (t) => {
  t.same(listViolations({ ...validValue, failure: { kind: 1 } }), ['.failure.kind must be string']);
  t.same(listViolations({ ...validValue, failure: 7 }), ['.failure must be object']);
});

t.test('pairs have two members', async (t) => {
  t.same(listViolations({ ...validValue, headers: [['a', 'b', 'c']] }), [
    '.headers[0] must NOT have more than 2 items',
  ]);
  t.same(listViolations({ ...validValue, headers: [['a', 1]] }), ['.headers[0][1] must be string']);
  t.same(listViolations({ ...validValue, headers: ['a'] }), ['.headers[0] must be array']);
});

t.test('only the first violation is returned unless all are requested', async (t) => {
  t.equal(listViolations({ id: 1, state: 1 }, false).length, 1);
});

t.test('a catastrophic value for a pattern takes no time', async (t) => {
  t.notOk(validator.isValid({ id: `${'a'.repeat(200_000)}!`, state: 'on' }));
});

t.test('TypeBox becomes draft 2020-12', async (t) => {
  t.same(toDraft2020(Type.Tuple([Type.String(), Type.Integer()])), {
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'integer' }],
    minItems: 2,
    maxItems: 2,
  });
  t.same(toDraft2020(Type.Union([Type.Literal('a'), Type.Literal('b')])), { type: 'string', enum: ['a', 'b'] });
  t.same(toDraft2020(Type.Union([Type.Literal('a'), Type.Null()])), {
    anyOf: [{ const: 'a', type: 'string' }, { type: 'null' }],
  });
});

t.test('properties named like keywords stay properties', async (t) => {
  const keywordNames = Type.Object({
    items: Type.String(),
    enum: Type.Array(Type.String()),
    anyOf: Type.Optional(Type.Null()),
  });
  t.same(toDraft2020(keywordNames).properties, {
    items: { type: 'string' },
    enum: { type: 'array', items: { type: 'string' } },
    anyOf: { type: 'null' },
  });
});

t.test('named schemas become references', async (t) => {
  const Part = Type.Object({ a: Type.String() });
  const getSchemaName = (schema: object) => (schema === Part ? 'Part' : undefined);
  t.same(toDraft2020(Type.Object({ parts: Type.Array(Part) }), getSchemaName).properties, {
    parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
  });
});
