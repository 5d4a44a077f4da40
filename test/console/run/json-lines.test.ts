import fc from 'fast-check';
import t from 'tap';
import { type JsonLine, jsonLines, lineOfPointer, looksLikeJson } from '../../../src/console/run/json-lines.ts';

const textOf = (lines: readonly JsonLine[]): string =>
  lines.map(({ depth, pieces }) => '  '.repeat(depth) + pieces.map(({ text }) => text).join('')).join('\n');

/** The value at a pointer, by RFC 6901. */
function valueAt(value: unknown, pointer: string): unknown {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce((at: unknown, step) => Object.entries(at ?? {}).find(([key]) => key === step)?.[1], value);
}

t.test('lines are those of JSON.stringify, empty lists and objects on one line', async (t) => {
  for (const value of [{}, [], { a: [] }, { a: {}, b: [{}, []] }, [1, [2, [3]]], { a: { b: { c: null } } }]) {
    t.equal(textOf(jsonLines(JSON.stringify(value))), JSON.stringify(value, null, 2));
  }
});

t.test('whatever the value, formatting loses nothing and every pointer leads to its value', async (t) => {
  const property = fc.property(fc.jsonValue(), (value) => {
    const lines = jsonLines(JSON.stringify(value));
    if (textOf(lines) !== JSON.stringify(value, null, 2)) return false;
    const known = JSON.parse(JSON.stringify(value));
    return lines.every(({ pointer }) => pointer === undefined || valueAt(known, pointer) !== undefined);
  });
  fc.assert(property);
  t.pass('for all JSON values');
});

t.test('numbers stay as they were sent', async (t) => {
  t.match(textOf(jsonLines('{"id":12345678901234567890,"x":1.0e+5}')), /12345678901234567890,\n {2}"x": 1\.0e\+5/);
});

t.test('a pointer finds its line; keys with slashes and tildes are escaped', async (t) => {
  const lines = jsonLines('{"data":[{"id":1},{"id":2}],"a/b":{"c~d":3},"":4}');
  const at = (pointer: string) => lines[lineOfPointer(lines, pointer)]?.pieces.map(({ text }) => text).join('');
  t.equal(at('/data/1/id'), '"id": 2');
  t.equal(at('/data'), '"data": [');
  t.equal(at('/data/1'), '{');
  t.equal(at('/a~1b/c~0d'), '"c~d": 3');
  t.equal(at('/'), '"": 4');
  t.equal(lineOfPointer(lines, '/data/7'), -1);
});

t.test('a text that was cut off is shown as far as it goes', async (t) => {
  const lines = jsonLines('{"data":[{"id":1,"name":"unfin');
  t.equal(
    lines
      .at(-1)
      ?.pieces.map(({ text }) => text)
      .join(''),
    '"name": "unfin',
  );
  t.equal(lines.at(-1)?.pointer, '/data/0/name');
});

t.test('JSON is told from other texts by its beginning', async (t) => {
  t.ok(looksLikeJson(' \n{"a":1}'));
  t.ok(looksLikeJson('[1]'));
  t.notOk(looksLikeJson('<html>'));
  t.notOk(looksLikeJson(''));
});
