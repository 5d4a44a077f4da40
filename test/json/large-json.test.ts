import fc from 'fast-check';
import t from 'tap';
import { stringifyLargeJson } from '../../src/json/large-json.ts';

const large = 'x'.repeat(70_000);

t.test('values with long texts are written as JSON.stringify does', async (t) => {
  const values: Record<string, unknown> = {
    text: large,
    list: [large, 1, null, { text: large, more: [true, 'short'] }],
    'in the middle': { content: [{ type: 'text', text: large }], isError: false, _meta: { 'a/b': 1 } },
    'many members': { items: Array.from({ length: 3000 }, (_, index) => ({ index })), text: large },
    'a name that is no usual one': JSON.parse(`{"__proto__": {"text": "${large}"}, "1": 2}`),
    'the text of the mark': { text: large, other: '[a text of vp]', last: large },
  };
  for (const [name, value] of Object.entries(values))
    for (const hasEscapes of [true, false])
      t.equal(stringifyLargeJson(value, hasEscapes) === JSON.stringify(value), true, `${name}, ${hasEscapes}`);
});

t.test('long texts with characters to escape are written as JSON.stringify does', async (t) => {
  const part = fc.oneof(
    fc.constantFrom('"', '\\', '\n', '\u0000', '\u2028', '\ud83d\ude00', '\ud800', '\udc00', 'é', 'plain text, '),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
      const pattern = parts.join('');
      const text = `x${pattern}`.repeat(Math.ceil(70_000 / (pattern.length + 1)));
      const value = { content: [{ text }], last: 1 };
      return stringifyLargeJson(value, true) === JSON.stringify(value);
    }),
    { numRuns: 60 },
  );
  t.pass('all are equal');
});

t.test('texts of JSON without a backslash need no escape', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), (pattern) => {
      const sent = Buffer.from(JSON.stringify({ text: pattern.repeat(70_000 / pattern.length + 1) })).toString();
      const value: unknown = JSON.parse(sent);
      return stringifyLargeJson(value, sent.includes('\\')) === JSON.stringify(value);
    }),
    { numRuns: 100 },
  );
  t.pass('all are equal');
});
