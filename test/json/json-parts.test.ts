import t from 'tap';
import { countPartBytes, cutLastBrace, encodeParts, joinParts } from '../../src/json/json-parts.ts';

const texts = ['{"text":', `"${'€😀'.repeat(10)}"`, ',"bytes":', '"more bytes"', '}'];
const parts = texts.map((text, index) => (index === 3 ? Buffer.from(text) : text));

t.test('parts are written as the text that they are together', async (t) => {
  const text = texts.join('');
  t.equal(joinParts(parts), text);
  t.equal(countPartBytes(parts), Buffer.byteLength(text));
  const pieces = encodeParts(parts);
  t.equal(Buffer.concat(pieces).toString(), text);
  t.equal(pieces.length, 3, 'texts that follow one another are one piece');
  t.equal(pieces[1], parts[3], 'bytes are not copied');
  t.strictSame(encodeParts([]), []);
});

t.test('further members follow the parts of an object', async (t) => {
  t.equal(joinParts([...cutLastBrace(parts), ',"more":1}']), `${texts.join('').slice(0, -1)},"more":1}`);
  t.equal(joinParts(cutLastBrace([Buffer.from('{"a":1}')])), '{"a":1');
  t.equal(joinParts([...cutLastBrace(['{}']), '"more":1}']), '{"more":1}');
});
