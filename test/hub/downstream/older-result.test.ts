/** Structured content that is not an object, for clients whose revision knows only objects. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { toOlderTool, toOlderToolResult } from '../../../src/hub/downstream/older-result.ts';

const list = { type: 'array', items: { $ref: '#/$defs/item' }, $defs: { item: { type: 'number' } } };

t.test('a tool whose results are objects stays as it is', async (t) => {
  const tool = { name: 'a', outputSchema: { type: 'object' } };
  t.equal(toOlderTool(tool), tool);
  t.same(toOlderTool({ name: 'a' }), { name: 'a' });
});

t.test('the schema of other results is wrapped, and wrapped results are valid', async (t) => {
  const { outputSchema } = toOlderTool({ name: 'numbers of a', outputSchema: list });
  t.match(outputSchema, { type: 'object', required: ['result'] });
  const validate = new Ajv2020().compile(Object(outputSchema));
  const { structuredContent } = toOlderToolResult({ content: [], structuredContent: [1, 2] }, list);
  t.same(structuredContent, { result: [1, 2] });
  t.ok(validate(structuredContent));
  t.notOk(validate({ result: ['x'] }), 'references within the schema are followed');
  t.notOk(validate({}));
});

t.test('an object is wrapped where the schema allows other values', async (t) => {
  const schema = { anyOf: [{ type: 'object' }, { type: 'null' }] };
  const wrapped = toOlderToolResult({ content: [], structuredContent: { a: 1 } }, schema);
  t.same(wrapped, { content: [], structuredContent: { result: { a: 1 } } });
});

t.test('a result that older clients understand is the same object', async (t) => {
  const result = { content: [], structuredContent: { a: 1 } };
  t.equal(toOlderToolResult(result, { type: 'object' }), result);
  t.equal(toOlderToolResult(result, undefined), result);
  t.same(toOlderToolResult({ isError: true }, undefined), { content: [], isError: true });
});
