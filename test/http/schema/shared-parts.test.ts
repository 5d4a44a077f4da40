import { Type } from '@sinclair/typebox';
import t from 'tap';
import { CompleteRequest } from '../../../src/contract/executor-api.ts';
import { toDraft2020 } from '../../../src/http/schema/draft-2020.ts';
import { withSharedParts } from '../../../src/http/schema/shared-parts.ts';
import { createValidator } from '../../../src/http/schema/validator.ts';

const Step = Type.Object({ name: Type.String(), line: Type.Integer(), outcome: Type.String(), total: Type.Number() });
const validStep = { name: 'a', line: 1, outcome: 'passed', total: 2 };
const schema = Type.Object({
  first: Step,
  others: Type.Array(Step),
  last: Type.Union([Step, Type.Null()]),
  small: Type.Object({ name: Type.String() }),
});
const valid = { first: validStep, others: [validStep], last: null, small: { name: 'b' } };

t.test('a larger object is one part, however often it occurs', async (t) => {
  const reference = { $ref: '#/$defs/part0' };
  t.match(withSharedParts(toDraft2020(schema)), {
    properties: {
      first: reference,
      others: { type: 'array', items: reference },
      last: { anyOf: [reference, { type: 'null' }] },
      small: { type: 'object', properties: { name: { type: 'string' } } },
    },
    $defs: { part0: toDraft2020(Step) },
  });
  const lengthOf = (value: unknown): number => JSON.stringify(value).length;
  const whole = toDraft2020(CompleteRequest);
  t.ok(lengthOf(withSharedParts(whole)) < lengthOf(whole), 'steps and exchanges occur several times in a report');
});

t.test('a schema without larger objects, and data that look like one, stay as they are', async (t) => {
  const small = toDraft2020(Type.Object({ name: Type.String() }));
  t.equal(withSharedParts(small), small);
  const data = { type: 'string', enum: [{ type: 'object', properties: { a: 1, b: 2, c: 3, d: 4 } }] };
  t.equal(withSharedParts(data), data);
});

t.test('a violation within a part has its whole location', async (t) => {
  const validator = createValidator(schema);
  const list = (value: unknown, collectAll = true): string[] =>
    validator.listViolations(value, collectAll).map(({ where, problem }) => `${where} ${problem}`);
  t.ok(validator.isValid(valid));
  t.ok(validator.isValid({ ...valid, last: validStep }));
  const wrongStep = { ...validStep, line: 'x', total: 'y' };
  const wrong = { ...valid, others: [validStep, wrongStep], last: wrongStep };
  t.notOk(validator.isValid(wrong));
  t.same(list(wrong), [
    '.others[1].line must be integer',
    '.others[1].total must be number',
    '.last.line must be integer',
    '.last.total must be number',
  ]);
  t.same(list(wrong, false), ['.others[1].line must be integer']);
  t.same(list({ ...valid, last: 7 }), ['.last must be object']);
  const { name: _, ...unnamed } = validStep;
  t.same(list({ ...valid, first: unnamed }), ['.first lacks `name`']);
});
