import t from 'tap';
import { countPartBytes, cutLastBrace, encodeParts, joinParts } from '../../src/json/json-parts.ts';

const parts = ['{"text":', `"${'€😀'.repeat(10)}"`, '}'];

t.test('parts are written as the text that they are together', async (t) => {
  const text = parts.join('');
  t.equal(joinParts(parts), text);
  t.equal(encodeParts(parts).toString(), text);
  t.equal(countPartBytes(parts), Buffer.byteLength(text));
});

t.test('further members follow the parts of an object', async (t) => {
  t.equal(joinParts([...cutLastBrace(parts), ',"more":1}']), `${parts.join('').slice(0, -1)},"more":1}`);
  t.equal(joinParts([...cutLastBrace(['{}']), '"more":1}']), '{"more":1}');
});
