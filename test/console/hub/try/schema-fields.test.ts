import t from 'tap';
import { toResultParts } from '../../../../src/console/hub/try/result-parts.ts';
import {
  createInitialValues,
  parseArgumentsJson,
  parseFieldValues,
  parseSchemaFields,
  toFieldValues,
} from '../../../../src/console/hub/try/schema-fields.ts';

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
    mixed: true,
  },
  required: ['city'],
};

t.test('each property of a schema gets a suitable field, required ones first', async (t) => {
  const fields = parseSchemaFields(schema);
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
    ].concat('mixed json'),
  );
  t.match(fields[0], { label: 'City', hint: 'Where.', isRequired: true });
  t.match(fields[2], { isInteger: true, min: 1, max: 7, initialText: '3' });
  t.same(parseSchemaFields({ type: 'object' }), []);
});

t.test('field values become arguments of the right types, and empty fields are omitted', async (t) => {
  const fields = parseSchemaFields(schema);
  const written = {
    city: 'Porto',
    days: '5',
    unit: '"C"',
    level: '2',
    exact: 'false',
    tags: 'a\n\nb',
    where: '{"x":1}',
  };
  t.same(parseFieldValues(fields, written), {
    arguments: { city: 'Porto', days: 5, unit: 'C', level: 2, exact: false, tags: ['a', 'b'], where: { x: 1 } },
  });
  t.same(parseFieldValues(fields, { where: '{' }), { problem: 'where is not valid JSON' });
  t.same(parseFieldValues(fields, createInitialValues(fields)), { arguments: { days: 3 } });
});

t.test('a property named __proto__ is an ordinary argument', async (t) => {
  const fields = parseSchemaFields({ properties: JSON.parse('{"__proto__":{"type":"string"}}') });
  const { arguments: result } = parseFieldValues(fields, Object.fromEntries([['__proto__', 'x']]));
  t.equal(JSON.stringify(result), '{"__proto__":"x"}');
});

t.test('arguments convert from fields to JSON and back, unless one has no field', async (t) => {
  const fields = parseSchemaFields(schema);
  t.same(parseArgumentsJson(' '), { arguments: {} });
  t.same(parseArgumentsJson('[1]'), { problem: 'Arguments must be a JSON object: {…}' });
  const { arguments: parsed = {} } = parseArgumentsJson('{"city":"Porto","tags":["a","b"],"unit":"F","where":{"x":1}}');
  t.same(parseFieldValues(fields, toFieldValues(fields, parsed) ?? {}), { arguments: parsed });
  t.equal(toFieldValues(fields, { strange: 1 }), undefined);
});

t.test('text and images are displayed, other content as JSON, structured content once', async (t) => {
  const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0=' };
  t.same(
    toResultParts({ content: [{ type: 'text', text: '{"a":1}' }, image, { type: 'resource_link', uri: 'x:1' }] }),
    [
      { kind: 'text', label: '', text: '{\n  "a": 1\n}' },
      { kind: 'image', source: 'data:image/png;base64,iVBORw0=' },
      { kind: 'text', label: 'resource_link', text: '{\n  "type": "resource_link",\n  "uri": "x:1"\n}' },
    ],
  );
  t.equal(toResultParts({ content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } }).length, 1);
  t.match(toResultParts({ structuredContent: { a: 1 } }), [{ label: 'Structured content' }]);
});

t.test('an image of an unsupported type is displayed as JSON', async (t) => {
  for (const hostile of [
    { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' },
    { type: 'image', mimeType: 'image/png', data: '"><script>' },
  ])
    t.match(toResultParts({ content: [hostile] }), [{ kind: 'text', label: 'image' }]);
});
