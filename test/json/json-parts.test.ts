import t from 'tap';
import { countPartBytes, cutLastBrace, encodeParts, joinParts } from '../../src/json/json-parts.ts';

const texts = ['{"text":', `"${'€😀'.repeat(10)}"`, '}'];

const parts = texts.map((text, index) => (index === 1 ? Buffer.from(text) : text));

t.test('parts are written as the text that they are together', async (t) => {
  const text = texts.join('');
  t.equal(joinParts(parts), text);
  t.equal(Buffer.concat(encodeParts(parts)).toString(), text);
  t.equal(countPartBytes(parts), Buffer.byteLength(text));
});

t.test('further members follow the parts of an object', async (t) => {
  t.equal(joinParts([...cutLastBrace(parts), ',"more":1}']), `${texts.join('').slice(0, -1)},"more":1}`);
  t.equal(joinParts(cutLastBrace([Buffer.from('{"ä":1}')])), '{"ä":1');
  t.equal(joinParts([...cutLastBrace(['{}']), '"more":1}']), '{"more":1}');
});
