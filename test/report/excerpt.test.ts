import t from 'tap';
import { bodyExcerpt } from '../../src/report/excerpt.ts';

function shown(body: string, pointer: string | null): string[] {
  return bodyExcerpt(body, pointer).map(({ text, marked }) => `${marked ? '>' : ' '} ${text}`);
}

t.test('the judged value is marked and stands between its neighbours', async (t) => {
  const body = JSON.stringify({ data: [1, 2], count: 0, currentPage: 1, perPage: 20, totalPages: 0 });
  t.same(shown(body, '/count'), [
    '  {',
    '    "data": [… 2 items],',
    '>   "count": 0,',
    '    "currentPage": 1,',
    '    … 2 more',
    '  }',
  ]);
});

t.test('the way to a deep value is laid out, the rest is told by its size', async (t) => {
  const body = JSON.stringify({ a: 1, database: { host: 'db', status: { code: 5 }, pool: {} }, z: {} });
  t.same(shown(body, '/database/status/code'), [
    '  {',
    '    "a": 1,',
    '    "database": {',
    '      "host": "db",',
    '      "status": {',
    '>       "code": 5',
    '      },',
    '      "pool": {}',
    '    },',
    '    "z": {}',
    '  }',
  ]);
});

t.test('of a body without line breaks the first 200 characters are shown', async (t) => {
  t.same(shown('x'.repeat(5000), null), [`  ${'x'.repeat(200)}…`, '  …']);
  t.same(shown(`${'y'.repeat(201)}\nz`, null), [`  ${'y'.repeat(200)}…`, '  z']);
  t.same(shown('x'.repeat(200), null), [`  ${'x'.repeat(200)}`]);
  t.ok(shown(`${'x'.repeat(199)}😀${'x'.repeat(99)}`, null)[0]?.isWellFormed());
});

t.test('an item of a list is found by its index', async (t) => {
  t.same(shown('[10,11,12,13,14]', '/3'), ['  [', '    … 2 before', '    12,', '>   13,', '    14', '  ]']);
});

t.test('the whole body may be the value', async (t) => {
  t.same(shown('{"a":1,"b":[]}', ''), ['> {… 2 fields}']);
  t.same(shown('"text"', ''), ['> "text"']);
});

t.test('keys with slashes and tildes are found (RFC 6901)', async (t) => {
  t.same(shown('{"a/b":1,"c~d":2}', '/a~1b')[1], '>   "a/b": 1,');
  t.same(shown('{"a/b":1,"c~d":2}', '/c~0d')[2], '>   "c~d": 2');
});

t.test('without a pointer, or where it leads nowhere, the top of the body is shown', async (t) => {
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index}`, index])));
  t.equal(shown(body, null).length, 11);
  t.same(shown(body, null).at(-2), '    … 4 more');
  t.same(shown(body, '/nope'), shown(body, null));
});

t.test('numbers stand as they were sent', async (t) => {
  t.same(shown('{"id":12345678901234567890,"x":1.0,"y":1e400}', '/id').slice(1, 3), [
    '>   "id": 12345678901234567890,',
    '    "x": 1.0,',
  ]);
});

t.test('long texts are cut and say how long they are', async (t) => {
  const [, line = ''] = shown(JSON.stringify({ text: 'x'.repeat(5000) }), '/text');
  t.ok(line.length < 120);
  t.match(line, '… 5000 characters');
});

t.test('what is no whole JSON is shown from its beginning', async (t) => {
  t.same(shown('<html>\n<body>', '/a'), ['  <html>', '  <body>']);
  const cut = shown(`{"data":[${'1,'.repeat(2000)}`, '/data');
  t.equal(cut.length, 2);
  t.same(cut.at(-1), '  …');
  t.equal(shown('line\n'.repeat(100), null).length, 11);
});

t.test('a deeply nested body does not run over', async (t) => {
  const depth = 3000;
  const body = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  t.ok(shown(body, '/a'.repeat(depth)).length < 100);
});

t.test('a huge body costs no laying out', async (t) => {
  const lines = shown(`[${'1,'.repeat(600_000)}1]`, '/7');
  t.equal(lines.length, 2);
});
