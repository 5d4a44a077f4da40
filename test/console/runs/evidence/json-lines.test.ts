import fc from 'fast-check';
import t from 'tap';
import {
  findLineOfPointer,
  formatJsonLines,
  isJsonLike,
  type JsonLine,
} from '../../../../src/console/runs/evidence/json-lines.ts';

const joinLines = (lines: readonly JsonLine[]): string =>
  lines.map(({ depth, tokens }) => '  '.repeat(depth) + tokens.map(({ text }) => text).join('')).join('\n');

/** Returns the value at a pointer (RFC 6901). */
function valueAt(value: unknown, pointer: string): unknown {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce(
    (current: unknown, step) => Object.entries(current ?? {}).find(([key]) => key === step)?.[1],
    value,
  );
}

t.test('lines are those of JSON.stringify, empty lists and objects on one line', async (t) => {
  for (const value of [{}, [], { a: [] }, { a: {}, b: [{}, []] }, [1, [2, [3]]], { a: { b: { c: null } } }]) {
    t.equal(joinLines(formatJsonLines(JSON.stringify(value))), JSON.stringify(value, null, 2));
  }
});

t.test('formatting loses nothing, and every pointer resolves to its value', async (t) => {
  const property = fc.property(fc.jsonValue(), (value) => {
    const lines = formatJsonLines(JSON.stringify(value));
    if (joinLines(lines) !== JSON.stringify(value, null, 2)) return false;
    const parsed = JSON.parse(JSON.stringify(value));
    return lines.every(({ pointer }) => pointer === undefined || valueAt(parsed, pointer) !== undefined);
  });
  fc.assert(property);
  t.pass('for all JSON values');
});

t.test('numbers are not changed', async (t) => {
  t.match(
    joinLines(formatJsonLines('{"id":12345678901234567890,"x":1.0e+5}')),
    /12345678901234567890,\n {2}"x": 1\.0e\+5/,
  );
});

t.test('a pointer finds its line; keys with slashes and tildes are escaped', async (t) => {
  const lines = formatJsonLines('{"data":[{"id":1},{"id":2}],"a/b":{"c~d":3},"":4}');
  const findText = (pointer: string) =>
    lines[findLineOfPointer(lines, pointer)]?.tokens.map(({ text }) => text).join('');
  t.equal(findText('/data/1/id'), '"id": 2');
  t.equal(findText('/data'), '"data": [');
  t.equal(findText('/data/1'), '{');
  t.equal(findText('/a~1b/c~0d'), '"c~d": 3');
  t.equal(findText('/'), '"": 4');
  t.equal(findLineOfPointer(lines, '/data/7'), -1);
});

t.test('a truncated text is formatted up to its end', async (t) => {
  const lines = formatJsonLines('{"data":[{"id":1,"name":"unfin');
  t.equal(
    lines
      .at(-1)
      ?.tokens.map(({ text }) => text)
      .join(''),
    '"name": "unfin',
  );
  t.equal(lines.at(-1)?.pointer, '/data/0/name');
});

t.test('JSON is recognized by its beginning', async (t) => {
  t.ok(isJsonLike(' \n{"a":1}'));
  t.ok(isJsonLike('[1]'));
  t.notOk(isJsonLike('<html>'));
  t.notOk(isJsonLike(''));
});
