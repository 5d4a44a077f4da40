import t from 'tap';
import { effectOf, mayDestroy } from '../../../src/console/hub/tool-effect.ts';
import { resultParts } from '../../../src/console/hub/try/result-parts.ts';
import {
  argumentsOf,
  fieldsOf,
  readArguments,
  startOf,
  writtenOf,
} from '../../../src/console/hub/try/schema-fields.ts';

const schema = {
  type: 'object',
  properties: {
    note: { type: ['string', 'null'], maxLength: 5000 },
    city: { type: 'string', title: 'City', description: 'Where.' },
    days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
    unit: { enum: ['C', 'F'] },
    level: { oneOf: [{ const: 1 }, { const: 2, title: 'two' }] },
    exact: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    where: { type: 'object', properties: {} },
    odd: true,
  },
  required: ['city'],
};

t.test('each property of a schema has the field that fits it, required ones first', async (t) => {
  const fields = fieldsOf(schema);
  t.same(
    fields.map(({ name, kind }) => `${name} ${kind}`),
    [
      'city text',
      'note lines',
      'days number',
      'unit choice',
      'level choice',
      'exact yes_no',
      'tags list',
      'where json',
    ].concat('odd json'),
  );
  t.match(fields[0], { label: 'City', hint: 'Where.', isRequired: true });
  t.match(fields[2], { isWhole: true, min: 1, max: 7, start: '3' });
  t.same(fieldsOf({ type: 'object' }), []);
});

t.test('what is written becomes arguments of the right types; what is empty is left out', async (t) => {
  const fields = fieldsOf(schema);
  const written = {
    city: 'Porto',
    days: '5',
    unit: '"C"',
    level: '2',
    exact: 'false',
    tags: 'a\n\nb',
    where: '{"x":1}',
  };
  t.same(argumentsOf(fields, written), {
    arguments: { city: 'Porto', days: 5, unit: 'C', level: 2, exact: false, tags: ['a', 'b'], where: { x: 1 } },
  });
  t.same(argumentsOf(fields, { where: '{' }), { problem: 'where is no JSON' });
  t.same(argumentsOf(fields, startOf(fields)), { arguments: { days: 3 } });
});

t.test('a property called __proto__ is an argument like others', async (t) => {
  const fields = fieldsOf({ properties: JSON.parse('{"__proto__":{"type":"string"}}') });
  const { arguments: made } = argumentsOf(fields, Object.fromEntries([['__proto__', 'x']]));
  t.equal(JSON.stringify(made), '{"__proto__":"x"}');
});

t.test('arguments go from fields to JSON and back, unless some have no field', async (t) => {
  const fields = fieldsOf(schema);
  t.same(readArguments(' '), { arguments: {} });
  t.same(readArguments('[1]'), { problem: 'Arguments are a JSON object: {…}' });
  const { arguments: read = {} } = readArguments('{"city":"Porto","tags":["a","b"],"unit":"F","where":{"x":1}}');
  t.same(argumentsOf(fields, writtenOf(fields, read) ?? {}), { arguments: read });
  t.equal(writtenOf(fields, { strange: 1 }), undefined);
});

t.test('texts and images are shown, other content as JSON, structured content once', async (t) => {
  const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0=' };
  t.same(resultParts({ content: [{ type: 'text', text: '{"a":1}' }, image, { type: 'resource_link', uri: 'x:1' }] }), [
    { kind: 'text', label: '', text: '{\n  "a": 1\n}' },
    { kind: 'image', source: 'data:image/png;base64,iVBORw0=' },
    { kind: 'text', label: 'resource_link', text: '{\n  "type": "resource_link",\n  "uri": "x:1"\n}' },
  ]);
  t.equal(resultParts({ content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } }).length, 1);
  t.match(resultParts({ structuredContent: { a: 1 } }), [{ label: 'Structured content' }]);
});

t.test('an image that is none of those browsers draw is shown as JSON', async (t) => {
  for (const hostile of [
    { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' },
    { type: 'image', mimeType: 'image/png', data: '"><script>' },
  ])
    t.match(resultParts({ content: [hostile] }), [{ kind: 'text', label: 'image' }]);
});

t.test('what a tool says it does is told in words', async (t) => {
  t.equal(effectOf({ readOnlyHint: true, destructiveHint: true }), 'only reads');
  t.equal(effectOf({ destructiveHint: true }), 'may destroy');
  t.equal(effectOf({ readOnlyHint: false }), 'changes something');
  t.equal(effectOf(null), '');
  t.same([mayDestroy({ destructiveHint: true }), mayDestroy({}), mayDestroy(null)], [true, false, false]);
});
