import { Type } from '@sinclair/typebox';
import t from 'tap';
import { draft2020 } from '../../src/http/draft-2020.ts';
import { validatorOf } from '../../src/http/validator.ts';

const nullable = Type.Union([Type.Object({ kind: Type.String() }), Type.Null()]);
const schema = Type.Object({
  id: Type.String({ pattern: '^[a-z]+$' }),
  state: Type.Union([Type.Literal('on'), Type.Literal('off')]),
  at: Type.Optional(Type.String({ format: 'date-time' })),
  failure: Type.Optional(nullable),
  headers: Type.Optional(Type.Array(Type.Tuple([Type.String(), Type.String()]), { maxItems: 2 })),
  version: Type.Optional(Type.Literal(1)),
});
const validator = validatorOf(schema);
const good = { id: 'a', state: 'on' };

function faultsOf(value: unknown, many = true): string[] {
  if (validator.accepts(value)) return [];
  return validator.faults(value, many).map(({ where, problem }) => `${where} ${problem}`);
}

t.test('what fits is accepted', async (t) => {
  t.ok(validator.accepts(good));
  t.ok(validator.accepts({ ...good, headers: [['a', 'b']], failure: null, version: 1 }));
  t.ok(validator.accepts({ ...good, failure: { kind: 'x' }, at: '2026-11-20T14:30:12.345Z' }));
});

t.test('what does not fit is told in words, with its place', async (t) => {
  t.same(faultsOf({ id: 'A', state: 'dim' }), ['.id must match pattern "^[a-z]+$"', '.state must be one of on, off']);
  t.same(faultsOf({}), [' lacks `id`', ' lacks `state`']);
  t.same(faultsOf([]), [' must be object']);
  t.same(faultsOf({ ...good, version: 2 }), ['.version must be 1']);
  t.same(faultsOf({ ...good, at: '2026-13-20T14:30:12Z' }), ['.at must match format "date-time"']);
});

t.test('a union with null complains of the value only', async (t) => {
  t.same(faultsOf({ ...good, failure: { kind: 1 } }), ['.failure.kind must be string']);
  t.same(faultsOf({ ...good, failure: 7 }), ['.failure must be object']);
});

t.test('pairs have two members', async (t) => {
  t.same(faultsOf({ ...good, headers: [['a', 'b', 'c']] }), ['.headers[0] must NOT have more than 2 items']);
  t.same(faultsOf({ ...good, headers: [['a', 1]] }), ['.headers[0][1] must be string']);
  t.same(faultsOf({ ...good, headers: ['a'] }), ['.headers[0] must be array']);
});

t.test('only the first fault is told where many are not wanted', async (t) => {
  t.equal(faultsOf({ id: 1, state: 1 }, false).length, 1);
});

t.test('a catastrophic value for a pattern takes no time', async (t) => {
  t.notOk(validator.accepts({ id: `${'a'.repeat(200_000)}!`, state: 'on' }));
});

t.test('TypeBox becomes draft 2020-12', async (t) => {
  t.same(draft2020(Type.Tuple([Type.String(), Type.Integer()])), {
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'integer' }],
    minItems: 2,
    maxItems: 2,
  });
  t.same(draft2020(Type.Union([Type.Literal('a'), Type.Literal('b')])), { type: 'string', enum: ['a', 'b'] });
  t.same(draft2020(Type.Union([Type.Literal('a'), Type.Null()])), {
    anyOf: [{ const: 'a', type: 'string' }, { type: 'null' }],
  });
});

t.test('properties that are called like keywords stay properties', async (t) => {
  const odd = Type.Object({ items: Type.String(), enum: Type.Array(Type.String()), anyOf: Type.Optional(Type.Null()) });
  t.same(draft2020(odd).properties, {
    items: { type: 'string' },
    enum: { type: 'array', items: { type: 'string' } },
    anyOf: { type: 'null' },
  });
});

t.test('named parts become references', async (t) => {
  const Part = Type.Object({ a: Type.String() });
  const nameOf = (schema: object) => (schema === Part ? 'Part' : undefined);
  t.same(draft2020(Type.Object({ parts: Type.Array(Part) }), nameOf).properties, {
    parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
  });
});
