/** JSON that would take much memory is not parsed; what people send is. */
import t from 'tap';
import { estimateParsedBytes, exceedsParsedBytes, maxParsedBytes } from '../../../src/check/json/json-size.ts';
import { observeJson } from '../../../src/check/json/observe-json.ts';

const limitBytes = 10 * 1024 * 1024;

function fill(item: string): string {
  return `[${Array(Math.floor(limitBytes / (item.length + 1)))
    .fill(item)
    .join(',')}]`;
}

t.test('a body of 10 MiB with short records is parsed', async (t) => {
  for (const item of [
    '{"id":1,"name":"abc","price":9.5}',
    '{"lat":12.123456,"lon":51.123456}',
    '"ab"',
    '1.25',
    '{"a":"[[[{{{,,,[[[{{{,,,[[[{{{,,,"}',
  ])
    t.equal(observeJson(fill(item)).kind, 'json', item);
});

t.test('objects and lists of a few bytes are not', async (t) => {
  for (const item of ['{}', '[]', '{"a":{}}']) {
    const body = observeJson(fill(item));
    t.match(
      body,
      { kind: 'not_json', problem: 'its values would take more than 24 MiB of memory', text: String },
      item,
    );
  }
});

t.test('what is no JSON has an estimate too', async (t) => {
  t.equal(estimateParsedBytes('"not closed {{{'), 0);
  t.equal(estimateParsedBytes('{"a,{":[1,2]}'), 56 * 2 + 8);
  t.ok(estimateParsedBytes('['.repeat(limitBytes)) > maxParsedBytes);
});

t.test('a short text exceeds a limit where its estimate does', async (t) => {
  for (const text of ['', '[', '{}', '[[[[', '[1,2]', '{"a":[{},{}]}', '"[[[["', ',,,,'])
    for (let limit = 0; limit <= 56 * text.length + 1; limit += 1)
      t.equal(exceedsParsedBytes(text, limit), estimateParsedBytes(text) > limit, `${text} and ${limit}`);
});
